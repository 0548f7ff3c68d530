/**
 * Refuses passwords that attackers try first, as NIST SP 800-63B recommends: those of a list of common passwords, and the
 * address of the account. Rules about characters are none of it: they make passwords harder to remember and not harder to guess.
 */
import { dictionary } from '@zxcvbn-ts/language-common';
import { invalid } from '../../protocol/errors.ts';

/** In lower case. */
const common: ReadonlySet<string> = new Set(dictionary['passwords-common']);

/**
 * Throws 422 for a weak password.
 *
 * @param email the address of the account
 * @param path of the password in the request
 */
export function checkNewPassword(password: string, email: string, path = '/body/password'): void {
  const text = password.normalize('NFKC').trim().toLowerCase();
  const address = email.normalize('NFKC').trim().toLowerCase();
  const own = [address, ...address.split('@')];
  if (own.includes(text)) {
    throw invalid([
      { path, message: 'must not be the e-mail address of the account', code: 'password_is_address' },
    ]);
  }
  if (common.has(text)) {
    const message = 'must not be a common password, because attackers try those first';
    throw invalid([{ path, message, code: 'password_is_common' }]);
  }
}
