/**
 * Refuses passwords that attackers try first, as NIST SP 800-63B recommends: those of a list of common passwords, and the
 * address of the account. Rules about characters are none of it: they make passwords harder to remember and not harder to guess.
 */
import { invalid } from '../../protocol/errors.ts';

/** Common passwords in lower case. Loaded with the first password: 44 ms and 17 MB. */
let common: Promise<ReadonlySet<string>> | undefined;

async function loadCommon(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  return new Set(dictionary['passwords-common']);
}

/**
 * Rejects with 422 for a weak password.
 *
 * @param email the address of the account
 * @param path of the password in the request
 */
export async function checkNewPassword(
  password: string,
  email: string,
  path = '/body/password',
): Promise<void> {
  const text = password.normalize('NFKC').trim().toLowerCase();
  const address = email.normalize('NFKC').trim().toLowerCase();
  const own = [address, ...address.split('@')];
  if (own.includes(text)) {
    throw invalid([
      { path, message: 'must not be the e-mail address of the account', code: 'password_is_address' },
    ]);
  }
  if ((await (common ??= loadCommon())).has(text)) {
    const message = 'must not be a common password, because attackers try those first';
    throw invalid([{ path, message, code: 'password_is_common' }]);
  }
}
