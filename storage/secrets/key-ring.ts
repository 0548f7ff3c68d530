/**
 * The ring of secret keys (SECRET_KEYS): `kid:base64,kid:base64`, 32 bytes each. The first key is the newest and seals; all of them
 * open (vault.ts).
 *
 * To rotate, put a new key in front, re-seal what is stored (`npm run keys -- reseal`), and take the older keys out
 * (docs/operate/configuration.md, "Rotating keys").
 */
import { createSecretKey, hkdfSync } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

const keyBytes = 32;
const kidPattern = /^[A-Za-z0-9._-]{1,64}$/;
// Node's decoder skips unknown characters; a mistyped key must not pass as another key.
const base64Pattern = /^[A-Za-z0-9+/_-]+={0,2}$/;

/**
 * The keys of `kid:base64,kid:base64` (base64 or base64url), 32 bytes each, in their order; at least one. `what` names them, for example
 * `secret key`. Throws an Error that names the fault and never shows key material.
 */
export function parseKeys(what: string, text: string): ReadonlyMap<string, Buffer> {
  const keys = new Map<string, Buffer>();
  for (const entry of text.split(',')) {
    const colon = entry.indexOf(':');
    const kid = entry.slice(0, Math.max(colon, 0)).trim();
    if (!kidPattern.test(kid)) throw new Error(`${what}s are written kid:base64,kid:base64`);
    if (keys.has(kid)) throw new Error(`${what} ${kid} appears twice`);
    const value = entry.slice(colon + 1).trim();
    const bytes = Buffer.from(value, 'base64');
    if (!base64Pattern.test(value) || bytes.length !== keyBytes) {
      throw new Error(`${what} ${kid} has to be ${keyBytes} bytes in base64`);
    }
    keys.set(kid, bytes);
  }
  return keys;
}

/** The keys of SECRET_KEYS, read once at the start. */
export class KeyRing {
  /** By kid, newest first. */
  readonly keys: ReadonlyMap<string, KeyObject>;
  readonly newest: { readonly kid: string; readonly key: KeyObject };
  readonly #oldest: KeyObject;

  /** Reads the text of SECRET_KEYS. Throws an Error that names the fault and never shows key material. */
  constructor(text: string) {
    const keys = new Map<string, KeyObject>();
    let newest: KeyRing['newest'] | undefined;
    let oldest: KeyObject | undefined;
    for (const [kid, bytes] of parseKeys('secret key', text)) {
      oldest = createSecretKey(bytes);
      newest ??= { kid, key: oldest };
      keys.set(kid, oldest);
    }
    if (newest === undefined || oldest === undefined) throw new Error('secret keys are empty');
    this.keys = keys;
    this.newest = newest;
    this.#oldest = oldest;
  }

  /** A key for one purpose, by HKDF (RFC 5869) from the oldest key: what the root of a database is made from (hash-root.ts). */
  derive(purpose: string): KeyObject {
    return deriveKey(this.#oldest, purpose);
  }

  /** The same from the key of that kid, for short-lived values that name their key; undefined where there is none. */
  deriveFrom(kid: string, purpose: string): KeyObject | undefined {
    const key = this.keys.get(kid);
    return key === undefined ? undefined : deriveKey(key, purpose);
  }
}

function deriveKey(key: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', key, '', `skein/${purpose}`, keyBytes)));
}
