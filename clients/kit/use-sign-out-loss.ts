import { useEffect } from 'react';
import { beforeSignOut } from './browser-session.ts';
import { scheduleByTimer } from './schedule-by-timer.ts';
import { SignOutLoss } from './sign-out-loss.ts';

/**
 * Asks before anything is lost by signing out, here or in another tab.
 *
 * @param find what this tab would lose, in words; undefined: nothing. The same function as long as it says the same
 */
export function useSignOutLoss(find: () => string | undefined): void {
  useEffect(() => {
    const channel = new BroadcastChannel('skein-sign-out');
    const losses = new SignOutLoss(channel, scheduleByTimer);
    losses.answer(find);
    const stopAsking = beforeSignOut(async () => {
      const loss = find() ?? (await losses.askOthers());
      return loss === undefined || confirm(loss);
    });
    return () => {
      stopAsking();
      channel.close();
    };
  }, [find]);
}
