import { Button } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../app-identity.ts';
import { anonymous } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Done, PageButton, Problem } from './account-page.tsx';
import { readLinkToken } from './problems.ts';
import { forgetLinkToken } from './link-token.ts';
import { useSubmission } from './use-submission.ts';

/** Confirms when the button is pressed, and not before: programs that check mail open every link in it. */
export function VerifyEmail() {
  const { verify: texts, problems } = useKitTexts().account;
  const { name } = useApp();
  const [token] = useState(() => readLinkToken(location.hash));
  const { isSending, problem, run } = useSubmission();
  const [isDone, setDone] = useState(false);

  const confirm = async (confirmed: string): Promise<void> => {
    if (!(await run(async () => anonymous.auth.verifyEmail({ token: confirmed })))) return;
    forgetLinkToken();
    setDone(true);
  };

  if (isDone) {
    return (
      <AccountPage title={texts.title}>
        <Done text={texts.done} />
        <PageButton to="/">{texts.goOn(name)}</PageButton>
      </AccountPage>
    );
  }
  return (
    <AccountPage title={texts.title} intro={texts.intro}>
      <Problem text={token === undefined ? problems.incompleteLink : problem} />
      <Button
        size="sm"
        loading={isSending}
        disabled={token === undefined}
        onClick={() => void (token !== undefined && confirm(token))}
      >
        {texts.submit}
      </Button>
    </AccountPage>
  );
}
