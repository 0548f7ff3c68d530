import { useEffect, useMemo } from 'react';
import { scheduleByTimer } from '../../kit/schedule-by-timer.ts';
import { useClient } from '../thread/conversations-context.tsx';
import { TypingSignal } from './typing-signal.ts';

/** Of the thread that is open. Leaving it ends the typing. */
export function useTypingSignal(threadId: string): TypingSignal {
  const client = useClient();
  const signal = useMemo(() => {
    // One after the other, or `started` overtakes the `stopped` that follows it.
    let told: Promise<unknown> = Promise.resolve();
    return new TypingSignal({
      // Nothing depends on it: where it is lost, the next key tells.
      tell: state =>
        void (told = told.then(() =>
          client.threads.setTyping(threadId, { state }, { maxRetries: 0 }).catch(() => undefined),
        )),
      now: Date.now,
      schedule: scheduleByTimer,
    });
  }, [client, threadId]);
  useEffect(() => () => signal.stop(), [signal]);
  return signal;
}
