/** Address and password, or a passkey: what the sign-in page and the dialog of an expired session share. */
import { Button, Stack } from '@mantine/core';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { Problem } from './account-page.tsx';
import { EmailField, PasswordField, useAccountForm } from './fields.tsx';
import { PasskeyButton } from './passkey-button.tsx';
import { type NeededStep, readNeededStep } from './second-step.tsx';
import { useSubmission } from './use-submission.ts';

interface SignInFormProps {
  /** Whose session is over, where that is known. */
  readonly email?: string;
  /** The account wants a second factor as well. */
  readonly onStep: (step: NeededStep) => void;
  readonly onSignedIn: () => void;
}

export function SignInForm({ email, onStep, onSignedIn }: SignInFormProps) {
  const texts = useKitTexts().account.signIn;
  const { isSending, problem, run } = useSubmission();
  const form = useAccountForm({ email: true, password: 'current' }, email);
  const submit = form.onSubmit(async ({ email: address, password }) => {
    let wanted: NeededStep | undefined;
    const isIn = await run(async () => {
      try {
        signIn(await anonymous.auth.login({ email: address.trim(), password }));
      } catch (error) {
        wanted = readNeededStep(error);
        if (wanted === undefined) throw error;
      }
    });
    if (wanted !== undefined) onStep(wanted);
    else if (isIn) onSignedIn();
  });
  return (
    <Stack>
      <form onSubmit={submit} noValidate>
        <Stack>
          <EmailField form={form} autoFocus={email === undefined} />
          <PasswordField form={form} is="current" autoFocus={email !== undefined} />
          <Problem text={problem} />
          <Button type="submit" size="sm" loading={isSending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
      <PasskeyButton onSignedIn={onSignedIn} />
    </Stack>
  );
}
