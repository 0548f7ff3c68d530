/** Runs the work later, once; returns what cancels it. */
export function scheduleByTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms);
  return () => clearTimeout(timer);
}
