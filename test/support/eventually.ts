/** For what can only be seen by looking: looks again, a little later each time, until it is so. */
import { setTimeout as pause } from 'node:timers/promises';
import { timeLimitMs } from './time-limit.ts';

export async function eventually(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + timeLimitMs;
  for (let waitMs = 10; !(await isSo()); waitMs = Math.min(waitMs * 2, 500)) {
    if (performance.now() > end) throw new Error(`no ${what} within ${timeLimitMs} ms`);
    await pause(waitMs);
  }
}
