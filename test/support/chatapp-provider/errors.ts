/** The provider's errors by code, and its error envelope. Clients decide on the code: statuses and messages say little, as they do there. */

interface ErrorRow {
  readonly status: number;
  readonly message: string;
  readonly isTransient?: true;
}

/** Every code that the provider is known to answer or to report of a message. */
export const providerErrors = {
  0: { status: 401, message: 'AuthException' },
  1: { status: 500, message: 'API Unknown', isTransient: true },
  2: { status: 503, message: 'API Service', isTransient: true },
  3: { status: 403, message: 'API Method' },
  4: { status: 429, message: 'API Too Many Calls' },
  10: { status: 403, message: 'Permission Denied' },
  33: { status: 400, message: 'Parameter value is not valid' },
  100: { status: 400, message: 'Invalid parameter' },
  190: { status: 401, message: 'Access token has expired' },
  200: { status: 403, message: 'API Permission' },
  368: { status: 403, message: 'Temporarily blocked for policies violations' },
  80007: { status: 429, message: 'Rate limit issues' },
  130403: { status: 403, message: 'Message blocked: recipient is on the block list' },
  130429: { status: 429, message: 'Rate limit hit' },
  130472: { status: 400, message: "User's number is part of an experiment" },
  130497: { status: 403, message: 'Business account is restricted from messaging users in this country.' },
  131000: { status: 500, message: 'Something went wrong' },
  131005: { status: 403, message: 'Access denied' },
  131008: { status: 400, message: 'Required parameter is missing' },
  131009: { status: 400, message: 'Parameter value is not valid' },
  131016: { status: 500, message: 'Service unavailable' },
  131021: { status: 400, message: 'Recipient cannot be sender' },
  131026: { status: 400, message: 'Message undeliverable' },
  131030: { status: 400, message: 'Recipient phone number not in allowed list' },
  131031: { status: 403, message: 'Account has been locked' },
  131037: { status: 400, message: 'Display name is not approved' },
  131042: { status: 400, message: 'Business eligibility payment issue' },
  131045: { status: 500, message: 'Incorrect certificate' },
  131047: { status: 400, message: 'Re-engagement message' },
  131048: { status: 429, message: 'Spam rate limit hit' },
  131049: {
    status: 400,
    message: 'This message was not delivered to maintain healthy ecosystem engagement.',
  },
  131050: { status: 400, message: 'User has stopped marketing messages' },
  131051: { status: 400, message: 'Unsupported message type' },
  131052: { status: 400, message: 'Media download error' },
  131053: { status: 400, message: 'Media upload error' },
  131056: { status: 400, message: '(Business Account, Consumer Account) pair rate limit hit' },
  131057: { status: 500, message: 'Account in maintenance mode' },
  131060: { status: 400, message: 'This message is currently unavailable.' },
  131062: { status: 400, message: 'Business-scoped user id is not supported for this message' },
  131063: { status: 400, message: 'Marketing messages are disabled for this API' },
  131064: { status: 400, message: 'Template limit hit' },
  132000: { status: 400, message: 'Template Param Count Mismatch' },
  132001: { status: 404, message: 'Template does not exist' },
  132005: { status: 400, message: 'Template Hydrated Text Too Long' },
  132007: { status: 400, message: 'Template Format Character Policy Violated' },
  132008: { status: 400, message: 'Template Param Value Invalid' },
  132012: { status: 400, message: 'Template Parameter Format Mismatch' },
  132015: { status: 400, message: 'Template is Paused' },
  132016: { status: 400, message: 'Template is Disabled' },
  132018: { status: 400, message: 'Template validation failed' },
  132068: { status: 400, message: 'Flow is blocked' },
  132069: { status: 400, message: 'Flow is throttled' },
  133000: { status: 500, message: 'Incomplete Deregistration' },
  133004: { status: 503, message: 'Server Temporarily Unavailable' },
  133005: { status: 400, message: 'Two step verification PIN Mismatch' },
  133006: { status: 400, message: 'Phone number re-verification needed' },
  133008: { status: 400, message: 'Too Many two step verification PIN Guesses' },
  133009: { status: 400, message: 'Two step verification PIN Guessed Too Fast' },
  133010: { status: 400, message: 'Phone number Not Registered' },
  133015: {
    status: 400,
    message: 'Please wait a few minutes before attempting to register this phone number',
  },
  133016: { status: 400, message: 'Account register deregister rate limit exceeded' },
  134011: { status: 400, message: 'Payments terms of service are not accepted' },
  135000: { status: 400, message: 'Generic user error' },
  137000: { status: 400, message: 'Identity key hash mismatch' },
  2494100: { status: 400, message: 'Account is in maintenance mode', isTransient: true },
} as const satisfies Readonly<Record<number, ErrorRow>>;

export type ProviderErrorCode = keyof typeof providerErrors;

export interface ProviderErrorDetails {
  readonly subcode?: number;
  /** What `error_data.details` says. */
  readonly details?: string;
}

/** What a request is refused with. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly code: ProviderErrorCode;
  readonly more: ProviderErrorDetails;

  constructor(code: ProviderErrorCode, more: ProviderErrorDetails = {}) {
    super(`(#${code}) ${providerErrors[code].message}`);
    this.code = code;
    this.more = more;
  }
}

/** An object that does not exist, or that the token does not reach: 400, and not 404. */
export function noSuchObject(id: string): ProviderError {
  const details = `Object with ID '${id}' does not exist or cannot be loaded due to missing permissions`;
  return new ProviderError(100, { subcode: 33, details });
}

/** The answer to a refused request. */
export function toErrorAnswer({ code, message, more }: ProviderError): {
  readonly status: number;
  readonly body: object;
} {
  const row: ErrorRow = providerErrors[code];
  const error = {
    message,
    type: 'OAuthException',
    code,
    ...(more.subcode === undefined ? {} : { error_subcode: more.subcode }),
    ...(more.details === undefined
      ? {}
      : { error_data: { messaging_product: 'whatsapp', details: more.details } }),
    ...(row.isTransient === undefined ? {} : { is_transient: true }),
    fbtrace_id: 'AAAAAAAAAAAAAAAAAAAAAAA',
  };
  return { status: row.status, body: { error } };
}
