/** Why an account, a session or a token does not allow what is asked. */
export type AccountRefusal =
  | 'email_in_use'
  | 'wrong_password'
  | 'no_workspace'
  /** Unknown, used, revoked, or for an address that the user does not have any more. */
  | 'invalid_token'
  | 'expired_token'
  | 'login_required'
  | 'second_factor_present'
  | 'second_factor_absent'
  /** The code of the second factor is wrong, or was used. */
  | 'wrong_code'
  /** Too many wrong ones of late. */
  | 'too_many_codes'
  /** To the address, with a link that proves it, within an hour. */
  | 'too_many_mails'
  /** With the link that changes the address, of the user within an hour. */
  | 'too_many_changes'
  /** The address has to sign in by an identity provider. */
  | 'sso_required'
  /** The identity provider vouches for an address of a domain that is not its own. */
  | 'foreign_domain'
  /** Whatever is wrong with what the authenticator has signed, or who it is of. */
  | 'wrong_passkey'
  | 'too_many_passkeys'
  /** Of another user, or removed. */
  | 'passkey_absent'
  /** Of another user, or ended. */
  | 'session_absent'
  /** The invitation is unknown, or is not open any more. */
  | 'invitation_absent';

/** The error for a refusal (gateway/accounts). Thrown inside a transaction, it rolls the transaction back. */
export type RefuseAccount = (reason: AccountRefusal) => Error;
