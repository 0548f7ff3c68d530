/** Lengths of time as people type them: `30s`, `10m`, `2h`, `90d`. */
import { InvalidArgumentError } from 'commander';

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** In milliseconds. */
export function parseDuration(text: string): number {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('write it as 30s, 10m, 2h or 90d');
  return Number(count) * units[unit as keyof typeof units];
}

/** An instant: so long ago, or as it is. */
export function parseSince(text: string): string {
  if (/^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  try {
    return new Date(Date.now() - parseDuration(text)).toISOString();
  } catch {
    throw new InvalidArgumentError('write it as 10m, 2h, 90d or an instant, 2026-11-23T07:00:00Z');
  }
}

/** A whole number from `least` on. */
export function parseCount(least: number): (text: string) => number {
  return text => {
    const count = Number(text);
    if (!Number.isSafeInteger(count) || count < least)
      throw new InvalidArgumentError(`write a whole number from ${least} on`);
    return count;
  };
}

/** Texts of an option that may be given several times. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}
