/** For somebody who is signed in, and has left their last workspace or was removed from it: why there is nothing, and how to go on. */
import { Button } from '@mantine/core';
import { useApp } from '../app-identity.ts';
import { maySignOut, signOut } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, PageButton } from './account-page.tsx';
import { MailboxLink } from './mailbox-link.tsx';

export function NoWorkspace() {
  const { noWorkspace: texts, verify } = useKitTexts().account;
  const { path, SignOutWatch } = useApp();
  const leave = async (): Promise<void> => {
    if (!(await maySignOut())) return;
    // Without an answer it has ended here all the same.
    await signOut().catch(() => undefined);
    // Of the session that the page was opened with nothing is left to end: so nothing else leads away from here.
    location.assign(`${path}/sign-in`);
  };
  return (
    <AccountPage title={texts.title} intro={texts.intro}>
      <SignOutWatch />
      <MailboxLink />
      <PageButton to="/">{texts.proceed}</PageButton>
      <Button variant="default" size="sm" onClick={() => void leave()}>
        {verify.signOut}
      </Button>
    </AccountPage>
  );
}
