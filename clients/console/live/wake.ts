/**
 * Tells when the machine may have slept, or its network has changed: when the page comes to the front, when the browser is online again, and
 * when a timer comes much too late, which is how sleep looks from within.
 */
const tickMs = 10_000;
/** Browsers delay the timers of busy and of hidden pages a little. */
const lateMs = 10_000;

/** Returns what ends the watching. */
export function onWake(wake: () => void): () => void {
  let tickedAt = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    const isLate = now > tickedAt + tickMs + lateMs;
    tickedAt = now;
    if (isLate) wake();
  }, tickMs);
  const look = (): void => {
    if (!document.hidden) wake();
  };
  addEventListener('online', wake);
  document.addEventListener('visibilitychange', look);
  return () => {
    clearInterval(timer);
    removeEventListener('online', wake);
    document.removeEventListener('visibilitychange', look);
  };
}
