/** Why an attempt at a model failed, as a code that does not depend on the provider. */
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from 'ai';
import { OutboundFailure } from '../../../runtime/outbound/index.ts';
import type { ProviderOutcome } from '../../base/index.ts';
import type { ModelUse, RunErrorCode } from '../commands.ts';

export class ModelFault extends Error {
  override readonly name = 'ModelFault';
  readonly errorCode: RunErrorCode;
  /** Whether the same attempt may succeed in a moment. */
  readonly isTransient: boolean;
  /** The wait that the provider asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Of an answer that ended and is none: what it has used. */
  readonly use: ModelUse | undefined;

  constructor(
    errorCode: RunErrorCode,
    message: string,
    isTransient = false,
    { retryAfterMs, use }: { readonly retryAfterMs?: number | undefined; readonly use?: ModelUse } = {},
  ) {
    super(message);
    this.errorCode = errorCode;
    this.isTransient = isTransient;
    this.retryAfterMs = retryAfterMs;
    this.use = use;
  }
}

/** What providers say in the fields `code`, `type`, `status` and `reason` of an error. */
const codesByProvider: Readonly<Record<string, RunErrorCode>> = {
  context_length_exceeded: 'context_too_long',
  request_too_large: 'context_too_long',
  invalid_api_key: 'key_rejected',
  authentication_error: 'key_rejected',
  permission_error: 'key_rejected',
  API_KEY_INVALID: 'key_rejected',
  insufficient_quota: 'rate_limited',
  billing_error: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  RESOURCE_EXHAUSTED: 'rate_limited',
  content_filter: 'refused',
  content_policy_violation: 'refused',
};

/** Waiting does not help: the account has no money. So it is with the status 402 (RFC 9110, section 15.5.3). */
const permanentCodes = new Set(['insufficient_quota', 'billing_error']);

/** Anthropic and Gemini have no code for a prompt that is too long, only these words. */
const tooLongPattern = /prompt is too long|input token count.*exceeds the maximum|maximum context length/i;

/** The fault behind an error of the library. Its message is the provider's: it may be long, and repeat the key. */
export function toModelFault(error: unknown, now: number): ModelFault {
  if (error instanceof ModelFault) return error;
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) return malformedAnswer();
  if (InvalidResponseDataError.isInstance(error) || EmptyResponseBodyError.isInstance(error)) {
    return malformedAnswer();
  }
  if (APICallError.isInstance(error)) {
    // From reading the answer: see post.ts.
    if (error.cause instanceof ModelFault) return error.cause;
    if (error.statusCode === undefined) return unreachable(error.cause);
    // A success that could not be read. If the connection broke, the library calls the error retryable.
    if (error.statusCode < 300) return error.isRetryable ? unreachable(error.cause) : malformedAnswer();
    return toFault(toProviderError(error), error.responseHeaders ?? {}, now);
  }
  // From a stream that has begun: an error that the provider has sent, or a connection that broke.
  if (isRecord(error) && (typeof error['statusCode'] === 'number' || 'data' in error)) {
    return toFault(toProviderError(error), {}, now);
  }
  if (error instanceof TypeError) return unreachable(error.cause);
  return new ModelFault('internal_error', 'the model could not be asked');
}

const outcomes: Partial<Readonly<Record<RunErrorCode, ProviderOutcome>>> = {
  rate_limited: 'rate_limited',
  key_rejected: 'credentials_refused',
  timeout: 'timeout',
  unreachable: 'unreachable',
  provider_error: 'server_error',
  invalid_answer: 'invalid_answer',
  empty_answer: 'invalid_answer',
  context_too_long: 'refused',
  refused: 'refused',
  configuration: 'refused',
};

/** How an attempt has ended, for the metrics; undefined where that says nothing of the provider. */
export function toProviderOutcome({ errorCode }: ModelFault): ProviderOutcome | undefined {
  return outcomes[errorCode];
}

/** For an answer that is longer than any sensible one. */
export function endlessAnswer(): ModelFault {
  return new ModelFault('invalid_answer', 'the answer does not end');
}

function malformedAnswer(): ModelFault {
  return new ModelFault('invalid_answer', 'the provider answered with what is no answer of its interface');
}

function unreachable(error: unknown): ModelFault {
  // fetch says "terminated"; its cause is what really happened.
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  const why = OutboundFailure.from(cause, 'connect').message;
  return new ModelFault('unreachable', `the provider cannot be reached: ${why}`, true);
}

/** What the provider has said about the failure. */
interface ProviderError {
  readonly status: number | undefined;
  readonly codes: readonly string[];
  readonly message: string;
  readonly retryMs: number | undefined;
}

function toProviderError(error: object): ProviderError {
  const { statusCode, message, responseBody, type, code, data } = error as Record<string, unknown>;
  const body = parseJson(responseBody) ?? data;
  const inner = isRecord(body) && isRecord(body['error']) ? body['error'] : body;
  const details = isRecord(inner) && Array.isArray(inner['details']) ? inner['details'].filter(isRecord) : [];
  const fields = isRecord(inner) ? [inner['code'], inner['type'], inner['status']] : [];
  // Gemini has it in the body: `"retryDelay": "34s"`.
  const delay = details.map(detail => detail['retryDelay']).find(value => typeof value === 'string');
  return {
    status: typeof statusCode === 'number' ? statusCode : undefined,
    codes: [type, code, ...fields, ...details.map(detail => detail['reason'])].filter(
      value => typeof value === 'string',
    ),
    message: typeof message === 'string' ? message : '',
    retryMs: delay === undefined ? undefined : parseSeconds(delay.replace(/s$/, '')),
  };
}

function toFault(
  { status = 500, codes, message, retryMs }: ProviderError,
  headers: Readonly<Record<string, string>>,
  now: number,
): ModelFault {
  const known = codes.map(code => codesByProvider[code]).find(code => code !== undefined);
  const errorCode = known ?? (tooLongPattern.test(message) ? 'context_too_long' : getCodeByStatus(status));
  const words = message.trim() === '' ? `it answered ${status}` : message;
  const mayPass = errorCode === 'rate_limited' || errorCode === 'provider_error';
  const isTransient = mayPass && status !== 402 && !codes.some(code => permanentCodes.has(code));
  return new ModelFault(
    errorCode,
    `${explanations[errorCode] ?? 'the provider failed'}: ${words}`,
    isTransient,
    { retryAfterMs: parseRetryAfter(headers, now) ?? retryMs },
  );
}

function getCodeByStatus(status: number): RunErrorCode {
  if (status === 401 || status === 403) return 'key_rejected';
  if (status === 402 || status === 429) return 'rate_limited';
  if (status === 413) return 'context_too_long';
  if (status === 408 || status === 409 || status >= 500) return 'provider_error';
  // We did not ask for a redirect. For the rest the request is at fault: the model's name, a setting, a schema.
  return status < 400 ? 'provider_error' : 'configuration';
}

const explanations: Partial<Readonly<Record<RunErrorCode, string>>> = {
  key_rejected: 'the provider does not take the key',
  rate_limited: 'the provider limits the rate',
  context_too_long: 'the conversation is too long for the model',
  refused: 'the provider refuses the content',
  configuration: 'the provider does not take the request',
};

/** Retry-After (RFC 9110, section 10.2.3), and the more precise header that OpenAI and Anthropic send beside it. */
function parseRetryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const preciseMs = Number(headers['retry-after-ms'] ?? NaN);
  if (preciseMs >= 0) return preciseMs;
  const retryAfter = headers['retry-after'];
  if (retryAfter === undefined) return undefined;
  const date = Date.parse(retryAfter);
  return parseSeconds(retryAfter) ?? (Number.isNaN(date) ? undefined : Math.max(0, date - now));
}

function parseSeconds(text: string): number | undefined {
  return /^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Number(text) * 1_000 : undefined;
}

function parseJson(text: unknown): unknown {
  if (typeof text !== 'string') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
