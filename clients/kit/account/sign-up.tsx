import { Button, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMailedApp } from '../app-identity.ts';
import { anonymous, signIn } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Problem, ToSignIn } from './account-page.tsx';
import { EmailField, PasswordField, useAccountForm } from './fields.tsx';
import { MailboxLink } from './mailbox-link.tsx';
import { useSubmission } from './use-submission.ts';

/** The contract's. */
const longestName = 256;

export function SignUp() {
  const texts = useKitTexts().account.signUp;
  const navigate = useNavigate();
  const app = useMailedApp();
  const { isSending, problem, run } = useSubmission();
  const [workspace, setWorkspace] = useState('');
  const form = useAccountForm({ email: true, password: 'new' });

  const submit = form.onSubmit(async ({ email, password }) => {
    const workspaceName = workspace.trim() === '' ? undefined : workspace.trim();
    const body = { email: email.trim(), password, workspaceName, app };
    if (await run(async () => signIn(await anonymous.auth.signUp(body)))) await navigate({ to: '/' });
  });

  return (
    <AccountPage
      title={texts.title}
      intro={texts.intro}
      footer={
        <>
          <ToSignIn />
          <MailboxLink />
        </>
      }
    >
      <form onSubmit={submit} noValidate>
        <Stack>
          <EmailField form={form} />
          <PasswordField form={form} is="new" />
          <TextInput
            label={texts.workspace}
            description={texts.workspaceHint}
            maxLength={longestName}
            value={workspace}
            onChange={event => setWorkspace(event.currentTarget.value)}
          />
          <Problem text={problem} />
          <Button type="submit" size="sm" loading={isSending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}
