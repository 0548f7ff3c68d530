import {
  type ComponentType,
  createElement,
  lazy,
  type LazyExoticComponent,
  useSyncExternalStore,
} from 'react';
import { importElsewhere } from './import-elsewhere.ts';
import { LatePart, type LatePort, type Load, retriable } from './load-again.ts';
import { scheduleByTimer } from './schedule-by-timer.ts';

type Module<P> = { readonly default: ComponentType<P> };

const Nothing = (): null => null;

const waiting = new Set<() => void>();

/** Parts that did not come are asked for at once, and not when their time has come. */
export function askForLateParts(): void {
  for (const ask of [...waiting]) ask();
}

addEventListener('online', askForLateParts);

const port: LatePort = {
  schedule: scheduleByTimer,
  onChance(work) {
    waiting.add(work);
    return () => waiting.delete(work);
  },
};

/** @param load imports a module, and gives nothing but that */
export function retriableModule<P>(load: Load<Module<P>>): Load<Module<P>> {
  // It is the same module from another address.
  return retriable(load, importElsewhere as (failure: unknown) => Promise<Module<P>>);
}

/**
 * A part of a page that is loaded when it is first shown. Where it does not come the page stays as it is, without it, and asks for it again as
 * long as it is to be shown.
 *
 * @param load imports a module, and gives nothing but that
 * @param Meanwhile is shown until it comes. Default: nothing
 */
export function lazyPart<P extends object>(
  load: Load<Module<P>>,
  Meanwhile?: ComponentType<P>,
): LazyExoticComponent<ComponentType<P>> {
  return toLazyPart(retriableModule(load), Meanwhile);
}

/** @param load can be called again after it has failed */
export function toLazyPart<P extends object>(
  load: Load<Module<P>>,
  Meanwhile: ComponentType<P> = Nothing,
): LazyExoticComponent<ComponentType<P>> {
  return lazy(() => load().catch(() => ({ default: createLate(load, Meanwhile) })));
}

/** In its place until it comes: what is beside it in the page does not wait for it. */
function createLate<P extends object>(load: Load<Module<P>>, Meanwhile: ComponentType<P>): ComponentType<P> {
  const late = new LatePart(load, port);
  return function Late(props: P) {
    const come = useSyncExternalStore(late.subscribe, late.get);
    return createElement(come?.default ?? Meanwhile, props);
  };
}
