/** What changes with the time alone is asked for again each minute, while the page can be seen. */

/** The page of the browser, or that of a test. */
export interface ClockedPage {
  isHidden(): boolean;
  /** Calls when it is shown or hidden. Returns what ends it. */
  onVisibility(listener: () => void): () => void;
  /** Milliseconds since 1970. */
  now(): number;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

const minuteMs = 60_000;

/** A page that was hidden for longer works as soon as it is shown. Returns what ends it. */
export function everyMinute(work: () => void, page: ClockedPage): () => void {
  let workedAt = page.now();
  let cancel: () => void = () => undefined;
  const wait = (): void => {
    cancel();
    cancel = page.schedule(look, Math.max(0, workedAt + minuteMs - page.now()));
  };
  const look = (): void => {
    // Until it is shown again.
    if (page.isHidden()) return;
    if (page.now() >= workedAt + minuteMs) {
      workedAt = page.now();
      work();
    }
    wait();
  };
  const stop = page.onVisibility(look);
  wait();
  return () => {
    stop();
    cancel();
  };
}
