/** How the live connection stands, and what is not sent: nothing to say while all is good. */
import { useEffect, useState } from 'react';
import { useUnsentTexts } from '../composer/use-unsent-texts.ts';
import { useStreamState } from '../live/stream-context.tsx';
import { useConversing } from '../thread/conversations-context.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import { useNow } from '../../kit/use-now.ts';
import { useTexts } from '../texts/index.ts';
import classes from './connection.module.css';

/** A connection that comes back so soon is not spoken of, in milliseconds; nor is it called good before it was. */
const quietMs = 800;

export function Connection() {
  const texts = useTexts().shell.connection;
  const formats = useFormats();
  const state = useStreamState();
  const now = useNow(state.is === 'waiting' ? 250 : undefined);
  const isLate = useLater(state.is !== 'online', quietMs);
  const [wasOnline, setWasOnline] = useState(false);
  if (state.is === 'online' && !wasOnline) setWasOnline(true);
  const seconds = state.is === 'waiting' ? Math.max(0, Math.ceil((state.retryAt - now) / 1_000)) : 0;
  const text = {
    online: texts.online,
    connecting: texts.connecting,
    waiting: seconds > 0 ? texts.waiting(seconds) : texts.connecting,
    catchingUp: texts.catchingUp(state.is === 'catchingUp' ? formats.number(state.left) : ''),
    reset: texts.reset,
    ended: texts.ended,
  }[state.is];
  const shown = isLate || !wasOnline ? state.is : 'online';
  const unsent = useUnsentTexts(useConversing().conversations.outbox);
  const parts = [shown === state.is ? text : texts.online, ...unsent];
  return (
    <span className={classes['connection']} data-state={shown} role="status" title={text}>
      <span className={classes['dot']} aria-hidden />
      {parts.join(' · ')}
    </span>
  );
}

/** Whether it has been so for a while. */
function useLater(is: boolean, ms: number): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(is), is ? ms : 0);
    return () => clearTimeout(timer);
  }, [is, ms]);
  return is && isLate;
}
