/** What to do about each error of the catalogue. */
import type { ErrorCode } from '../../protocol/errors.ts';

export const advice: Readonly<Record<ErrorCode, string>> = {
  'svc/auth/missing_credentials':
    'Send `Authorization: Bearer <token>` with an API key or a Studio access token; for a refresh, the refresh cookie.',
  'svc/auth/insufficient_scope':
    'The message says which scope or role is missing. Use a key that has the scopes of the operation, or ask an owner for a role that may call it. Some operations accept no API key at all.',
  'svc/auth/expired_token':
    'Refresh the session to get a new access token. To get a new link, call resendVerification or forgotPassword, or ask for another invitation.',
  'svc/auth/invalid_token':
    'Log in again. Where the message asks for a Studio access token, an API key is no way in. A link works once: ask for a new one.',
  'svc/auth/invalid_api_key':
    'Check that the whole secret is sent, without spaces. If the key was revoked or has expired, create another one.',
  'svc/auth/signup_disabled': 'Ask a member of the workspace to invite you.',
  'svc/auth/email_domain_not_allowed':
    'Use an address of your organisation. Disposable mailboxes are not accepted.',
  'svc/auth/email_in_use': 'Log in, or reset the password.',
  'svc/auth/invalid_credentials': 'Check the address and the password, or reset the password.',
  'svc/auth/second_factor_required':
    'Send `details.challenge` within 5 minutes: with a code of the authenticator app, or a recovery code, to POST /studio/auth/login/second-factor, or, where `details.methods` has passkey, with the answer of one to POST /studio/auth/login/passkey.',
  'svc/auth/invalid_code':
    'Wait for the next code of the app, and check the clock of its device: 30 seconds are tolerated. Each code works once. After 5 wrong ones log in again.',
  'svc/auth/invalid_passkey':
    'Begin again, with new options, on a page of the public address: each challenge is good for one answer, and the authenticator has to verify its user. If the passkey was removed, sign in in another way.',
  'svc/auth/sso_required':
    'Begin with POST /studio/auth/sso. An owner of the workspace still signs in by password, and can take the demand back.',
  'svc/auth/sso_failed':
    'The message says what is wrong: begin again, or ask whoever looks after the identity provider. It has to verify the e-mail address, whose domain the workspace has proven.',
  'svc/auth/no_workspace': 'Ask a member of a workspace to invite you.',
  'svc/auth/email_not_verified':
    'Follow the link that was mailed at sign-up; resendVerification mails another one. Until then you can use the sandbox.',
  'svc/auth/login_required': 'The invited address has an account: log in to it, or send its password along.',
  'svc/validation/invalid_request':
    'Correct what `details.issues` lists: each issue has a path, a message and a code. 400 means that the body is not JSON, 413 that it is larger than 1 MiB, 415 that it is compressed. Sending the same request again does not help.',
  'svc/runtime/storage_full':
    'The database of the service has no room left: the operator has to free space, or to raise `databaseBytes` in LIMITS. Reads and deletions work. Send the request again after the time in `Retry-After`, with the same Idempotency-Key.',
  'svc/runtime/not_found':
    'Check the id, and that the credential belongs to the same project and environment. `details.issues` names the field of the body that refers to it, if it was one. The answer is the same for a resource of another tenant.',
  'svc/runtime/internal_error':
    'This is a fault of the server. Try again later; if it persists, report the requestId.',
  'svc/runtime/invalid_request':
    'The request is well formed but cannot be used: a cursor of another list, a malformed Idempotency-Key, a method that the path does not have. Start the list from its first page.',
  'svc/runtime/idempotency_conflict':
    'By details.reason. other_payload: use a new Idempotency-Key for a new request. in_progress: the first attempt is still being processed; repeat the request with the same key after Retry-After.',
  'svc/runtime/missing_idempotency_key':
    'Send the header Idempotency-Key: 1 to 255 visible ASCII characters, a new one for each message, the same one when you repeat it.',
  'svc/runtime/conflict':
    'Read the resource to see what conflicts with the request (the message says what). Sending the same request again does not help.',
  'svc/runtime/precondition_failed':
    'Read the resource again, decide whether the change is still wanted, and send it with the new ETag in If-Match.',
  'svc/runtime/not_implemented': 'Do nothing: this path only shows the shape of an event.',
  'svc/runtime/unavailable':
    'Wait for the number of seconds in Retry-After, then send the request again with the same Idempotency-Key.',
  'svc/rate_limit/exceeded':
    'Wait for the number of seconds in Retry-After. `details.bucket` says which quota is used up. The X-RateLimit headers of every answer say how much is left. Refused requests count as well.',
  'svc/console/not_found': 'Check the id of the project or member, and that you have a role in the project.',
  'svc/console/forbidden': 'Ask a project owner to make you a Console member, or to give you another role.',
  'svc/chatapp/invalid_verify_token':
    'Copy the verify token of the partner app into the provider’s settings again.',
  'svc/chatapp/invalid_signature':
    'Check that the partner app’s secret is the one that the provider signs with.',
  'svc/chatapp/connect_failed':
    'Check the token, the business account and the phone number; the details say which the provider refused.',
  'svc/chatapp/channel_not_connected': 'Connect the channel first.',
  'svc/chatapp/webhook_identity_mismatch':
    'The webhook address contains the id of another channel: correct it at the provider.',
  'svc/chatapp/template_required':
    'Send an approved template. The window opens again for 24 hours when the participant writes.',
  'svc/partner_app/in_use':
    'Disconnect the channels that use the partner app (`details.channels`), then revoke it.',
  'svc/agent_runs/suggestion_already_resolved':
    'Another person resolved the suggestion first. Read the run: its trace says how it was resolved.',
};
