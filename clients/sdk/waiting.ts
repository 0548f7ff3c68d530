/** Waiting that an AbortSignal can end, and that leaves no listener on it. */

/** Resolves after so many milliseconds; rejects with the signal's reason when it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const slept = new Promise<void>(resolve => (timer = setTimeout(resolve, ms)));
  return untilAborted(slept, signal).finally(() => clearTimeout(timer));
}

/** What the work gives, or the signal's reason as soon as it is aborted: not every fetch ends when it is told to. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise<T>((resolve, reject) => {
    const abort = (): void => reject(signal.reason as Error);
    const settle = (): void => signal.removeEventListener('abort', abort);
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(settle);
    if (signal.aborted) abort();
  });
}
