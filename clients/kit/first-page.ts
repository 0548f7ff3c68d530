/**
 * When the first page of an app is shown. What it does without is loaded after it, so as not to be in its way:
 *
 *   const Part = lazyPart(afterFirstPage(() => import('./part.tsx')));
 *
 * Whatever shows a first page says so.
 */

/** A page that says nothing is taken to be shown so many milliseconds after somebody has begun to wait for it. */
const latestMs = 10_000;

let tell = (): void => undefined;
const shown = new Promise<void>(resolve => (tell = resolve));
let waiting: ReturnType<typeof setTimeout> | undefined;

export function whenFirstPageShown(): Promise<void> {
  waiting ??= setTimeout(tell, latestMs);
  return shown;
}

/** To be called when the page is drawn: in an effect. It is painted before anything else is loaded. */
export function tellFirstPage(): void {
  requestAnimationFrame(() => {
    if ('requestIdleCallback' in globalThis) requestIdleCallback(tell, { timeout: 1_000 });
    // Safari.
    else setTimeout(tell, 200);
  });
}

/** Loads it when it is wanted and the first page is shown. */
export function afterFirstPage<T>(load: () => Promise<T>): () => Promise<T> {
  return () => whenFirstPageShown().then(load);
}
