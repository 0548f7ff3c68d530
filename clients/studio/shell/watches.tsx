/** Files of the page that are gone, and what the tabs of the Console would lose by signing out here. */
import { MissingFiles } from '../../kit/shell/missing-files.tsx';
import { useSignOutLoss } from '../../kit/use-sign-out-loss.ts';
import { useTexts } from '../texts/index.ts';

const findNothing = (): undefined => undefined;

export default function Watches() {
  useSignOutLoss(findNothing);
  return <MissingFiles text={useTexts().shell.missingFiles} />;
}
