/**
 * The error catalogue: one row per code, with its HTTP status and its gRPC status. REST and gRPC both take the status from this table,
 * and nothing else decides it.
 */

/** gRPC status codes that the catalogue uses (https://grpc.github.io/grpc/core/md_doc_statuscodes.html). */
export const grpcStatus = {
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

interface ErrorRow {
  /** The default HTTP status. An error may have another one (`ServiceErrorOptions.http`). */
  readonly http: number;
  readonly grpc: keyof typeof grpcStatus;
  readonly message: string;
}

export const errors = {
  'svc/auth/missing_credentials': { http: 401, grpc: 'UNAUTHENTICATED', message: 'Credentials are missing.' },
  'svc/auth/insufficient_scope': {
    http: 403,
    grpc: 'PERMISSION_DENIED',
    message: 'The credential lacks the required scope or role.',
  },
  'svc/auth/expired_token': { http: 401, grpc: 'UNAUTHENTICATED', message: 'The token has expired.' },
  'svc/auth/invalid_token': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'The token is invalid, revoked or malformed.',
  },
  'svc/auth/invalid_api_key': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'The API key is invalid or revoked.',
  },
  'svc/auth/signup_disabled': {
    http: 403,
    grpc: 'PERMISSION_DENIED',
    message: 'Public sign-up is disabled here.',
  },
  'svc/auth/email_domain_not_allowed': {
    http: 422,
    grpc: 'INVALID_ARGUMENT',
    message: 'E-mail addresses of this domain are not accepted.',
  },
  'svc/auth/email_in_use': {
    http: 409,
    grpc: 'ALREADY_EXISTS',
    message: 'The e-mail address is already registered.',
  },
  'svc/auth/invalid_credentials': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'The e-mail address or the password is wrong.',
  },
  'svc/auth/second_factor_required': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message:
      'The password is right, and a second factor is needed: details.methods says which, and details.challenge names a login.',
  },
  'svc/auth/invalid_code': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'The code is wrong, or was used before.',
  },
  'svc/auth/invalid_passkey': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'The passkey is unknown here, was removed, or its answer does not fit what was asked.',
  },
  'svc/auth/sso_required': {
    http: 403,
    grpc: 'PERMISSION_DENIED',
    message: 'The organisation of this e-mail address demands single sign-on.',
  },
  'svc/auth/sso_failed': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'The identity provider did not sign the user in.',
  },
  'svc/auth/no_workspace': {
    http: 403,
    grpc: 'PERMISSION_DENIED',
    message: 'The user is a member of no workspace.',
  },
  'svc/auth/email_not_verified': {
    http: 403,
    grpc: 'PERMISSION_DENIED',
    message: 'Verify the e-mail address first: live resources are blocked until then.',
  },
  'svc/auth/login_required': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'This action needs an authenticated session.',
  },
  'svc/validation/invalid_request': {
    http: 422,
    grpc: 'INVALID_ARGUMENT',
    message: 'The request does not match its schema.',
  },
  'svc/runtime/not_found': { http: 404, grpc: 'NOT_FOUND', message: 'No such resource.' },
  'svc/runtime/internal_error': {
    http: 500,
    grpc: 'INTERNAL',
    message: 'Unexpected error. If it persists, report it with the requestId.',
  },
  'svc/runtime/invalid_request': {
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    message: 'The request is malformed.',
  },
  'svc/runtime/idempotency_conflict': {
    http: 409,
    grpc: 'ALREADY_EXISTS',
    message: 'The Idempotency-Key was used with another payload, or its first request is still in progress.',
  },
  'svc/runtime/missing_idempotency_key': {
    http: 400,
    grpc: 'INVALID_ARGUMENT',
    message: 'The header Idempotency-Key is required here: 1 to 255 visible ASCII characters.',
  },
  'svc/runtime/conflict': {
    http: 409,
    grpc: 'FAILED_PRECONDITION',
    message: 'The request conflicts with the state of the resource.',
  },
  'svc/runtime/precondition_failed': {
    http: 412,
    grpc: 'FAILED_PRECONDITION',
    message: 'The resource is not what If-Match names: somebody has changed it since.',
  },
  'svc/runtime/not_implemented': { http: 501, grpc: 'UNIMPLEMENTED', message: 'Not implemented.' },
  'svc/runtime/unavailable': {
    http: 503,
    grpc: 'UNAVAILABLE',
    message: 'The service cannot take the request now. Retry after the time given.',
  },
  'svc/rate_limit/exceeded': {
    http: 429,
    grpc: 'RESOURCE_EXHAUSTED',
    message: 'The quota is used up. Retry after the time in Retry-After.',
  },
  'svc/console/not_found': { http: 404, grpc: 'NOT_FOUND', message: 'No such Console project or resource.' },
  'svc/console/forbidden': {
    http: 403,
    grpc: 'PERMISSION_DENIED',
    message: 'The user has no Console membership on the project.',
  },
  'svc/chatapp/invalid_verify_token': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'hub.verify_token does not match.',
  },
  'svc/chatapp/invalid_signature': {
    http: 401,
    grpc: 'UNAUTHENTICATED',
    message: 'x-hub-signature-256 is invalid.',
  },
  'svc/chatapp/connect_failed': {
    http: 422,
    grpc: 'INVALID_ARGUMENT',
    message: 'The channel could not be connected.',
  },
  'svc/chatapp/channel_not_connected': {
    http: 409,
    grpc: 'FAILED_PRECONDITION',
    message: 'The channel has no chatapp configuration.',
  },
  'svc/chatapp/webhook_identity_mismatch': {
    http: 422,
    grpc: 'INVALID_ARGUMENT',
    message: 'The payload belongs to another business account or phone number.',
  },
  'svc/chatapp/template_required': {
    http: 409,
    grpc: 'FAILED_PRECONDITION',
    message: 'The 24-hour service window is closed: send a template.',
  },
  'svc/partner_app/in_use': {
    http: 409,
    grpc: 'FAILED_PRECONDITION',
    message: 'The partner app is in use by chatapp channels.',
  },
  'svc/agent_runs/suggestion_already_resolved': {
    http: 409,
    grpc: 'FAILED_PRECONDITION',
    message: 'The suggestion was already resolved.',
  },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errors;

/** A violation of a schema: where, what, and a stable code. */
export interface Issue {
  /** The part of the request and a JSON pointer into it: `/body/tags/1`, `/query/limit`, `/path/threadId`, `/header/...`. */
  readonly path: string;
  readonly message: string;
  /** The JSON Schema keyword that failed, or a code of our own. */
  readonly code: string;
}

export interface ServiceErrorOptions {
  readonly message?: string;
  /** Actionable, and without data of other tenants; `{issues: Issue[]}` for validation errors. */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Overrides the catalogue's HTTP status (400, 405, 413, 415, 416, 426). */
  readonly http?: number;
  /** Whole seconds for the header Retry-After. */
  readonly retryAfterSeconds?: number;
}

/** An error with a code of the catalogue: the only errors that a caller gets. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ErrorCode;
  readonly http: number;
  readonly details: Readonly<Record<string, unknown>> | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, options: ServiceErrorOptions = {}) {
    super(options.message ?? errors[code].message);
    this.code = code;
    this.http = options.http ?? errors[code].http;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** A 422 with its issues: the message says the first of them. */
export function invalid(issues: readonly Issue[], message = describeIssues(issues)): ServiceError {
  return new ServiceError('svc/validation/invalid_request', { details: { issues }, message });
}

/** UTF-16 units of a path and of a message that are repeated in the message of the error: what a client sends may be long. */
const maxRepeated = 300;

function describeIssues([first, ...others]: readonly Issue[]): string {
  if (first === undefined) return errors['svc/validation/invalid_request'].message;
  const more = others.length === 0 ? '' : ` (and ${others.length} more, see details.issues)`;
  return `${shorten(first.path)} ${shorten(first.message)}${more}.`;
}

function shorten(text: string): string {
  return text.length <= maxRepeated ? text : `${text.slice(0, maxRepeated).toWellFormed()}...`;
}

/**
 * The answer for what does not exist and for what belongs to another tenant: identical, to the byte.
 *
 * @param fields those of the body that name what is not there, as JSON pointers: `/body/agentId`. None: the resource of the path
 */
export function notFound(...fields: readonly string[]): ServiceError {
  const [first] = fields;
  if (first === undefined) return new ServiceError('svc/runtime/not_found');
  const message = 'names nothing that is here';
  const issues: Issue[] = fields.map(path => ({ path, message, code: 'reference' }));
  return new ServiceError('svc/runtime/not_found', { message: `${first} ${message}.`, details: { issues } });
}

/** 412: If-Match names another state of the resource. */
export function preconditionFailed(): ServiceError {
  return new ServiceError('svc/runtime/precondition_failed');
}

/** 409 `svc/runtime/conflict`: the state of the resource does not allow it. The client sees `details`. */
export function conflict(message: string, details?: Readonly<Record<string, unknown>>): ServiceError {
  return new ServiceError('svc/runtime/conflict', { message, ...(details === undefined ? {} : { details }) });
}
