import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { anonymous } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Done, PageButton, Problem, ToSignIn } from './account-page.tsx';
import { PasswordField, useAccountForm } from './fields.tsx';
import { readLinkToken } from './problems.ts';
import { forgetLinkToken } from './link-token.ts';
import { useSubmission } from './use-submission.ts';

export function ResetPassword() {
  const { reset: texts, signIn, problems } = useKitTexts().account;
  const [token] = useState(() => readLinkToken(location.hash));
  const { isSending, problem, run } = useSubmission();
  const [isDone, setDone] = useState(false);
  const form = useAccountForm({ password: 'new' });

  const submit = form.onSubmit(async ({ password }) => {
    if (token === undefined) return;
    if (!(await run(async () => anonymous.auth.resetPassword({ token, password })))) return;
    forgetLinkToken();
    setDone(true);
  });

  if (isDone) {
    return (
      <AccountPage title={texts.title}>
        <Done text={texts.done} />
        <PageButton to="/sign-in">{signIn.submit}</PageButton>
      </AccountPage>
    );
  }
  return (
    <AccountPage title={texts.title} intro={texts.intro} footer={<ToSignIn />}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <PasswordField form={form} is="new" autoFocus />
          <Problem text={token === undefined ? problems.incompleteLink : problem} />
          <Button type="submit" size="sm" loading={isSending} disabled={token === undefined}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}
