/** A part of a page that asks before somebody signs out. It is loaded behind the first page; whoever signs out meanwhile waits for it. */
import { type ComponentType, Suspense, useEffect } from 'react';
import { beforeSignOut } from './browser-session.ts';
import { whenFirstPageShown } from './first-page.ts';
import { askForLateParts, retriableModule, toLazyPart } from './lazy-part.ts';

export interface WatchProps {
  /** Called as soon as it asks by itself. */
  readonly onWatching: () => void;
}

const neverEarlier = (): (() => void) => () => undefined;

/**
 * @param load imports a module, and gives nothing but that
 * @param onNeed calls what it is given when the page should wait no longer, and returns what ends that. Default: never
 */
export function lazyWatch(
  load: () => Promise<{ default: ComponentType<WatchProps> }>,
  onNeed: (want: () => void) => () => void = neverEarlier,
): ComponentType {
  const loadOnce = retriableModule(load);
  let want = (): void => undefined;
  const wanted = new Promise<void>(resolve => (want = resolve));
  const Watch = toLazyPart<WatchProps>(() => Promise.race([whenFirstPageShown(), wanted]).then(loadOnce));
  let onWatching = (): void => undefined;
  const watching = new Promise<true>(resolve => (onWatching = () => resolve(true)));
  return function LazyWatch() {
    useEffect(() => onNeed(want), []);
    useEffect(
      () =>
        beforeSignOut(() => {
          want();
          // It may be waiting for its next try, which is this one.
          askForLateParts();
          return loadOnce().then(
            () => watching,
            // What cannot be loaded keeps nobody signed in.
            () => true,
          );
        }),
      [],
    );
    return (
      <Suspense>
        <Watch onWatching={onWatching} />
      </Suspense>
    );
  };
}
