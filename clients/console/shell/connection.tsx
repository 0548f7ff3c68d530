/** How the live connection stands, and what is not sent: nothing to say while all is good. */
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useUnsentTexts } from '../composer/use-unsent-texts.ts';
import { pollEveryMs } from '../live/polling.ts';
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
  const isOffline = useSyncExternalStore(onNetwork, isWithoutNetwork);
  // A socket may take minutes to notice.
  const is = isOffline && state.is !== 'ended' ? 'offline' : state.is;
  const now = useNow(state.is === 'waiting' ? 250 : undefined);
  const isLate = useLater(is !== 'online', quietMs);
  const [wasOnline, setWasOnline] = useState(false);
  if (is === 'online' && !wasOnline) setWasOnline(true);
  const seconds = state.is === 'waiting' ? Math.max(0, Math.ceil((state.retryAt - now) / 1_000)) : 0;
  const text = {
    online: texts.online,
    connecting: texts.connecting,
    waiting: seconds > 0 ? texts.waiting(seconds) : texts.connecting,
    catchingUp: texts.catchingUp(state.is === 'catchingUp' ? formats.number(state.left) : ''),
    reset: texts.reset,
    polling: texts.polling(pollEveryMs / 1_000),
    ended: texts.ended,
    offline: texts.offline,
  }[is];
  const shown = isLate || !wasOnline || is === 'offline' ? is : 'online';
  const unsent = useUnsentTexts(useConversing().conversations.outbox);
  const parts = [shown === is ? text : texts.online, ...unsent];
  return (
    <span
      className={classes['connection']}
      data-state={shown}
      role="status"
      title={is === 'polling' ? texts.pollingHint : text}
    >
      <span className={classes['dot']} aria-hidden />
      <span className={classes['text']}>{parts.join(' · ')}</span>
    </span>
  );
}

function onNetwork(listener: () => void): () => void {
  for (const name of ['online', 'offline']) addEventListener(name, listener);
  return () => {
    for (const name of ['online', 'offline']) removeEventListener(name, listener);
  };
}

/** True is sure; false only says that there is some network. */
const isWithoutNetwork = (): boolean => !navigator.onLine;

/** Whether it has been so for a while. */
function useLater(is: boolean, ms: number): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(is), is ? ms : 0);
    return () => clearTimeout(timer);
  }, [is, ms]);
  return is && isLate;
}
