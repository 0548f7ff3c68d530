/**
 * An authenticator with its browser, by hand (WebAuthn Level 3, CTAP 2): makes passkeys and signs challenges as they do, so that the product's
 * library is held to the standard and not to itself. It does what it is told to, also what browsers refuse.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

/** What differs from what is right. */
export interface Flaws {
  readonly origin?: string;
  readonly rpId?: string;
  readonly type?: string;
  readonly isUserVerified?: boolean;
  /** Default: one more than the last. */
  readonly counter?: number;
  readonly userHandle?: string | null;
  readonly challenge?: string;
}

const flags = { userPresent: 1, userVerified: 4, backupEligible: 8, backedUp: 16, attested: 64 };

export class Authenticator {
  readonly #origin: string;
  readonly #credentialId = randomBytes(32);
  readonly #privateKey: KeyObject;
  readonly #publicKey: Buffer;
  #counter = 0;
  #userHandle = '';

  /** @param origin of the pages that it is used on */
  constructor(origin: string) {
    this.#origin = origin;
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = pair.privateKey;
    this.#publicKey = toCose(pair.publicKey.export({ format: 'jwk' }));
  }

  /** The answer to PublicKeyCredentialCreationOptionsJSON. */
  create(options: Json, flaws: Flaws = {}): Json {
    const { id: rpId } = options['rp'] as { id: string };
    this.#userHandle = (options['user'] as { id: string }).id;
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.#credentialId.length);
    const authData = Buffer.concat([
      this.#data(flaws.rpId ?? rpId, flaws, flags.attested),
      Buffer.alloc(16),
      length,
      this.#credentialId,
      this.#publicKey,
    ]);
    const attestation = Buffer.concat([
      head(5, 3),
      ...[text('fmt'), text('none'), text('attStmt'), head(5, 0), text('authData'), bytes(authData)],
    ]);
    return this.#answer({
      clientDataJSON: this.#clientData('webauthn.create', options, flaws).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal', 'hybrid'],
    });
  }

  /** The answer to PublicKeyCredentialRequestOptionsJSON. */
  get(options: Json, flaws: Flaws = {}): Json {
    const authData = this.#data(flaws.rpId ?? String(options['rpId']), flaws, 0);
    const clientData = this.#clientData('webauthn.get', options, flaws);
    const digest = createHash('sha256').update(clientData).digest();
    const userHandle = flaws.userHandle === undefined ? this.#userHandle : flaws.userHandle;
    return this.#answer({
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, digest]), this.#privateKey).toString('base64url'),
      ...(userHandle !== null && { userHandle }),
    });
  }

  #data(rpId: string, { isUserVerified = true, counter = this.#counter + 1 }: Flaws, more: number): Buffer {
    this.#counter = counter;
    const rest = Buffer.alloc(5);
    rest[0] =
      flags.userPresent +
      flags.backupEligible +
      flags.backedUp +
      (isUserVerified ? flags.userVerified : 0) +
      more;
    rest.writeUInt32BE(counter, 1);
    return Buffer.concat([createHash('sha256').update(rpId).digest(), rest]);
  }

  #clientData(type: string, options: Json, flaws: Flaws): Buffer {
    const { challenge = options['challenge'], origin = this.#origin } = flaws;
    return Buffer.from(JSON.stringify({ type: flaws.type ?? type, challenge, origin, crossOrigin: false }));
  }

  #answer(response: Json): Json {
    const id = this.#credentialId.toString('base64url');
    return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} };
  }
}

/** A key of ES256 as COSE has it (RFC 9053). */
function toCose({ x = '', y = '' }: { readonly x?: string; readonly y?: string }): Buffer {
  const parts = [
    ...[int(1), int(2)], // kty: EC2
    ...[int(3), int(-7)], // alg: ES256
    ...[int(-1), int(1)], // crv: P-256
    ...[int(-2), bytes(Buffer.from(x, 'base64url'))],
    ...[int(-3), bytes(Buffer.from(y, 'base64url'))],
  ];
  return Buffer.concat([head(5, 5), ...parts]);
}

/** The head of an item of CBOR (RFC 8949). */
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 0xff]);
}

const int = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value]);
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)]);
