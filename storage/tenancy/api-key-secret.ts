/** The secret of an API key: `svc_test_` or `svc_live_` and 43 characters of base62, 256 random bits. */
import { randomBytes } from 'node:crypto';
import { keySecretPrefix } from '../../protocol/resources/api-key.ts';
import type { KeyEnvironment } from '../../protocol/resources/api-key.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 43;
/** Characters of the secret proper that `keyPrefix` shows: they leave 220 bits to guess. */
const shown = 6;

const form = new RegExp(`^(?:${keySecretPrefix.test}|${keySecretPrefix.live})[0-9A-Za-z]{${length}}$`);

/** A fresh secret, to be shown once and kept as its keyed hash, and the part of it that lists may show. */
export function newApiKeySecret(environment: KeyEnvironment): { secret: string; keyPrefix: string } {
  let random = '';
  while (random.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte: beyond it the first characters would come more often.
      if (byte < 248 && random.length < length) random += alphabet.charAt(byte % 62);
    }
  }
  const secret = keySecretPrefix[environment] + random;
  return { secret, keyPrefix: secret.slice(0, keySecretPrefix[environment].length + shown) };
}

/** Whether a text has the form of a secret: what has not is refused without asking the database. */
export function looksLikeApiKey(text: string): boolean {
  return form.test(text);
}
