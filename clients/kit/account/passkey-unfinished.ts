/** The code by which @simplewebauthn/browser names it. */
const known = 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED';

/** The user has not finished, or the authenticator could not: browsers do not tell which, and nothing was sent. */
export class PasskeyUnfinished extends Error {
  override readonly name = 'PasskeyUnfinished';
  /** The authenticator has a passkey of the account already. */
  readonly isKnown: boolean;

  constructor(cause: unknown) {
    super('the browser gave no passkey', { cause });
    this.isKnown = cause instanceof Error && 'code' in cause && cause.code === known;
  }
}
