/** The second step of signing in, after the password: a passkey, a code, or a recovery code for whoever has lost both. */
import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ApiError } from '../../sdk/index.ts';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { Problem } from './account-page.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { useSubmission } from './use-submission.ts';

/** A login that wants a second factor. */
export interface NeededStep {
  readonly challenge: string;
  /** What the account has set up. */
  readonly hasApp: boolean;
  readonly hasPasskey: boolean;
}

/** Undefined for any other error. */
export function readNeededStep(error: unknown): NeededStep | undefined {
  if (!(error instanceof ApiError) || error.code !== 'svc/auth/second_factor_required') return undefined;
  const { challenge, methods } = error.details ?? {};
  if (typeof challenge !== 'string') return undefined;
  const named: readonly unknown[] = Array.isArray(methods) ? methods : ['totp'];
  return { challenge, hasApp: named.includes('totp'), hasPasskey: named.includes('passkey') };
}

/** What the page or dialog above it says. */
export function useStepTexts(step: NeededStep | undefined): {
  readonly title: string;
  readonly intro: string;
} {
  const { secondStep } = useKitTexts().account;
  if (step === undefined || step.hasApp) return secondStep;
  return secondStep.byPasskey;
}

interface SecondStepProps {
  readonly step: NeededStep;
  readonly onSignedIn: () => void;
  /** Back to the password. */
  readonly onLeave: () => void;
}

export function SecondStep({ step, onSignedIn, onLeave }: SecondStepProps) {
  const { account } = useKitTexts();
  const texts = account.secondStep;
  const { challenge, hasApp, hasPasskey } = step;
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
    <Stack>
      {hasPasskey && <PasskeyButton challenge={challenge} onSignedIn={onSignedIn} />}
      <form onSubmit={submit} noValidate>
        <Stack>
          <TextInput
            label={hasApp ? texts.code : texts.recoveryCode}
            autoComplete="one-time-code"
            maxLength={32}
            autoFocus={!hasPasskey}
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
    </Stack>
  );
}
