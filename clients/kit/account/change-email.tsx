/** Where the mail to a new address leads: with the password of the account, the address becomes the account's. */
import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../app-identity.ts';
import { anonymous } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Done, PageButton, Problem, ToSignIn } from './account-page.tsx';
import { PasswordField, useAccountForm } from './fields.tsx';
import { forgetLinkToken } from './link-token.ts';
import { readLinkToken } from './problems.ts';
import { useSubmission } from './use-submission.ts';

export function ChangeEmail() {
  const { changeEmail: texts, verify, problems } = useKitTexts().account;
  const { name } = useApp();
  const [token] = useState(() => readLinkToken(location.hash));
  const { isSending, problem, run } = useSubmission({
    wrong: problems.wrongPassword,
    ssoRequired: texts.ssoRequired,
  });
  const [isDone, setDone] = useState(false);
  const form = useAccountForm({ password: 'current' });

  const submit = form.onSubmit(async ({ password }) => {
    if (token === undefined) return;
    if (!(await run(async () => anonymous.account.confirmEmail({ token, password })))) return;
    forgetLinkToken();
    setDone(true);
  });

  if (isDone) {
    return (
      <AccountPage title={texts.title}>
        <Done text={texts.done} />
        <PageButton to="/">{verify.goOn(name)}</PageButton>
      </AccountPage>
    );
  }
  return (
    <AccountPage title={texts.title} intro={texts.intro} footer={<ToSignIn />}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <PasswordField form={form} is="current" autoFocus />
          <Problem text={token === undefined ? problems.incompleteLink : problem} />
          <Button type="submit" size="sm" loading={isSending} disabled={token === undefined}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}
