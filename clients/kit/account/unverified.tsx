/** For somebody whose e-mail address nothing has proved yet, on a server that wants it proved. */
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMailedApp } from '../app-identity.ts';
import { askToSignOut, skein } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Done, Problem } from './account-page.tsx';
import { MailboxLink } from './mailbox-link.tsx';
import { useSubmission } from './use-submission.ts';

export default function Unverified() {
  const texts = useKitTexts().account.verify;
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: () => skein.auth.me(), staleTime: Infinity });
  const { isSending, problem, run } = useSubmission({ tooMany: texts.tooMany });
  const [isSent, setSent] = useState(false);
  const app = useMailedApp();
  const resend = async (): Promise<void> =>
    setSent(await run(async () => skein.auth.resendVerification({ app })));
  return (
    <AccountPage title={texts.unverified} intro={me === undefined ? undefined : texts.mailed(me.email)}>
      <MailboxLink />
      <Problem text={problem} />
      <Done text={isSent ? texts.resent : undefined} />
      <Button size="sm" onClick={() => location.reload()}>
        {texts.proceed}
      </Button>
      <Group grow>
        <Button variant="default" size="sm" loading={isSending} onClick={() => void resend()}>
          {texts.resend}
        </Button>
        <Button variant="default" size="sm" onClick={() => void askToSignOut()}>
          {texts.signOut}
        </Button>
      </Group>
    </AccountPage>
  );
}
