/**
 * Codes of an authenticator app (TOTP, RFC 6238): six digits, SHA-1 and 30 s, since that is what all apps know. A code of the step before and
 * of the step after is taken, too, for clocks that differ. Each code works once: a step that is not after the last accepted one is refused.
 */
import { Secret, TOTP } from 'otpauth';

const period = 30;
/** Steps that a clock may be off. */
const window = 1;
const issuer = 'Skein';

/** A fresh secret in base32: 160 bits, as RFC 4226 recommends. */
export function createTotpSecret(): string {
  return new Secret({ size: 20 }).base32;
}

/** What an authenticator app reads from a QR code. */
export function toTotpUri(secret: string, email: string): string {
  return create(secret, email).toString();
}

/**
 * The step of a code that is right, and newer than `lastStep`; undefined for any other.
 *
 * @param now epoch milliseconds
 */
export function findTotpStep(
  secret: string,
  code: string,
  now: number,
  lastStep: number,
): number | undefined {
  if (!/^\d{6}$/.test(code)) return undefined;
  const totp = create(secret, '');
  const delta = totp.validate({ token: code, timestamp: now, window });
  if (delta === null) return undefined;
  const step = totp.counter({ timestamp: now }) + delta;
  return step > lastStep ? step : undefined;
}

function create(secret: string, label: string): TOTP {
  return new TOTP({
    issuer,
    label,
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period,
  });
}
