/**
 * The keys of Studio access tokens: Ed25519, named by `kid`. The first key of the ring signs, all of them verify, so that
 * a key is retired by putting a new one in front and dropping the old one 15 minutes later.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { parseKeys } from '../../storage/keyring.ts';

/** The ring, ready for use. */
export interface TokenKeys {
  /** Signs new tokens. */
  readonly current: { readonly kid: string; readonly key: KeyObject };
  /** Public halves by kid. */
  readonly verify: ReadonlyMap<string, KeyObject>;
}

/** What stands before the 32 bytes of the seed in the PKCS #8 form of an Ed25519 key (RFC 8410, section 7). */
const pkcs8Head = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * Reads TOKEN_KEYS: `kid:base64,kid:base64`, each the 32 bytes of an Ed25519 seed in base64 or base64url.
 * Throws an Error that names the fault and never shows key material.
 */
export function parseTokenKeys(text: string): TokenKeys {
  const verify = new Map<string, KeyObject>();
  let current: TokenKeys['current'] | undefined;
  for (const [kid, seed] of parseKeys('token key', text)) {
    const key = createPrivateKey({ key: Buffer.concat([pkcs8Head, seed]), format: 'der', type: 'pkcs8' });
    current ??= { kid, key };
    verify.set(kid, createPublicKey(key));
  }
  if (current === undefined) throw new Error('token keys are empty');
  return { current, verify };
}
