/** Who operates the service as a whole (INSTANCE_ADMINS): whoever has proven that one of these addresses is theirs. */
import { emailKey } from '../../storage/mail/index.ts';

export class InstanceAdmins {
  readonly #keys: ReadonlySet<string>;

  constructor(emails: readonly string[]) {
    this.#keys = new Set(emails.map(emailKey));
  }

  has({ email, emailVerified }: { readonly email: string; readonly emailVerified: boolean }): boolean {
    return emailVerified && this.#keys.has(emailKey(email));
  }
}
