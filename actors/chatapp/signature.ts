/** The signature of the provider's webhooks: HMAC-SHA256 over the bytes as they came, before anybody has looked into them. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const form = /^sha256=[0-9a-f]{64}$/;

/** Whether one of the secrets made the signature of these bytes. */
export function isSignedBy(body: Uint8Array, header: string, secrets: readonly string[]): boolean {
  if (!form.test(header)) return false;
  const given = Buffer.from(header.slice('sha256='.length), 'hex');
  return secrets.some(secret => timingSafeEqual(createHmac('sha256', secret).update(body).digest(), given));
}
