/**
 * An invitation does not say whether its address has an account: the answer to the first try does.
 *
 *   first -> joined, or the password is wanted: that of the account, or one for a new account -> joined
 */
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { useApp } from '../app-identity.ts';
import { anonymous, session, signIn, skein } from '../browser-session.ts';
import { ApiError, type TokenResponse, ValidationError } from '../../sdk/index.ts';
import { useKitTexts } from '../texts/index.ts';
import { AccountPage, Problem, ToSignIn } from './account-page.tsx';
import { PasswordField, useAccountForm } from './fields.tsx';
import { readLinkToken } from './problems.ts';
import { useSubmission } from './use-submission.ts';

type Wanted = 'current' | 'new';

/** As who is signed in, where the invitation is theirs; else with a password. */
async function accept(token: string, password: string | undefined): Promise<TokenResponse> {
  if (password === undefined && (await session.getToken()) !== undefined) {
    try {
      return await skein.auth.acceptInvitation({ token });
    } catch (error) {
      // It is for another address.
      if (!(error instanceof ApiError) || error.status !== 403) throw error;
    }
  }
  return anonymous.auth.acceptInvitation({ token, password });
}

function findWanted(error: unknown): Wanted | undefined {
  if (error instanceof ValidationError) return 'new';
  return error instanceof ApiError && error.code === 'svc/auth/login_required' ? 'current' : undefined;
}

export function Join() {
  const { join: texts, problems } = useKitTexts().account;
  const { path } = useApp();
  const [token] = useState(() => readLinkToken(location.hash));
  const [wanted, setWanted] = useState<Wanted>();
  const { isSending, problem, run } = useSubmission({ wrongPassword: texts.wrong });
  const form = useAccountForm({ password: wanted });

  const submit = form.onSubmit(async ({ password }) => {
    if (token === undefined) return;
    const isIn = await run(async () => {
      try {
        signIn(await accept(token, wanted === undefined ? undefined : password));
      } catch (error) {
        const next = wanted === undefined ? findWanted(error) : undefined;
        if (next === undefined) throw error;
        return setWanted(next);
      }
      // Whoever was signed in before: nothing of it stays.
      location.replace(path);
    });
    if (!isIn) form.setFieldValue('password', '');
  });

  return (
    <AccountPage title={texts.title} intro={texts.intro} footer={<ToSignIn />}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <div role="status">
            {wanted !== undefined && <Text size="sm">{wanted === 'new' ? texts.fresh : texts.known}</Text>}
          </div>
          {wanted !== undefined && <PasswordField form={form} is={wanted} autoFocus />}
          <Problem text={token === undefined ? problems.incompleteLink : problem} />
          <Button type="submit" size="sm" loading={isSending} disabled={token === undefined}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
    </AccountPage>
  );
}
