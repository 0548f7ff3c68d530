/** What the server's refusals mean, by their code. Loaded at the first one. */
import type { ErrorCode } from '../../sdk/index.ts';
import { english } from './en.ts';

/** The server's words say more than the code: what is in the way, or what is wrong with a field. */
const inItsWords = (reason: string): string => reason;

export const errors = {
  'svc/auth/missing_credentials': 'You are signed out. Sign in again.',
  'svc/auth/insufficient_scope': 'Your role does not allow this.',
  'svc/auth/expired_token': 'Your session has ended. Sign in again.',
  'svc/auth/invalid_token': 'Your session has ended. Sign in again.',
  'svc/auth/invalid_credentials': 'The e-mail address or the password is wrong.',
  'svc/auth/invalid_code': 'This code is wrong, or was used before.',
  'svc/auth/no_workspace': 'You are not a member of any workspace.',
  'svc/auth/email_in_use': 'There is an account with this e-mail address.',
  'svc/auth/email_domain_not_allowed': 'Addresses of this domain are not accepted here.',
  'svc/auth/email_not_verified': 'Confirm your e-mail address first.',
  'svc/auth/login_required': 'Sign in first.',
  'svc/validation/invalid_request': inItsWords,
  'svc/runtime/invalid_request': inItsWords,
  'svc/runtime/conflict': inItsWords,
  'svc/runtime/not_found': 'This does not exist, or you may not see it.',
  'svc/runtime/idempotency_conflict':
    'The same request is still in progress. Check whether it has happened before you try again.',
  'svc/runtime/precondition_failed': 'Somebody has changed this in the meantime. Review it before you save.',
  'svc/runtime/storage_full':
    'The server has no room to save this. Reading and deleting still work. Tell the operator of the server.',
  'svc/runtime/unavailable': 'The server is busy. Try again in a moment.',
  'svc/runtime/internal_error': (_reason: string, requestId: string) =>
    `Something went wrong on the server. If it happens again, report this number: ${requestId}`,
  'svc/rate_limit/exceeded': 'Too many requests. Wait a moment, then try again.',
  'svc/console/not_found': 'This does not exist, or you may not see it.',
  'svc/console/forbidden': 'You are not a member of this project.',
  'svc/chatapp/connect_failed': inItsWords,
  'svc/chatapp/channel_not_connected': 'This channel is not connected yet.',
  'svc/chatapp/template_required':
    'The 24 hours after the last message of the participant are over: send a template.',
  'svc/partner_app/in_use': 'Channels still use this partner app.',
  'svc/agent_runs/suggestion_already_resolved': 'Somebody else has already decided on this suggestion.',
} satisfies Partial<Record<ErrorCode, ErrorText>>;

export type ErrorText = string | ((reason: string, requestId: string) => string);

/** What can be said of every error. */
export interface PlainErrorTexts {
  /** By the code; missing: they could not be loaded. */
  readonly errors?: Readonly<Partial<Record<string, ErrorText>>>;
  /** Of a code that is not among them, in the server's words. */
  readonly other: (reason: string, requestId: string) => string;
  readonly unreachable: string;
}

export interface ErrorTexts extends PlainErrorTexts {
  readonly errors: Readonly<Record<keyof typeof errors, ErrorText>>;
}

const { other, unreachable } = english.account.problems;

export const englishErrors: ErrorTexts = { errors, other, unreachable };
