/**
 * Files of the page that cannot be loaded any more. While a cluster is upgraded, and afterwards, a page of one build may ask for files of
 * another; or there is no connection. What a part of the page lacks it asks for again by itself (lazy-part.ts), and nothing is said of it then.
 *
 * A page that has just begun has nothing to lose, and loads itself anew, once, which brings the newer build. Later it says what has happened, and
 * its reader decides.
 */

/** When the page loaded itself anew, in milliseconds since 1970. */
const reloadedAtKey = 'skein-reloaded-at';
const reloadAgainMs = 60_000;

let tell: (() => void) | undefined;

/** Failures that nothing is said of. */
const known = new WeakSet<object>();

/** It was said the first time. To be called as soon as the failure is known. */
export function ignoreFailure(failure: unknown): void {
  if (failure instanceof Error) known.add(failure);
}

/** From now on the listener says what is missing. Returns what ends that. */
export function onMissingFile(listener: () => void): () => void {
  tell = listener;
  return () => {
    if (tell === listener) tell = undefined;
  };
}

export function watchMissingFiles(): void {
  addEventListener('vite:preloadError', event => {
    // In the browser's words the router would know it, and load the page anew by itself, also where there is no connection.
    const { payload } = event;
    payload.message = `Missing file: ${payload.message}`;
    // Whoever has asked for the file learns of it after this event.
    setTimeout(() => {
      if (!known.has(payload)) sayMissing();
    });
  });
  // Or a style that did not come would pass for one that is there when it is asked for again.
  addEventListener(
    'error',
    ({ target }) => {
      if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') target.remove();
    },
    true,
  );
}

function sayMissing(): void {
  if (tell !== undefined) return tell();
  if (Date.now() - Number(sessionStorage.getItem(reloadedAtKey) ?? 0) < reloadAgainMs) return;
  void reloadPage(() => sessionStorage.setItem(reloadedAtKey, String(Date.now())));
}

/** Loads the page anew, unless the server cannot be reached: that would take away what is shown. Gives whether it does. */
export async function reloadPage(before?: () => void): Promise<boolean> {
  const answer = await fetch(location.pathname, { method: 'HEAD', cache: 'no-store' }).catch(() => undefined);
  if (answer?.ok !== true) return false;
  before?.();
  location.reload();
  return true;
}
