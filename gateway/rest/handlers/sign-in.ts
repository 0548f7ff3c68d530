/** What everybody who signs in is answered: an access token, and the refresh cookie. */
import type { TokenResponse } from '../../../protocol/resources/studio.ts';
import type { Client, OpenSession } from '../../../storage/accounts/sessions.ts';
import { accessTokenSeconds, type AccessTokens } from '../../auth/access-tokens.ts';
import type { RefreshCookie } from '../../auth/refresh-cookie.ts';
import type { Answer, Call } from '../handler.ts';
import { originOf } from './signed-in.ts';

export interface SignInServices {
  readonly tokens: AccessTokens;
  readonly cookie: RefreshCookie;
}

/** The answer for a session that was opened or refreshed at `now` (epoch milliseconds). */
export function signIn({ tokens, cookie }: SignInServices) {
  return async (session: OpenSession, now: number): Promise<Answer> => {
    const body: TokenResponse = {
      accessToken: await tokens.issue(session.userId, session.sessionId),
      tokenType: 'Bearer',
      expiresIn: accessTokenSeconds,
    };
    return {
      body,
      headers: { 'Set-Cookie': cookie.set(session.refreshToken, session.refreshExpiresAt - now) },
    };
  };
}

/** Where a session comes from. */
export function clientOf(call: Pick<Call, 'requestId' | 'address' | 'header'>): Client {
  return { ...originOf(call), userAgent: call.header('user-agent') };
}
