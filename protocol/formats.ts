/** The formats of text that schemas use (docs/contract-decisions.md, "Text"). */
import { IsEmail, IsUri } from 'typebox/format';

const instantForm = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/**
 * RFC 3339, where `t` and `z` may be small: ISO 8601 with seconds and an offset, a day that exists, no leap second, and an instant within
 * the years 1 to 9999, so that every accepted text is a JavaScript Date and a PostgreSQL timestamp.
 */
export function isInstant(text: string): boolean {
  const parts = instantForm.exec(text);
  if (parts === null) return false;
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  if (Number(parts[7] ?? 0) > 15 || Number(parts[8] ?? 0) > 59) return false;
  if (day > new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()) return false;
  const at = Date.parse(text);
  return at >= firstInstant && at <= lastInstant;
}
const firstInstant = Date.parse('0001-01-01T00:00:00.000Z');
const lastInstant = Date.parse('9999-12-31T23:59:59.999Z');

/** Longest e-mail address, in characters: 64 before the @ and 255 behind it (RFC 5321, section 4.5.3.1). */
export const maxEmailLength = 320;

/** An RFC 5322 address of the usual form: no quoted names, no address literals, a domain with a dot. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && !/["[]/.test(text) && text.indexOf('.', at) > at + 1 && IsEmail(text);
}

/** An absolute http or https address (RFC 3986) with a host and without userinfo. */
export function isHttpUrl(text: string): boolean {
  // Checks the authority as written: the parsed URL does not show an empty userinfo (`https://@host`).
  return /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text) && IsUri(text) && URL.canParse(text);
}

/** By name. An unknown name is an error when a schema is compiled, so that a typo cannot pass. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isInstant,
  date: text => /^\d{4}-\d\d-\d\d$/.test(text) && isInstant(`${text}T00:00:00Z`),
  email: isEmailAddress,
  uri: isHttpUrl,
};
