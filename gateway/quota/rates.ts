/** How many requests are allowed (docs/operate/rate-limits.md): the buckets by name, their defaults, and what RATE_LIMITS sets. */
import { quarterRate, type Rate } from '../../actors/quota/index.ts';

/** One bucket for each address, e-mail, credential, project or thread: which of them, the name says or rate-limiter.ts. */
export const bucketNames = [
  'refused',
  'authAddress',
  'authAddressEmail',
  'authEmail',
  'signUpAddress',
  'signUpNetwork',
  'read',
  'readProject',
  'write',
  'writeProject',
  'invitations',
  'invitationsUser',
  'messageProject',
  'messageThread',
  'receiptProject',
  'run',
  'runProject',
  'test',
  'testProject',
  'webhooks',
  'webhooksUnverified',
] as const;
export type BucketName = (typeof bucketNames)[number];
export type Rates = Readonly<Record<BucketName, Rate>>;

const second = 1_000;
const minute = 60_000;

export const defaultRates: Rates = {
  refused: { limit: 300, windowMs: minute },
  authAddress: { limit: 10, windowMs: minute },
  authAddressEmail: { limit: 5, windowMs: minute },
  authEmail: { limit: 30, windowMs: minute },
  // A sign-up reveals whether an address has an account, so one address or network may ask for few.
  signUpAddress: { limit: 20, windowMs: 60 * minute },
  signUpNetwork: { limit: 100, windowMs: 60 * minute },
  read: { limit: 1_200, windowMs: minute },
  // A project may have any number of keys and users: all together have five times what one has.
  readProject: { limit: 6_000, windowMs: minute },
  write: { limit: 600, windowMs: minute },
  writeProject: { limit: 3_000, windowMs: minute },
  // Each sends a mail to whomever the inviter names.
  invitations: { limit: 30, windowMs: 60 * minute },
  // A user may have many workspaces.
  invitationsUser: { limit: 30, windowMs: 60 * minute },
  messageProject: { limit: 100, windowMs: second },
  // Bursts of 25, and 5 a second for as long as anybody likes.
  messageThread: { limit: 25, windowMs: 5 * second },
  // A message has up to three receipts and a command to acknowledge: enough for as many messages as a project may send.
  receiptProject: { limit: 400, windowMs: second },
  run: { limit: 120, windowMs: minute },
  runProject: { limit: 600, windowMs: minute },
  test: { limit: 30, windowMs: minute },
  testProject: { limit: 150, windowMs: minute },
  // Until the host has proven that it wants more.
  webhooks: { limit: 50, windowMs: second },
  // The first webhook arrives at once, and the rest once a second.
  webhooksUnverified: { limit: 5, windowMs: 5 * second },
};

const largestLimit = 1_000_000;
const largestWindowSeconds = 86_400;

/** Nothing is limited. */
export const unlimited = 'off';

/** `on`, `off`, or JSON that puts rates of its own in the place of some defaults; undefined for anything else. */
export function readRates(text: string): Rates | typeof unlimited | undefined {
  if (text === 'on') return defaultRates;
  if (text === unlimited) return unlimited;
  const given = parseObject(text);
  if (given === undefined || faultIn(given) !== undefined) return undefined;
  const rates: Record<string, Rate> = { ...defaultRates };
  for (const [name, { limit, windowSeconds }] of Object.entries(given as Record<string, GivenRate>)) {
    rates[name] = { limit, windowMs: windowSeconds * second };
  }
  return rates as Rates;
}

/** What is wrong with a text that `readRates` does not accept. */
export function faultInRates(text: string): string {
  const given = parseObject(text);
  return (given && faultIn(given)) ?? 'that is neither on, nor off, nor a JSON object';
}

interface GivenRate {
  readonly limit: number;
  readonly windowSeconds: number;
}

function faultIn(given: Readonly<Record<string, unknown>>): string | undefined {
  for (const [name, rate] of Object.entries(given)) {
    if (!bucketNames.some(known => known === name)) {
      return `there is no ${JSON.stringify(name)}, only ${bucketNames.join(', ')}`;
    }
    if (!isObject(rate) || Object.keys(rate).sort().join() !== 'limit,windowSeconds') {
      return `${name} wants {"limit": ..., "windowSeconds": ...}`;
    }
    if (!isWhole(rate['limit'], largestLimit)) return `${name}.limit wants 1 to ${largestLimit}`;
    if (!isWhole(rate['windowSeconds'], largestWindowSeconds)) {
      return `${name}.windowSeconds wants 1 to ${largestWindowSeconds}`;
    }
  }
  return undefined;
}

/** The object that the JSON text is; undefined for anything else. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const given: unknown = JSON.parse(text);
    return isObject(given) ? given : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isWhole(value: unknown, max: number): boolean {
  return Number.isInteger(value) && typeof value === 'number' && value >= 1 && value <= max;
}

/** The longest time in milliseconds that a bucket of these rates, or of a quarter of one, needs until it is full again. */
export function longestWindowMs(rates: Rates): number {
  const windows = bucketNames.flatMap(name => [rates[name].windowMs, quarterRate(rates[name]).windowMs]);
  return Math.max(...windows);
}
