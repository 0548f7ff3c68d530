import { Button, Stack } from '@mantine/core';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useApp } from '../app-identity.ts';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, PageLink, Problem } from './account-page.tsx';
import { EmailField, PasswordField, useAccountForm } from './fields.tsx';
import { isSignUpOpen } from './sign-up-open.ts';
import { toPathIn } from './problems.ts';
import { readChallenge, SecondStep } from './second-step.tsx';
import { useSubmission } from './use-submission.ts';

export function SignIn() {
  const texts = useKitTexts().account.signIn;
  const router = useRouter();
  const { path } = useApp();
  const { to } = useSearch({ from: '/sign-in' });
  const { isSending, problem, run } = useSubmission();
  const form = useAccountForm({ email: true, password: 'current' });
  const [challenge, setChallenge] = useState<string>();
  const proceed = () => router.history.push(`${path}${toPathIn(path, to)}`);

  const submit = form.onSubmit(async ({ email, password }) => {
    let wanted: string | undefined;
    const isIn = await run(async () => {
      try {
        signIn(await anonymous.auth.login({ email: email.trim(), password }));
      } catch (error) {
        wanted = readChallenge(error);
        if (wanted === undefined) throw error;
      }
    });
    if (wanted !== undefined) setChallenge(wanted);
    else if (isIn) proceed();
  });

  if (challenge !== undefined) {
    return <SecondStep challenge={challenge} onSignedIn={proceed} onLeave={() => setChallenge(undefined)} />;
  }

  return (
    <AccountPage
      title={texts.title}
      footer={
        <>
          <PageLink to="/forgot-password">{texts.forgot}</PageLink>
          {isSignUpOpen && <PageLink to="/sign-up">{texts.signUp}</PageLink>}
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <EmailField form={form} />
          <PasswordField form={form} is="current" />
          <Problem text={problem} />
          <Button type="submit" size="sm" loading={isSending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}
