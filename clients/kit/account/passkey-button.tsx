/** Signs in with a passkey: alone, or after the password. Nothing where the browser has none for this address. */
import { Button, Stack } from '@mantine/core';
import { KeyRound } from 'lucide-react';
import { signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { Problem } from './account-page.tsx';
import { askForToken, isPasskeyPlace, knowsPasskeys } from './passkeys.ts';
import { useSubmission } from './use-submission.ts';

interface PasskeyButtonProps {
  /** Of a login whose password was right. */
  readonly challenge?: string;
  readonly onSignedIn: () => void;
}

export function PasskeyButton({ challenge, onSignedIn }: PasskeyButtonProps) {
  const { passkey: texts, secondStep } = useKitTexts().account;
  const over = challenge === undefined ? texts.over : secondStep.over;
  const { isSending, problem, run } = useSubmission({ usedLink: over, expiredLink: over });
  if (!knowsPasskeys || !isPasskeyPlace) return null;
  const ask = async (): Promise<void> => {
    if (await run(async () => signIn(await askForToken(challenge)))) onSignedIn();
  };
  return (
    <Stack gap="xs">
      <Button
        variant="default"
        size="sm"
        leftSection={<KeyRound size={14} aria-hidden />}
        loading={isSending}
        onClick={() => void ask()}
      >
        {challenge === undefined ? texts.signIn : texts.use}
      </Button>
      <Problem text={problem} />
    </Stack>
  );
}
