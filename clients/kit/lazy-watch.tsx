/** A part of a page that asks before somebody signs out. It is loaded behind the first page; whoever signs out meanwhile waits for it. */
import { type ComponentType, Suspense, useEffect } from 'react';
import { beforeSignOut } from './browser-session.ts';
import { whenFirstPageShown } from './first-page.ts';
import { lazyPart } from './lazy-part.ts';

export interface WatchProps {
  /** Called as soon as it asks by itself. */
  readonly onWatching: () => void;
}

export function lazyWatch(load: () => Promise<{ default: ComponentType<WatchProps> }>): ComponentType {
  let loading: ReturnType<typeof load> | undefined;
  const loadOnce = () => (loading ??= load());
  let want = (): void => undefined;
  const wanted = new Promise<void>(resolve => (want = resolve));
  const Watch = lazyPart<WatchProps>(() => Promise.race([whenFirstPageShown(), wanted]).then(loadOnce));
  let onWatching = (): void => undefined;
  const watching = new Promise<true>(resolve => (onWatching = () => resolve(true)));
  return function LazyWatch() {
    useEffect(
      () =>
        beforeSignOut(() => {
          want();
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
