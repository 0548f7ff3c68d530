/** The secret of an API key: `svc_test_` or `svc_live_` and 43 characters of base62, 256 random bits. */
import { randomBytes } from 'node:crypto';
import { type KeyEnvironment, keySecretPrefix } from '../../protocol/resources/index.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 43;
/** Characters of the random part that `keyPrefix` shows: they leave 220 bits to guess. */
const shown = 6;

/** A new secret, to be shown once and kept as its keyed hash, and the part of it that lists may show. */
export function newApiKeySecret(environment: KeyEnvironment): { secret: string; keyPrefix: string } {
  let random = '';
  while (random.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: beyond it, the first characters would be more frequent.
      if (byte < 248 && random.length < length) random += alphabet.charAt(byte % 62);
    }
  }
  const secret = keySecretPrefix[environment] + random;
  return { secret, keyPrefix: secret.slice(0, keySecretPrefix[environment].length + shown) };
}
