/** Address and password: what the sign-in page and the dialog of an expired session share. */
import { Button, Stack } from '@mantine/core';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { Problem } from './account-page.tsx';
import { EmailField, PasswordField, useAccountForm } from './fields.tsx';
import { readChallenge } from './second-step.tsx';
import { useSubmission } from './use-submission.ts';

interface SignInFormProps {
  /** Whose session is over, where that is known. */
  readonly email?: string;
  /** The account wants a code as well. */
  readonly onChallenge: (challenge: string) => void;
  readonly onSignedIn: () => void;
}

export function SignInForm({ email, onChallenge, onSignedIn }: SignInFormProps) {
  const texts = useKitTexts().account.signIn;
  const { isSending, problem, run } = useSubmission();
  const form = useAccountForm({ email: true, password: 'current' }, email);
  const submit = form.onSubmit(async ({ email: address, password }) => {
    let wanted: string | undefined;
    const isIn = await run(async () => {
      try {
        signIn(await anonymous.auth.login({ email: address.trim(), password }));
      } catch (error) {
        wanted = readChallenge(error);
        if (wanted === undefined) throw error;
      }
    });
    if (wanted !== undefined) onChallenge(wanted);
    else if (isIn) onSignedIn();
  });
  return (
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
  );
}
