/** For pages of whoever is signed in and may work nowhere: what they have not sent is still there, until they sign out. */
import { useEffect } from 'react';
import type { WatchProps } from '../../kit/lazy-watch.tsx';
import { useUnsentLoss } from '../composer/use-unsent-loss.ts';

export default function SignOutWatch({ onWatching }: WatchProps): null {
  useUnsentLoss();
  useEffect(onWatching, [onWatching]);
  return null;
}
