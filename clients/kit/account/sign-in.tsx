import { Button, Stack } from '@mantine/core';
import { useRouter, useSearch } from '@tanstack/react-router';
import { useApp } from '../app-identity.ts';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, PageLink, Problem } from './account-page.tsx';
import { EmailField, PasswordField, useAccountForm } from './fields.tsx';
import { isSignUpOpen } from './sign-up-open.ts';
import { toPathIn } from './problems.ts';
import { useSubmission } from './use-submission.ts';

export function SignIn() {
  const texts = useKitTexts().account.signIn;
  const router = useRouter();
  const { path } = useApp();
  const { to } = useSearch({ from: '/sign-in' });
  const { isSending, problem, run } = useSubmission();
  const form = useAccountForm({ email: true, password: 'current' });

  const submit = form.onSubmit(async ({ email, password }) => {
    const isIn = await run(async () => signIn(await anonymous.auth.login({ email: email.trim(), password })));
    if (isIn) router.history.push(`${path}${toPathIn(path, to)}`);
  });

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
