/** What to do about each error of the catalogue. */
import type { ErrorCode } from '../../protocol/errors.ts';

export const advice: Readonly<Record<ErrorCode, string>> = {
  'svc/auth/missing_credentials':
    'Send `Authorization: Bearer <token>` with an API key or a Studio access token; for a refresh, the refresh cookie.',
  'svc/auth/insufficient_scope':
    'Use a key that has the scopes of the operation, or have an owner give you a role that may do this. Some operations are closed to every key.',
  'svc/auth/expired_token':
    'Refresh the session for a new access token. An expired link is mailed again: verification by resendVerification, a reset by forgotPassword, an invitation by whoever invited you.',
  'svc/auth/invalid_token': 'Log in again. A link works once: ask for a new one.',
  'svc/auth/invalid_api_key':
    'Check that the whole secret is sent, without spaces. If the key was revoked or has expired, create another one.',
  'svc/auth/signup_disabled': 'Ask somebody of the workspace to invite you.',
  'svc/auth/email_domain_not_allowed':
    'Use an address of your organisation; throw-away mailboxes are never taken.',
  'svc/auth/email_in_use': 'Log in, or reset the password.',
  'svc/auth/invalid_credentials': 'Check the address and the password, or reset the password.',
  'svc/auth/no_workspace': 'Ask somebody of a workspace to invite you.',
  'svc/auth/email_not_verified':
    'Follow the link that was mailed at sign-up; resendVerification mails another one. The sandbox is open meanwhile.',
  'svc/auth/login_required': 'The invited address has an account: log in to it, or send its password along.',
  'svc/validation/invalid_request':
    'Mend what `details.issues` lists: each has a path, a message and a code. 400 means that the body is not JSON at all, 413 that it is over 1 MiB. Sending the same again does not help.',
  'svc/runtime/not_found':
    'Check the id, and that the credential belongs to the same project and environment. What is another tenant’s is answered the same.',
  'svc/runtime/internal_error':
    'A fault of ours. Send it again after a moment; if it stays, report the requestId.',
  'svc/runtime/invalid_request':
    'The request makes no sense as it is: a cursor of another list, an Idempotency-Key that can be none, a method that the path does not have. Begin the list anew.',
  'svc/runtime/idempotency_conflict':
    'Use a new Idempotency-Key for a new request. If it is the same request, its first try is still being worked on: wait a moment.',
  'svc/runtime/missing_idempotency_key':
    'Send the header Idempotency-Key: 1 to 255 visible ASCII characters, a new one for each message, the same one when you repeat it.',
  'svc/runtime/conflict':
    'Read the resource, see what stands against it (the message says what), and decide anew. Sending the same again does not help.',
  'svc/runtime/not_implemented': 'Nothing to do: this path only shows the shape of an event.',
  'svc/runtime/unavailable':
    'Wait for the seconds of Retry-After and send it again, with the same Idempotency-Key.',
  'svc/rate_limit/exceeded':
    'Wait for the seconds of Retry-After. The X-RateLimit headers of every answer tell how much is left: refused requests count as well.',
  'svc/console/not_found': 'Check the id of the project or member, and that you are somebody in it.',
  'svc/console/forbidden': 'Ask a project owner to make you a Console member, or to give you another role.',
  'svc/chatapp/invalid_verify_token':
    'Copy the verify token of the partner app into the provider’s settings once more.',
  'svc/chatapp/invalid_signature':
    'Check that the partner app’s secret here is the one that the provider signs with.',
  'svc/chatapp/connect_failed':
    'Check the token, the business account and the phone number; the details say which the provider refused.',
  'svc/chatapp/channel_not_connected': 'Connect the channel first.',
  'svc/chatapp/webhook_identity_mismatch':
    'The webhook address has the id of another channel in it: correct it at the provider.',
  'svc/chatapp/template_required':
    'Send an approved template. The window opens again for 24 hours when the participant writes.',
  'svc/partner_app/in_use': 'Disconnect the channels that use the partner app, then revoke it.',
  'svc/agent_runs/suggestion_already_resolved':
    'Somebody was faster. Read the run: its trace says what became of the suggestion.',
};
