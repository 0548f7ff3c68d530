import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { useMailedApp } from '../app-identity.ts';
import { anonymous } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Done, Problem, ToSignIn } from './account-page.tsx';
import { EmailField, useAccountForm } from './fields.tsx';
import { MailboxLink } from './mailbox-link.tsx';
import { useSubmission } from './use-submission.ts';

export function ForgotPassword() {
  const texts = useKitTexts().account.forgot;
  const app = useMailedApp();
  const { isSending, problem, run } = useSubmission();
  const [sentTo, setSentTo] = useState<string>();
  const form = useAccountForm({ email: true });

  const submit = form.onSubmit(async values => {
    const email = values.email.trim();
    setSentTo(undefined);
    if (await run(async () => anonymous.auth.forgotPassword({ email, app }))) setSentTo(email);
  });

  return (
    <AccountPage title={texts.title} intro={texts.intro} footer={<ToSignIn />}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <EmailField form={form} />
          <Problem text={problem} />
          <Done text={sentTo === undefined ? undefined : texts.sent(sentTo)} />
          {sentTo !== undefined && <MailboxLink />}
          <Button type="submit" size="sm" loading={isSending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}
