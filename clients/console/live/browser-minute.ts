/** What follows the clock, by the page of the browser. */
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { everyMinute } from './every-minute.ts';

/** Works each minute while the page can be seen. Returns what ends it. */
export function everyMinuteSeen(work: () => void): () => void {
  return everyMinute(work, {
    isHidden: () => document.hidden,
    onVisibility(listener) {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    now: Date.now,
    schedule: scheduleByTimer,
  });
}
