/** What to tell somebody whom the server refuses. */
import { ApiError, ConnectionError, TimeoutError } from '../../sdk/index.ts';
import { PasskeyUnfinished } from './passkey-unfinished.ts';

/** The texts there are for it. */
export interface ProblemTexts extends Readonly<Record<KnownProblem, string>> {
  readonly other: (reason: string, requestId: string) => string;
}

export type KnownProblem =
  | (typeof known)[keyof typeof known]
  | (typeof weakPasswords)[keyof typeof weakPasswords]
  | 'unreachable'
  | 'incompleteLink'
  | 'unfinishedPasskey'
  | 'knownPasskey';

const known = {
  'svc/auth/invalid_credentials': 'wrong',
  'svc/auth/second_factor_required': 'codeNeeded',
  'svc/auth/invalid_code': 'wrongCode',
  'svc/auth/invalid_passkey': 'wrongPasskey',
  'svc/auth/sso_required': 'ssoRequired',
  'svc/auth/sso_failed': 'ssoFailed',
  'svc/auth/no_workspace': 'noWorkspace',
  'svc/auth/signup_disabled': 'closed',
  'svc/auth/email_in_use': 'inUse',
  'svc/auth/email_domain_not_allowed': 'domain',
  'svc/auth/email_not_verified': 'unverified',
  'svc/auth/invalid_token': 'usedLink',
  // An invitation that is used or taken back.
  'svc/runtime/not_found': 'usedLink',
  'svc/auth/expired_token': 'expiredLink',
  'svc/auth/login_required': 'wrongPassword',
  'svc/rate_limit/exceeded': 'tooMany',
  'svc/runtime/unavailable': 'busy',
} as const;

/** Codes of issues (422). */
const weakPasswords = {
  password_is_common: 'commonPassword',
  password_is_address: 'addressAsPassword',
} as const;

/** In the reader's language where the code is known, else in the server's words. */
export function describeProblem(error: unknown, texts: ProblemTexts): string {
  if (error instanceof ConnectionError || error instanceof TimeoutError) return texts.unreachable;
  if (error instanceof PasskeyUnfinished) return error.isKnown ? texts.knownPasskey : texts.unfinishedPasskey;
  if (!(error instanceof ApiError)) throw error;
  const names: Readonly<Record<string, KnownProblem | undefined>> = { ...known, ...weakPasswords };
  const name = names[error.code] ?? names[findIssueCode(error)];
  return name === undefined ? texts.other(error.reason, error.requestId ?? '') : texts[name];
}

/** The code of the first issue of a refused request; empty: it has none. */
function findIssueCode({ details }: ApiError): string {
  const issues: unknown = details?.['issues'];
  const [first] = Array.isArray(issues) ? (issues as readonly { readonly code?: unknown }[]) : [];
  return typeof first?.code === 'string' ? first.code : '';
}

/** The token of a mailed link. It is in the fragment of the address, which browsers send to no server. */
export function readLinkToken(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('token');
  return token === null || token === '' ? undefined : token;
}

const passwordLengths = { least: 8, most: 256 };

export function isPassword(text: string): boolean {
  const { length } = Array.from(text);
  return length >= passwordLengths.least && length <= passwordLengths.most;
}

/** Roughly: whether it is one the server says. */
export const isEmail = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text.trim());

/** A path as an app writes its own. What browsers leave out of addresses (tabs) or read as `/` (`\\`) would make it another one. */
const plainPath = /^\/(?!\/)[^\s\p{Control}\\]*$/u;

/** Where to go after signing in: a page of the app, and nothing else. Beneath the app's own path. */
export function toPathIn(app: string, to: string | undefined): string {
  const path =
    to === app || to?.startsWith(`${app}/`) || to?.startsWith(`${app}?`) ? to.slice(app.length) : (to ?? '/');
  return plainPath.test(path) ? path : '/';
}
