/** Files of the page that are gone, access that is taken away, and what the tabs of the Console would lose by signing out here. */
import { useEffect } from 'react';
import type { WatchProps } from '../../kit/lazy-watch.tsx';
import { MissingFiles } from '../../kit/shell/missing-files.tsx';
import { useSignOutLoss } from '../../kit/use-sign-out-loss.ts';
import { useTexts } from '../texts/index.ts';
import { useAccessWatch } from './access-watch.ts';

const findNothing = (): undefined => undefined;

export default function Watches({ onWatching }: WatchProps) {
  useSignOutLoss(findNothing);
  useAccessWatch();
  useEffect(onWatching, [onWatching]);
  return <MissingFiles text={useTexts().shell.missingFiles} />;
}
