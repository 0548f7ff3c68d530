/**
 * What counts as text (decisions section 1): Unicode scalar values without U+0000, measured in code points. PostgreSQL
 * can hold neither a NUL character nor a lone surrogate, and everything else is kept to the byte.
 */
import { IsEmail, IsUri } from 'typebox/format';
import type { Issue } from './errors.ts';

/** Whether PostgreSQL can hold the text unchanged: no U+0000, no lone surrogate. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The number of code points: what JSON Schema means by the length of a string. */
export function codePoints(text: string): number {
  let pairs = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff && i + 1 < text.length) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        pairs++;
        i++;
      }
    }
  }
  return text.length - pairs;
}

/** At most `max` code points; counts only where the UTF-16 length leaves it open. */
export function fitsMaxLength(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && codePoints(text) <= max);
}

/** At least `min` code points; counts only where the UTF-16 length leaves it open. */
export function fitsMinLength(text: string, min: number): boolean {
  return text.length >= 2 * min || (text.length >= min && codePoints(text) >= min);
}

/** Issues that one answer names at most: a body of nothing but mistakes must not become an answer of that size. */
export const maxIssues = 100;

/** How deep a JSON value may nest: far beyond any use, far below what overflows a stack or PostgreSQL's parser. */
export const maxDepth = 64;

/** RFC 6901: a key as one step of a JSON pointer. */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/**
 * Walks a JSON value and reports what cannot be kept: text, also of keys and inside free-form objects, that is not
 * storable; numbers beyond the range of a double, which JSON.parse turns into infinity and JSON.stringify into null;
 * nesting beyond {@link maxDepth}. Undefined: all of it can be kept. `path` is the JSON pointer of the value.
 */
export function unstorable(value: unknown, path = ''): Issue[] | undefined {
  if (isStorable(value, 0)) return undefined;
  const issues: Issue[] = [];
  visit(value, path, 0, issues);
  return issues;
}

/** The same judgement without paths: every request makes it, and hardly one needs the paths. */
function isStorable(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isStorableText(value);
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) if (!isStorable(value[i], depth + 1)) return false;
    return true;
  }
  for (const key in value) {
    if (!isStorableText(key) || !isStorable((value as Record<string, unknown>)[key], depth + 1)) return false;
  }
  return true;
}

const badText = 'must not contain U+0000 or lone surrogates';

function visit(value: unknown, path: string, depth: number, issues: Issue[]): void {
  if (issues.length === maxIssues) return;
  if (typeof value === 'string') {
    if (!isStorableText(value)) issues.push({ path, message: badText, code: 'text' });
    return;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) issues.push({ path, message: 'must be a finite number', code: 'number' });
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth === maxDepth) {
    issues.push({ path, message: `must not nest deeper than ${maxDepth} levels`, code: 'depth' });
    return;
  }
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) visit(value[i], `${path}/${i}`, depth + 1, issues);
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    // The offending key itself is not echoed: the answer has to be storable text too.
    if (!isStorableText(key)) issues.push({ path, message: `names ${badText}`, code: 'text' });
    else visit(member, `${path}/${pointerStep(key)}`, depth + 1, issues);
  }
}

const instantForm = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.\d{1,9})?(?:Z|[+-](\d\d):(\d\d))$/;

/**
 * Strict ISO 8601 with seconds and an offset, a day that exists, no leap second, and an instant within the years 1 to
 * 9999, so that every accepted text is a JavaScript Date and a PostgreSQL timestamp.
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

/** An RFC 5322 address as people have them: no quoted names, no address literals, a domain with a dot. */
export function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && !/["[]/.test(text) && text.indexOf('.', at) > at + 1 && IsEmail(text);
}

/** An absolute http or https address (RFC 3986) with a host and without userinfo. */
export function isHttpUrl(text: string): boolean {
  // The authority is judged as written: of an empty userinfo (`https://@host`) the parsed address shows nothing.
  return /^https?:\/\/[^/?#@]+(?:[/?#]|$)/i.test(text) && IsUri(text) && URL.canParse(text);
}

/** The formats that schemas may use; a name that is not here stops the compilation, so that a typo cannot pass. */
export const formats: Readonly<Record<string, (text: string) => boolean>> = {
  'date-time': isInstant,
  date: text => /^\d{4}-\d\d-\d\d$/.test(text) && isInstant(`${text}T00:00:00Z`),
  email: isEmailAddress,
  uri: isHttpUrl,
};
