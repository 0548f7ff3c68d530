/**
 * `@skein/sdk/webhooks`: whether a delivery is Skein's, and its event. WebCrypto does the work, so this runs wherever there is a `Request`.
 */
import { SkeinError } from './errors.ts';
import type { SkeinEvent } from './generated/types.ts';

const signatureHeader = 'service-signature';

/** A delivery that is not what it claims to be. Answer 400. */
export class SignatureError extends SkeinError {
  override readonly name = 'SignatureError';
  readonly kind = 'signature';
  /**
   * `missing`: there is no header; `malformed`: it has not the form; `mismatch`: it is of another secret or another body; `timestamp`: it is
   * older or newer than the tolerance, so that the delivery may be a repetition by somebody else, or this clock is wrong.
   */
  readonly reason: 'missing' | 'malformed' | 'mismatch' | 'timestamp';

  constructor(reason: SignatureError['reason'], message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface VerifyOptions {
  /** How far the signature's time may be from this clock, in seconds, in either direction. Default 300. */
  readonly toleranceSeconds?: number | undefined;
  /** This clock, in epoch milliseconds. Default: the present. */
  readonly now?: number | undefined;
}

/** The parts of a `Service-Signature`. */
export interface ParsedSignature {
  /** When it was signed, in unix seconds. */
  readonly timestamp: number;
  /** HMAC-SHA256 in hexadecimal; two while a secret is rotated, of which one has to fit. */
  readonly signatures: readonly string[];
}

/**
 * Reads `t=<unix seconds>,v1=<hex>`, where `v1` may repeat. Parts of other names belong to other schemes, and are ignored.
 *
 * @throws {SignatureError} malformed
 */
export function parseSignature(header: string): ParsedSignature {
  const parts = header.split(',').map(part => {
    const equals = part.indexOf('=');
    return [part.slice(0, equals).trim(), part.slice(equals + 1).trim()] as const;
  });
  const times = parts.filter(([name]) => name === 't').map(([, value]) => value);
  const signatures = parts.filter(([name]) => name === 'v1').map(([, value]) => value);
  const isWellFormed =
    times.length === 1 &&
    /^\d{1,12}$/.test(times[0] ?? '') &&
    signatures.length > 0 &&
    signatures.every(signature => /^[0-9a-f]{64}$/.test(signature));
  if (!isWellFormed) throw new SignatureError('malformed', 'not a Service-Signature: t=<seconds>,v1=<hex>');
  return { timestamp: Number(times[0]), signatures };
}

/**
 * Resolves where the header is of this secret, this body and this time.
 *
 * @param secret of the stitch: `whsec_...`
 * @param header `Service-Signature`
 * @param body the raw body, exactly as received
 * @throws {SignatureError} it is not
 * @throws {TypeError} the body is not raw, or the secret is missing
 */
export async function verifySignature(
  secret: string,
  header: string | null | undefined,
  body: string | Uint8Array,
  options: VerifyOptions = {},
): Promise<void> {
  if (typeof secret !== 'string' || secret === '') throw new TypeError('Skein: the secret is missing');
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('Skein: the raw body is needed, as text or bytes, and not what was parsed from it');
  }
  if (header === null || header === undefined || header === '') {
    throw new SignatureError('missing', 'there is no header Service-Signature');
  }
  const { timestamp, signatures } = parseSignature(header);
  const key = await importKey(encode(secret));
  const signed = join(`${timestamp}.`, body);
  const checked = signatures.map(signature =>
    crypto.subtle.verify('HMAC', key, decodeHex(signature), signed),
  );
  // The signature comes first, so that only the signer learns anything of this clock.
  if (!(await Promise.all(checked)).includes(true)) {
    throw new SignatureError('mismatch', 'the signature is of another secret, or of another body');
  }
  const { now = Date.now(), toleranceSeconds = 300 } = options;
  const age = Math.round(now / 1000 - timestamp);
  // So that NaN allows nothing.
  if (!(Math.abs(age) <= toleranceSeconds)) {
    const distance = age > 0 ? `${age} s ago` : `${-age} s ahead of this clock`;
    throw new SignatureError('timestamp', `signed ${distance}, and ${toleranceSeconds} s are allowed`);
  }
}

/** Headers as a `Request` has them, or as an object, with their names in any case. */
export type HeadersLike =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** What constructEvent needs of a request. */
export interface Delivery {
  readonly headers: HeadersLike;
  /** The raw body. */
  readonly body: string | Uint8Array;
}

/** A `Request` of the platform. */
export interface RequestLike {
  readonly headers: { get(name: string): string | null };
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * Verifies a delivery, and gives its event. A name that is newer than this package falls to `default` of a switch over `eventName`.
 *
 * @param request a `Request` whose body has not been read, or headers and raw body
 * @throws {SignatureError} it is not Skein's
 * @throws {TypeError} the body is not raw, or the secret is missing
 */
export async function constructEvent(
  secret: string,
  request: RequestLike | Delivery,
  options?: VerifyOptions,
): Promise<SkeinEvent> {
  const body = 'arrayBuffer' in request ? new Uint8Array(await request.arrayBuffer()) : request.body;
  await verifySignature(secret, readHeader(request.headers), body, options);
  return JSON.parse(typeof body === 'string' ? body : new TextDecoder().decode(body)) as SkeinEvent;
}

function readHeader(headers: HeadersLike): string | null | undefined {
  if (typeof headers.get === 'function') return headers.get(signatureHeader) as string | null;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === signatureHeader)?.[1];
  return typeof found === 'object' ? found[0] : found;
}

export interface SignOptions {
  /** Of the event. Default: that of the body, else `evt_test`. */
  readonly eventId?: string | undefined;
  /** Of the delivery. Default: the event's with another prefix. */
  readonly deliveryId?: string | undefined;
  /** From 1, the default. */
  readonly attempt?: number | undefined;
  /** In unix seconds. Default: the present. */
  readonly timestamp?: number | undefined;
}

/**
 * The headers of a delivery of this body, signed as Skein signs: for tests of your handler.
 *
 * @param body exactly as it will be sent
 */
export async function signBody(
  secret: string,
  body: string | Uint8Array,
  options: SignOptions = {},
): Promise<Record<string, string>> {
  const { eventId = 'evt_test', attempt = 1, timestamp = Math.floor(Date.now() / 1000) } = options;
  const own = await sign(encode(secret), join(`${timestamp}.`, body));
  const standard = await sign(
    Uint8Array.from(atob(secret.replace(/^whsec_/, '')), char => char.charCodeAt(0)),
    join(`${eventId}.${timestamp}.`, body),
  );
  return {
    'content-type': 'application/json',
    [signatureHeader]: `t=${timestamp},v1=${Array.from(own, byte => byte.toString(16).padStart(2, '0')).join('')}`,
    'service-event-id': eventId,
    'service-delivery-id': options.deliveryId ?? eventId.replace(/^evt_/, 'whd_'),
    'service-attempt': String(attempt),
    'webhook-id': eventId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${btoa(String.fromCharCode(...standard))}`,
  };
}

type Bytes = Uint8Array<ArrayBuffer>;

function encode(text: string): Bytes {
  return new TextEncoder().encode(text) as Bytes;
}

/** A text in front of a body, as bytes. */
function join(head: string, body: string | Uint8Array): Bytes {
  const first = encode(head);
  const rest = typeof body === 'string' ? encode(body) : body;
  const joined = new Uint8Array(first.length + rest.length);
  joined.set(first);
  joined.set(rest, first.length);
  return joined;
}

function decodeHex(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], pair => parseInt(pair, 16));
}

function importKey(bytes: Bytes): Promise<Parameters<typeof crypto.subtle.sign>[1]> {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);
}

async function sign(key: Bytes, signed: Bytes): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.sign('HMAC', await importKey(key), signed));
}
