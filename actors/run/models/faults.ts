/** Why an attempt at a model came to nothing, as a code that stays the same whatever the provider calls it. */
import {
  APICallError,
  EmptyResponseBodyError,
  InvalidResponseDataError,
  JSONParseError,
  TypeValidationError,
} from 'ai';
import { OutboundFailure } from '../../../runtime/pool/failure.ts';
import type { RunErrorCode } from '../commands.ts';

export class ModelFault extends Error {
  override readonly name = 'ModelFault';
  readonly errorCode: RunErrorCode;
  /** Whether the same may succeed in a moment. */
  readonly passes: boolean;
  /** The wait that the provider asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(errorCode: RunErrorCode, message: string, passes = false, retryAfterMs?: number) {
    super(message);
    this.errorCode = errorCode;
    this.passes = passes;
    this.retryAfterMs = retryAfterMs;
  }
}

/** What providers call it in the field `code`, `type`, `status` or `reason` of an error. */
const byCode: Readonly<Record<string, RunErrorCode>> = {
  context_length_exceeded: 'context_too_long',
  request_too_large: 'context_too_long',
  invalid_api_key: 'key_rejected',
  authentication_error: 'key_rejected',
  permission_error: 'key_rejected',
  API_KEY_INVALID: 'key_rejected',
  insufficient_quota: 'rate_limited',
  rate_limit_exceeded: 'rate_limited',
  rate_limit_error: 'rate_limited',
  RESOURCE_EXHAUSTED: 'rate_limited',
  content_filter: 'refused',
  content_policy_violation: 'refused',
};

/** An account without money is not helped by patience. */
const forGood = new Set(['insufficient_quota']);

/** Anthropic and Gemini have no code for a prompt that is too long: only these words. */
const tooLong = /prompt is too long|input token count.*exceeds the maximum|maximum context length/i;

/** What an error is, whatever the library has made of it; none of ours is in the message, which may be long, and repeat the key. */
export function faultOf(error: unknown, now: number): ModelFault {
  if (error instanceof ModelFault) return error;
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) return nonsense();
  if (InvalidResponseDataError.isInstance(error) || EmptyResponseBodyError.isInstance(error)) {
    return nonsense();
  }
  if (APICallError.isInstance(error)) {
    // Of reading the answer: see `post`.
    if (error.cause instanceof ModelFault) return error.cause;
    if (error.statusCode === undefined) return unreachable(error.cause);
    // A success that could not be read: of those, the library calls the broken connections retryable.
    if (error.statusCode < 300) return error.isRetryable ? unreachable(error.cause) : nonsense();
    return reported(said(error), error.responseHeaders ?? {}, now);
  }
  // Of a stream that has begun: an error that the provider has sent, or a connection that broke.
  if (isRecord(error) && (typeof error['statusCode'] === 'number' || 'data' in error)) {
    return reported(said(error), {}, now);
  }
  if (error instanceof TypeError) return unreachable(error.cause);
  return new ModelFault('internal_error', 'the model could not be asked');
}

/** An answer that is longer than any that makes sense. */
export function endless(): ModelFault {
  return new ModelFault('invalid_answer', 'the answer does not end');
}

function nonsense(): ModelFault {
  return new ModelFault('invalid_answer', 'the provider answered with what is no answer of its interface');
}

function unreachable(error: unknown): ModelFault {
  // fetch says "terminated", and has what really happened as its cause.
  const cause = error instanceof TypeError && error.cause !== undefined ? error.cause : error;
  const why = OutboundFailure.of(cause, 'connect').message;
  return new ModelFault('unreachable', `the provider cannot be reached: ${why}`, true);
}

/** What the provider has said. */
interface Said {
  readonly status: number | undefined;
  readonly codes: readonly string[];
  readonly message: string;
  readonly retryMs: number | undefined;
}

function said(error: object): Said {
  const { statusCode, message, responseBody, type, code, data } = error as Record<string, unknown>;
  const body = parsed(responseBody) ?? data;
  const inner = isRecord(body) && isRecord(body['error']) ? body['error'] : body;
  const details = isRecord(inner) && Array.isArray(inner['details']) ? inner['details'].filter(isRecord) : [];
  const fields = isRecord(inner) ? [inner['code'], inner['type'], inner['status']] : [];
  // Gemini says it in the body: `"retryDelay": "34s"`.
  const delay = details.map(detail => detail['retryDelay']).find(value => typeof value === 'string');
  return {
    status: typeof statusCode === 'number' ? statusCode : undefined,
    codes: [type, code, ...fields, ...details.map(detail => detail['reason'])].filter(
      value => typeof value === 'string',
    ),
    message: typeof message === 'string' ? message : '',
    retryMs: delay === undefined ? undefined : seconds(delay.replace(/s$/, '')),
  };
}

function reported(
  { status = 500, codes, message, retryMs }: Said,
  headers: Readonly<Record<string, string>>,
  now: number,
): ModelFault {
  const known = codes.map(code => byCode[code]).find(code => code !== undefined);
  const errorCode = known ?? (tooLong.test(message) ? 'context_too_long' : byStatus(status));
  const words = message.trim() === '' ? `it answered ${status}` : message;
  const passing = errorCode === 'rate_limited' || errorCode === 'provider_error';
  const passes = passing && !codes.some(code => forGood.has(code));
  return new ModelFault(
    errorCode,
    `${plain[errorCode] ?? 'the provider failed'}: ${words}`,
    passes,
    waitOf(headers, now) ?? retryMs,
  );
}

function byStatus(status: number): RunErrorCode {
  if (status === 401 || status === 403) return 'key_rejected';
  if (status === 429) return 'rate_limited';
  if (status === 413) return 'context_too_long';
  if (status === 408 || status === 409 || status >= 500) return 'provider_error';
  // A redirection is none that we asked for; of the rest the request is at fault: the model's name, a setting, a schema.
  return status < 400 ? 'provider_error' : 'configuration';
}

const plain: Partial<Readonly<Record<RunErrorCode, string>>> = {
  key_rejected: 'the provider does not take the key',
  rate_limited: 'the provider limits the rate',
  context_too_long: 'the conversation is too long for the model',
  refused: 'the provider refuses the content',
  configuration: 'the provider does not take the request',
};

/** Retry-After (RFC 9110, section 10.2.3), and the finer header that OpenAI and Anthropic have beside it. */
function waitOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const fine = Number(headers['retry-after-ms'] ?? NaN);
  if (fine >= 0) return fine;
  const coarse = headers['retry-after'];
  if (coarse === undefined) return undefined;
  const date = Date.parse(coarse);
  return seconds(coarse) ?? (Number.isNaN(date) ? undefined : Math.max(0, date - now));
}

function seconds(text: string): number | undefined {
  return /^\d{1,9}(\.\d+)?$/.test(text.trim()) ? Number(text) * 1_000 : undefined;
}

function parsed(text: unknown): unknown {
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
