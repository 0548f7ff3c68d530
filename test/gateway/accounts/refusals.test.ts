import t from 'tap';
import { refuseAccount } from '../../../gateway/accounts/refusals.ts';
import { errors, ServiceError } from '../../../protocol/errors.ts';
import type { AccountRefusal } from '../../../storage/accounts/refusal.ts';

const statuses: Readonly<Record<AccountRefusal, number>> = {
  email_in_use: 409,
  wrong_password: 401,
  no_workspace: 403,
  invalid_token: 401,
  expired_token: 401,
  login_required: 401,
  second_factor_present: 409,
  second_factor_absent: 409,
  wrong_code: 401,
  too_many_codes: 429,
  too_many_mails: 429,
  too_many_changes: 429,
  sso_required: 403,
  foreign_domain: 401,
  wrong_passkey: 401,
  too_many_passkeys: 409,
  passkey_absent: 404,
  session_absent: 404,
  invitation_absent: 404,
};

t.test('each refusal has an error of the catalogue, a new one each time with its own stack', async t => {
  for (const [reason, status] of Object.entries(statuses) as [AccountRefusal, number][]) {
    const error = refuseAccount(reason);
    t.ok(error instanceof ServiceError, reason);
    t.equal(errors[(error as ServiceError).code].http, status, reason);
    t.not(refuseAccount(reason), error);
  }
});
