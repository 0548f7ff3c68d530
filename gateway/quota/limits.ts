/** How much a tenant may have (docs/operate/rate-limits.md, "How much there may be"): what LIMITS sets. */
import { defaultLimits, type Limits } from '../../storage/writes/index.ts';
import { parseObject } from './rates.ts';

/** 8 PiB: what JavaScript can count. */
const largest = Number.MAX_SAFE_INTEGER;

/** JSON that puts limits of its own in the place of some defaults; undefined for anything else. */
export function readLimits(text: string): Limits | undefined {
  const given = parseObject(text);
  return given === undefined || findFault(given) !== undefined ? undefined : { ...defaultLimits, ...given };
}

/** What is wrong with a text that `readLimits` does not accept. */
export function faultInLimits(text: string): string {
  const given = parseObject(text);
  return (given && findFault(given)) ?? 'that is no JSON object';
}

function findFault(given: object): string | undefined {
  for (const [name, most] of Object.entries(given)) {
    if (!(name in defaultLimits)) {
      return `there is no ${JSON.stringify(name)}, only ${Object.keys(defaultLimits).join(', ')}`;
    }
    if (!Number.isSafeInteger(most) || Number(most) < 0) return `${name} wants 0 to ${largest}`;
  }
  return undefined;
}
