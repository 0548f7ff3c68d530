/** The second step of signing in: a code, after the password. */
import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../sdk/index.ts';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { Problem } from './account-page.tsx';
import { useSubmission } from './use-submission.ts';

/** The challenge of a login that wants a code; undefined for any other error. */
export function readChallenge(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== 'svc/auth/second_factor_required') return undefined;
  const challenge = error.details?.['challenge'];
  return typeof challenge === 'string' ? challenge : undefined;
}

interface SecondStepProps {
  readonly challenge: string;
  readonly onSignedIn: () => void;
  /** Back to the password. */
  readonly onLeave: () => void;
}

export function SecondStep({ challenge, onSignedIn, onLeave }: SecondStepProps) {
  const { account } = useKitTexts();
  const texts = account.secondStep;
  const { isSending, problem, run } = useSubmission({ usedLink: texts.over, expiredLink: texts.over });
  const [code, setCode] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () =>
      signIn(await anonymous.auth.loginWithSecondFactor({ challenge, code: code.trim() })),
    ).then(isIn => {
      if (isIn) onSignedIn();
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={texts.code}
          autoComplete="one-time-code"
          maxLength={32}
          autoFocus
          value={code}
          onChange={event => setCode(event.currentTarget.value)}
        />
        <Problem text={problem} />
        <Button type="submit" size="sm" loading={isSending} disabled={code.trim() === ''}>
          {account.signIn.submit}
        </Button>
        <Button variant="subtle" size="sm" onClick={onLeave}>
          {account.toSignIn}
        </Button>
      </Stack>
    </form>
  );
}
