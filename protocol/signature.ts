/**
 * Signatures of webhook deliveries, made and verified (docs/contract-decisions.md, "Signatures").
 *
 * `Service-Signature: t=<unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`, keyed with the UTF-8 bytes of the
 * whole secret. While a rotation overlaps, `v1` repeats, newest secret first. Standard Webhooks headers
 * (https://www.standardwebhooks.com) are made from the same secret: there the key is what the base64 after `whsec_`
 * decodes to, and the signed content is `<id>.<t>.<raw body>`.
 *
 * Calls of tools have `v2` beside `v1`, with the same key: it covers the whole request, where each of these is followed by a line feed, and
 * then comes the raw body: `t`, the method, path and query as in the request line, and the values of {@link signedHeaders}, where one that
 * is missing is empty. None of them can contain a line feed.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** A body as text, which is signed as UTF-8, or as the raw bytes. */
export type Body = string | Uint8Array;

export const secretPrefix = 'whsec_';

/** How far a timestamp may differ from the receiver's clock, in seconds, in either direction. */
export const defaultToleranceSeconds = 300;

/** A new secret of a stitch: `whsec_` and the base64 of 32 random bytes. */
export function newStitchSecret(): string {
  return secretPrefix + randomBytes(32).toString('base64');
}

function computeServiceMac(secret: string, timestamp: number | string, body: Body): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
}

/** The headers that `v2` covers, in this order. */
export const signedHeaders = [
  'idempotency-key',
  'service-run-id',
  'service-thread-id',
  'service-participant-ref',
] as const;

/** What `v2` covers beside time and body. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as in the request line. */
  readonly target: string;
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

function computeRequestMac(
  secret: string,
  timestamp: number | string,
  { method, target, headers }: SignedRequest,
  body: Body,
): Buffer {
  const lines = [timestamp, method, target, ...signedHeaders.map(name => String(headers[name] ?? ''))];
  return createHmac('sha256', secret)
    .update(lines.map(line => `${line}\n`).join(''))
    .update(body)
    .digest();
}

/** The value of the header Service-Signature. `timestamp` in unix seconds; `secrets` newest first, at least one. */
export function signService(secrets: readonly string[], timestamp: number, body: Body): string {
  let header = `t=${timestamp}`;
  for (const secret of secrets) header += `,v1=${computeServiceMac(secret, timestamp, body).toString('hex')}`;
  return header;
}

function parseStandardKey(secret: string): Buffer {
  return Buffer.from(secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : secret, 'base64');
}

function computeStandardMac(secret: string, id: string, timestamp: number | string, body: Body): Buffer {
  return createHmac('sha256', parseStandardKey(secret)).update(`${id}.${timestamp}.`).update(body).digest();
}

/** The value of the header webhook-signature: `v1,<base64>` for each secret, separated by spaces. */
export function signStandard(secrets: readonly string[], id: string, timestamp: number, body: Body): string {
  return secrets
    .map(secret => `v1,${computeStandardMac(secret, id, timestamp, body).toString('base64')}`)
    .join(' ');
}

/** A body with its authentication, as it is sent. */
export interface SignedBody {
  /** Names and values, alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/**
 * All signature headers of one attempt, and the bytes of its body, which is encoded once for both signatures and the wire (3.7
 * microseconds for 1 KB instead of 5.6). The receiver deduplicates by `id`, which is the same at every attempt. `timestamp` is that of
 * the attempt, in unix seconds. With `request`, `v2` is added.
 */
export function signedBody(
  secrets: readonly string[],
  id: string,
  timestamp: number,
  body: string,
  request?: SignedRequest,
): SignedBody {
  const name = `${id}.`;
  const bytes = Buffer.from(`${name}${timestamp}.${body}`);
  const forService = bytes.subarray(Buffer.byteLength(name));
  let service = `t=${timestamp}`;
  let standard = '';
  for (const secret of secrets) {
    service += `,v1=${createHmac('sha256', secret).update(forService).digest('hex')}`;
    const code = createHmac('sha256', parseStandardKey(secret)).update(bytes).digest('base64');
    standard += standard === '' ? `v1,${code}` : ` v1,${code}`;
  }
  if (request !== undefined) {
    for (const secret of secrets)
      service += `,v2=${computeRequestMac(secret, timestamp, request, body).toString('hex')}`;
  }
  return {
    headers: [
      'Service-Signature',
      service,
      'webhook-id',
      id,
      'webhook-timestamp',
      String(timestamp),
      'webhook-signature',
      standard,
    ],
    body: forService.subarray(`${timestamp}.`.length),
  };
}

export interface VerifyOptions {
  /** The receiver's clock in epoch milliseconds; the present when absent. */
  readonly now?: number;
  /** Default 300. */
  readonly toleranceSeconds?: number;
}

/**
 * `malformed`: the header does not have the format. `timestamp`: it differs from the receiver's clock by more than the tolerance.
 * `mismatch`: no signature fits this secret and this body.
 */
export type Verdict =
  | { readonly ok: true; readonly timestamp: number }
  | { readonly ok: false; readonly reason: 'malformed' | 'timestamp' | 'mismatch' };

const malformed: Verdict = { ok: false, reason: 'malformed' };
const unixSeconds = /^\d{1,12}$/;

function judge(timestamp: string, options: VerifyOptions, matches: boolean): Verdict {
  // The signature is checked first, so that only the signer learns anything about this clock.
  if (!matches) return { ok: false, reason: 'mismatch' };
  const age = (options.now ?? Date.now()) / 1000 - Number(timestamp);
  if (Math.abs(age) > (options.toleranceSeconds ?? defaultToleranceSeconds)) {
    return { ok: false, reason: 'timestamp' };
  }
  return { ok: true, timestamp: Number(timestamp) };
}

/** Whether one of the candidates is the expected value, in a time that only depends on their number. */
function anyEqual(candidates: readonly Buffer[], expected: Buffer): boolean {
  let found = false;
  for (const candidate of candidates) {
    const equal = candidate.length === expected.length && timingSafeEqual(candidate, expected);
    found = equal || found;
  }
  return found;
}

/** The time and the signatures of one version in a Service-Signature; undefined if it has not the format, or none of that version. */
function parseService(
  header: string,
  version: 'v1' | 'v2',
): { readonly timestamp: string; readonly candidates: readonly Buffer[] } | undefined {
  let timestamp: string | undefined;
  const candidates: Buffer[] = [];
  for (const part of header.split(',')) {
    const equals = part.indexOf('=');
    const name = part.slice(0, equals).trim();
    const value = part.slice(equals + 1).trim();
    if (name === 't') {
      if (timestamp !== undefined || !unixSeconds.test(value)) return undefined;
      timestamp = value;
    } else if (name === version) {
      if (!/^[0-9a-f]{64}$/.test(value)) return undefined;
      candidates.push(Buffer.from(value, 'hex'));
    }
  }
  return timestamp === undefined || candidates.length === 0 ? undefined : { timestamp, candidates };
}

/**
 * Verifies a Service-Signature over the raw body, exactly as received. There may be several `v1`, of which one has to match; parts with
 * other names are ignored, so that other schemes can be added later.
 */
export function verifyService(
  secret: string,
  header: string,
  body: Body,
  options: VerifyOptions = {},
): Verdict {
  const parsed = parseService(header, 'v1');
  if (parsed === undefined) return malformed;
  const { timestamp, candidates } = parsed;
  return judge(timestamp, options, anyEqual(candidates, computeServiceMac(secret, timestamp, body)));
}

/** The same with `v2`, over the whole request of a tool's call, exactly as received. */
export function verifyRequest(
  secret: string,
  header: string,
  request: SignedRequest,
  body: Body,
  options: VerifyOptions = {},
): Verdict {
  const parsed = parseService(header, 'v2');
  if (parsed === undefined) return malformed;
  const { timestamp, candidates } = parsed;
  return judge(timestamp, options, anyEqual(candidates, computeRequestMac(secret, timestamp, request, body)));
}

/** The three Standard Webhooks headers as received. */
export interface StandardHeaders {
  readonly id: string;
  readonly timestamp: string;
  readonly signature: string;
}

/** Verifies the Standard Webhooks headers over the raw body. Signatures of other versions (`v1a,...`) are ignored. */
export function verifyStandard(
  secret: string,
  headers: StandardHeaders,
  body: Body,
  options: VerifyOptions = {},
): Verdict {
  if (headers.id === '' || !unixSeconds.test(headers.timestamp)) return malformed;
  const candidates = headers.signature
    .split(' ')
    .filter(part => part.startsWith('v1,'))
    .map(part => Buffer.from(part.slice('v1,'.length), 'base64'));
  if (candidates.length === 0) return malformed;
  const expected = computeStandardMac(secret, headers.id, headers.timestamp, body);
  return judge(headers.timestamp, options, anyEqual(candidates, expected));
}
