/** For somebody who is signed in, and has left their last workspace or was removed from it: why there is nothing, and how to go on. */
import { Button } from '@mantine/core';
import { signOut } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, PageButton } from './account-page.tsx';
import { MailboxLink } from './mailbox-link.tsx';

export function NoWorkspace() {
  const { noWorkspace: texts, verify } = useKitTexts().account;
  return (
    <AccountPage title={texts.title} intro={texts.intro}>
      <MailboxLink />
      <PageButton to="/">{texts.proceed}</PageButton>
      <Button variant="default" size="sm" onClick={() => void signOut()}>
        {verify.signOut}
      </Button>
    </AccountPage>
  );
}
