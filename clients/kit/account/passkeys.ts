/**
 * Passkeys in the browser. They belong to one origin, which the node writes into its pages: at another address of the same node, an IP address
 * for one, browsers have none. The library that speaks with authenticators is loaded when one is used.
 */
import type * as Library from '@simplewebauthn/browser';
import type { TokenResponse } from '../../sdk/index.ts';
import { anonymous } from '../browser-session.ts';
import { PasskeyUnfinished } from './passkey-unfinished.ts';

type Options = Readonly<Record<string, unknown>>;

/** Undefined in a page of the development server. */
export const passkeyOrigin = document.querySelector<HTMLMetaElement>('meta[name="skein-passkeys"]')?.content;

/** Whether the browser knows passkeys at all, at the right address. */
export const knowsPasskeys = typeof PublicKeyCredential === 'function';
export const isPasskeyPlace = passkeyOrigin === undefined || passkeyOrigin === location.origin;

/** @param challenge of a login whose password was right; undefined: the passkey signs in alone */
export async function askForToken(challenge: string | undefined): Promise<TokenResponse> {
  const named = challenge === undefined ? {} : { challenge };
  const { options } = await anonymous.auth.beginPasskeyLogin(named);
  const response = await answer(async library =>
    library.startAuthentication({ optionsJSON: options as never }),
  );
  return anonymous.auth.loginWithPasskey({ ...named, response });
}

/** Asks for a passkey of the signed-in user, for a change to the account. */
export async function answerWithPasskey(): Promise<Record<string, unknown>> {
  const { options } = await anonymous.auth.beginPasskeyLogin({});
  return answer(async library => library.startAuthentication({ optionsJSON: options as never }));
}

/** What the authenticator says of a new passkey. */
export function makePasskey(options: Options): Promise<Options> {
  return answer(async library => library.startRegistration({ optionsJSON: options as never }));
}

async function answer(ask: (library: typeof Library) => Promise<object>): Promise<Options> {
  const library = await import('@simplewebauthn/browser');
  try {
    return { ...(await ask(library)) };
  } catch (error) {
    throw new PasskeyUnfinished(error);
  }
}
