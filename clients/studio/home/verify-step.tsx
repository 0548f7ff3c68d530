/** Proof of the e-mail address: the mail again, and where mails go on a node that sends none. */
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Done, Problem } from '../../kit/account/account-page.tsx';
import { MailboxLink } from '../../kit/account/mailbox-link.tsx';
import { useSubmission } from '../../kit/account/use-submission.ts';
import { skein } from '../../kit/browser-session.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTenant } from '../shell/tenant.tsx';

export function VerifyStep() {
  const texts = useKitTexts().account.verify;
  const { me } = useTenant();
  const { isSending, problem, run } = useSubmission({ tooMany: texts.tooMany });
  const [isSent, setSent] = useState(false);
  const resend = async (): Promise<void> => {
    setSent(false);
    setSent(await run(async () => skein.auth.resendVerification()));
  };
  return (
    <>
      <Text size="sm" mb={8}>
        {texts.mailed(me.email)}
      </Text>
      <Group gap="md">
        <Button variant="default" loading={isSending} onClick={() => void resend()}>
          {texts.resend}
        </Button>
        <MailboxLink />
      </Group>
      <Problem text={problem} />
      <Done text={isSent ? texts.resent : undefined} />
    </>
  );
}
