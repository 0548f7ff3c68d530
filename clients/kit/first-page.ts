/**
 * When the first page of an app is shown. What it does without is loaded after it, so as not to be in its way:
 *
 *   const Part = lazyPart(afterFirstPage(() => import('./part.tsx')));
 *
 * Whatever shows a first page says so.
 */
import { firstWaitMs, longestWaitMs } from './load-again.ts';

/** A page that says nothing is taken to be shown so many milliseconds after somebody has begun to wait for it. */
const latestMs = 10_000;

let tell = (): void => undefined;
const shown = new Promise<void>(resolve => (tell = resolve));
let waiting: ReturnType<typeof setTimeout> | undefined;
let ready: Promise<void> | undefined;

/** And when the server can be reached. */
export function whenFirstPageShown(): Promise<void> {
  waiting ??= setTimeout(tell, latestMs);
  return (ready ??= shown.then(whenReachable));
}

/** Of any server, whoever is signed in. */
const smallRequest = '/healthz';
const answeredWithinMs = 10_000;

/**
 * Many browsers keep the failure of an import as long as the page lives (import-elsewhere.ts), that of what it imports in turn as well: so what can
 * wait is not asked for while there is no network.
 */
async function whenReachable(): Promise<void> {
  for (let waitMs = firstWaitMs; ; waitMs = Math.min(longestWaitMs, waitMs * 2)) {
    try {
      await fetch(smallRequest, { cache: 'no-store', signal: AbortSignal.timeout(answeredWithinMs) });
      return;
    } catch {
      await networkWithin(waitMs);
    }
  }
}

/** The browser has a network again, or so many milliseconds have passed. */
function networkWithin(ms: number): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      clearTimeout(timer);
      removeEventListener('online', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    addEventListener('online', end);
  });
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
