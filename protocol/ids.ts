/**
 * Identifiers (specification, "Identifier prefixes"; decisions section 1): `<prefix>_` and 26 characters, a UUIDv7 in
 * Crockford base32 as TypeID writes it (https://github.com/jetify-com/typeid), so that ids sort by creation.
 */
import { hash, randomFillSync } from 'node:crypto';

export const prefixes = {
  event: 'evt',
  project: 'prj',
  user: 'usr',
  workspace: 'ws',
  environment: 'env',
  invitation: 'wsi',
  apiKey: 'key',
  partnerApp: 'map',
  thread: 'thread',
  channel: 'ch',
  message: 'msg',
  stitch: 'stitch',
  delivery: 'whd',
  byok: 'byok',
  tool: 'tool',
  loom: 'loom',
  loomVersion: 'lver',
  agent: 'agt',
  run: 'run',
  note: 'note',
  attachment: 'att',
  session: 'ses',
  audit: 'aud',
  request: 'req',
} as const;

export type Resource = keyof typeof prefixes;
/** An id branded by its prefix: a `Id<'thread'>` is never taken for an `Id<'message'>`. */
export type Id<R extends Resource> = `${(typeof prefixes)[R]}_${string}`;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

// Random bytes are drawn 4 KiB at a time: one call to the kernel's generator serves 400 ids.
const pool = new Uint8Array(4096);
let drawn = pool.length;

// The ids of one millisecond begin alike: their first ten characters are made once.
let encodedMs = -1;
let encoded = '';

/** 48 bits of time as ten characters. */
function timeText(ms: number): string {
  if (ms === encodedMs) return encoded;
  encodedMs = ms;
  encoded = encodeTime(ms);
  return encoded;
}

function encodeTime(ms: number): string {
  let time = '';
  let rest = ms;
  for (let i = 0; i < 10; i++) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}

/** Encodes ten characters of time and 10 bytes (74 bits used) as the 26 characters of a UUIDv7. */
function suffix(time: string, r: Uint8Array, o: number): string {
  const a = r[o] ?? 0,
    b = r[o + 1] ?? 0,
    c = r[o + 2] ?? 0,
    d = r[o + 3] ?? 0,
    e = r[o + 4] ?? 0;
  const f = r[o + 5] ?? 0,
    g = r[o + 6] ?? 0,
    h = r[o + 7] ?? 0,
    i = r[o + 8] ?? 0,
    j = r[o + 9] ?? 0;
  // Bits 48..: version 0111, 12 random bits, variant 10, 62 random bits; five bits to a character.
  return (
    time +
    alphabet.charAt(14 | (a & 1)) +
    alphabet.charAt(b & 31) +
    alphabet.charAt(c & 31) +
    alphabet.charAt(((a & 2) << 3) | 8 | ((a >> 2) & 3)) +
    alphabet.charAt(d & 31) +
    alphabet.charAt(e & 31) +
    alphabet.charAt(f & 31) +
    alphabet.charAt(g & 31) +
    alphabet.charAt(h & 31) +
    alphabet.charAt(i & 31) +
    alphabet.charAt(j & 31) +
    alphabet.charAt(((b >> 5) << 2) | (a >> 6)) +
    alphabet.charAt(((c >> 5) << 2) | ((a >> 4) & 3)) +
    alphabet.charAt(((d >> 5) << 2) | (e >> 6)) +
    alphabet.charAt(((f >> 5) << 2) | (g >> 6)) +
    alphabet.charAt(((h >> 5) << 2) | (i >> 6))
  );
}

/** A new id. `ms` (epoch milliseconds) is the time in its first ten characters: the present when absent. */
export function newId<R extends Resource>(resource: R, ms: number = Date.now()): Id<R> {
  if (drawn + 10 > pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const id = `${prefixes[resource]}_${suffix(timeText(ms), pool, drawn)}` as const;
  drawn += 10;
  return id as Id<R>;
}

// Of a hash: 10 bytes for the random part, then 6 for the time.
const digested = new Uint8Array(16);

/** The id that always results from the same parts: a thread's identity becomes its address without a look-up. */
export function derivedId<R extends Resource>(resource: R, ...parts: readonly string[]): Id<R> {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  // One call, about half of what a Hash object costs; and a string, half of what a Buffer costs.
  const digest = hash('sha256', text, 'binary');
  for (let i = 0; i < digested.length; i++) digested[i] = digest.charCodeAt(i);
  let ms = 0;
  for (let i = 10; i < digested.length; i++) ms = ms * 256 + (digested[i] ?? 0);
  return `${prefixes[resource]}_${suffix(encodeTime(ms), digested, 0)}` as Id<R>;
}

/**
 * The id of the `n`-th thing that an owner made, at `ms`: the time, the owner's own random characters, and `n` in the last
 * three. Unique because the owner numbers its things and makes no 32,768 of them in a millisecond; and a pure function, so that
 * a decision can name its events.
 */
export function numberedId<R extends Resource>(resource: R, ms: number, owner: string, n: number): Id<R> {
  const number = alphabet.charAt((n >> 10) & 31) + alphabet.charAt((n >> 5) & 31) + alphabet.charAt(n & 31);
  return `${prefixes[resource]}_${timeText(ms)}${owner.slice(-16, -3)}${number}` as Id<R>;
}

const body = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Whether the text has the form of an id of that resource; says nothing of its existence. */
export function isId<R extends Resource>(resource: R, text: string): text is Id<R> {
  const prefix = prefixes[resource];
  return text.startsWith(`${prefix}_`) && body.test(text.slice(prefix.length + 1));
}

/** The JSON Schema pattern of an id: the specification's, wider than what we mint, so that a foreign id is a 404 and no 422. */
export function idPattern(resource: Resource): string {
  return `^${prefixes[resource]}_[A-Za-z0-9_-]{1,128}$`;
}

/** The instant inside an id, in epoch milliseconds: what finds the day's partition of an event. */
export function instantOf(id: string): number {
  const text = id.slice(id.lastIndexOf('_') + 1);
  let ms = 0;
  for (let i = 0; i < 10; i++) ms = ms * 32 + alphabet.indexOf(text.charAt(i));
  return ms;
}
