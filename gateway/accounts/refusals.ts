/** The errors that answer what an account, a session or a token does not allow. Storage asks for them inside its transactions. */
import { conflict, notFound, ServiceError } from '../../protocol/errors.ts';
import type { AccountRefusal, RefuseAccount } from '../../storage/accounts/index.ts';

/** After too many wrong codes, and too many mails, in seconds: as long as they are counted. */
const codeWaitSeconds = 900;
const mailWaitSeconds = 3_600;

/** A new one for each refusal, since an error holds the stack of its request. */
const refusals: Readonly<Record<AccountRefusal, () => ServiceError>> = {
  email_in_use: () => new ServiceError('svc/auth/email_in_use'),
  wrong_password: () => new ServiceError('svc/auth/invalid_credentials'),
  no_workspace: () => new ServiceError('svc/auth/no_workspace'),
  invalid_token: () => new ServiceError('svc/auth/invalid_token'),
  expired_token: () => new ServiceError('svc/auth/expired_token'),
  login_required: () => new ServiceError('svc/auth/login_required'),
  second_factor_present: () => conflict('An authenticator app is set up already: remove it first.'),
  second_factor_absent: () =>
    conflict('No second factor is set up: begin with POST /studio/second-factor, or add a passkey.'),
  wrong_code: () => new ServiceError('svc/auth/invalid_code'),
  too_many_codes: () => new ServiceError('svc/rate_limit/exceeded', { retryAfterSeconds: codeWaitSeconds }),
  too_many_mails: () =>
    new ServiceError('svc/rate_limit/exceeded', {
      message:
        'Five mails with a link to confirm the address were sent to it within the hour, for whichever accounts. Each works for 24 hours.',
      retryAfterSeconds: mailWaitSeconds,
    }),
  too_many_changes: () =>
    new ServiceError('svc/rate_limit/exceeded', {
      message:
        'Five links that change the address were sent within the hour. The last one works for 24 hours.',
      retryAfterSeconds: mailWaitSeconds,
    }),
  sso_required: () => new ServiceError('svc/auth/sso_required'),
  foreign_domain: () =>
    new ServiceError('svc/auth/sso_failed', {
      message: 'The workspace has not proven that it has the domain of the address.',
    }),
  wrong_passkey: () => new ServiceError('svc/auth/invalid_passkey'),
  too_many_passkeys: () => conflict('You have 20 passkeys, which is the most: remove one first.'),
  passkey_absent: notFound,
  session_absent: notFound,
  invitation_absent: notFound,
};

export const refuseAccount: RefuseAccount = reason => refusals[reason]();
