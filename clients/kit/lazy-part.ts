import { type ComponentType, lazy, type LazyExoticComponent } from 'react';

const Nothing = (): null => null;

/** A part of a page that is loaded when it is first shown. Where it cannot be loaded the page stays as it is, without it. */
export function lazyPart<P extends object>(
  load: () => Promise<{ default: ComponentType<P> }>,
): LazyExoticComponent<ComponentType<P>> {
  return lazy<ComponentType<P>>(() => load().catch(() => ({ default: Nothing })));
}
