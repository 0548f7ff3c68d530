import { Button } from '@mantine/core';
import { useState } from 'react';
import { anonymous } from '../browser-session.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Done, Problem } from './account-page.tsx';
import { forgetLinkToken } from './link-token.ts';
import { readLinkToken } from './problems.ts';
import { useSubmission } from './use-submission.ts';

/** For the owner of an address with which a stranger has made an account: removes it when the button is pressed, and not before. */
export function RejectAccount() {
  const { reject: texts, problems } = useKitTexts().account;
  const [token] = useState(() => readLinkToken(location.hash));
  const { isSending, problem, run } = useSubmission();
  const [isDone, setDone] = useState(false);

  const reject = async (rejected: string): Promise<void> => {
    if (!(await run(async () => anonymous.auth.rejectAccount({ token: rejected })))) return;
    forgetLinkToken();
    setDone(true);
  };

  return (
    <AccountPage title={texts.title} intro={isDone ? undefined : texts.intro}>
      <Done text={isDone ? texts.done : undefined} />
      <Problem text={token === undefined ? problems.incompleteLink : problem} />
      {!isDone && (
        <Button
          size="sm"
          color="red.8"
          loading={isSending}
          disabled={token === undefined}
          onClick={() => void (token !== undefined && reject(token))}
        >
          {texts.submit}
        </Button>
      )}
    </AccountPage>
  );
}
