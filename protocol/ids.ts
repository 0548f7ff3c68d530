/**
 * Identifiers (docs/decisions/0015-ids.md): `<prefix>_` and 26 characters, a UUIDv7 in Crockford base32 as in TypeID
 * (https://github.com/jetify-com/typeid), so that ids sort by creation.
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
  cannedReply: 'canned',
  attachment: 'att',
  session: 'ses',
  passkey: 'pky',
  audit: 'aud',
  request: 'req',
} as const;

export type Resource = keyof typeof prefixes;
/** An id branded by its prefix: an `Id<'thread'>` cannot be used as an `Id<'message'>`. */
export type Id<R extends Resource> = `${(typeof prefixes)[R]}_${string}`;

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

// Random bytes are drawn 4 KiB at a time: one call to the kernel's generator serves 400 ids.
const pool = new Uint8Array(4096);
let drawn = pool.length;

// All ids of one millisecond have the same first ten characters, which are encoded once.
let encodedMs = -1;
let encoded = '';

/** 48 bits of time as ten characters. */
function getTimeText(ms: number): string {
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

/** Ten characters of time and 10 bytes (74 bits used) as the 26 characters of a UUIDv7. */
function encodeSuffix(time: string, r: Uint8Array, o: number): string {
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

/** A new id. `ms` (epoch milliseconds) is the time in its first ten characters, by default now. */
export function newId<R extends Resource>(resource: R, ms: number = Date.now()): Id<R> {
  if (drawn + 10 > pool.length) {
    randomFillSync(pool);
    drawn = 0;
  }
  const id = `${prefixes[resource]}_${encodeSuffix(getTimeText(ms), pool, drawn)}` as const;
  drawn += 10;
  return id as Id<R>;
}

// Of a hash: 10 bytes for the random part, then 6 for the time.
const digested = new Uint8Array(16);

/** An id derived from the parts: the same parts always give the same id. */
export function derivedId<R extends Resource>(resource: R, ...parts: readonly string[]): Id<R> {
  let text = '';
  for (const part of parts) text += `${Buffer.byteLength(part)}:${part}`;
  // One call costs about half of a Hash object, and a string half of a Buffer.
  const digest = hash('sha256', text, 'binary');
  for (let i = 0; i < digested.length; i++) digested[i] = digest.charCodeAt(i);
  let ms = 0;
  for (let i = 10; i < digested.length; i++) ms = ms * 256 + (digested[i] ?? 0);
  return `${prefixes[resource]}_${encodeSuffix(encodeTime(ms), digested, 0)}` as Id<R>;
}

/**
 * The id of the `n`-th thing that an owner creates, at `ms`: the time, the owner's own random characters, and `n` in the last three.
 * Unique because the owner numbers its things and creates fewer than 32,768 in a millisecond. A pure function, so that a decision can
 * make the ids of its events.
 */
export function numberedId<R extends Resource>(resource: R, ms: number, owner: string, n: number): Id<R> {
  const number = alphabet.charAt((n >> 10) & 31) + alphabet.charAt((n >> 5) & 31) + alphabet.charAt(n & 31);
  return `${prefixes[resource]}_${getTimeText(ms)}${owner.slice(-16, -3)}${number}` as Id<R>;
}

const body = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

/** Whether the text has the form of an id of that resource; the resource need not exist. */
export function isId<R extends Resource>(resource: R, text: string): text is Id<R> {
  const prefix = prefixes[resource];
  return text.startsWith(`${prefix}_`) && body.test(text.slice(prefix.length + 1));
}

/** The JSON Schema pattern of an id. It is wider than the ids made here, so that another id is a 404 and not a 422. */
export function idPattern(resource: Resource): string {
  return `^${prefixes[resource]}_[A-Za-z0-9_-]{1,128}$`;
}

/** The time in an id, in epoch milliseconds; it gives the daily partition of an event. */
export function getIdTime(id: string): number {
  const text = id.slice(id.lastIndexOf('_') + 1);
  let ms = 0;
  for (let i = 0; i < 10; i++) ms = ms * 32 + alphabet.indexOf(text.charAt(i));
  return ms;
}

/**
 * The id of the thread that one participant of a channel has in an environment. Because it is derived from this identity, a message
 * finds its thread without a look-up, and two first messages that arrive at once cannot make two threads.
 */
export function deriveThreadId(environmentId: string, channelId: string, externalRef: string): Id<'thread'> {
  return derivedId('thread', environmentId, channelId, externalRef);
}

/** The identity of the thread that a message is for: its participant, or the conversation where only that is named. */
export function pickExternalRef<Ref>(message: {
  readonly externalParticipantRef?: Ref;
  readonly externalThreadRef?: Ref;
}): Ref | undefined {
  return message.externalParticipantRef ?? message.externalThreadRef;
}

/**
 * What decides the shard of a thread and of its runs: the random characters of the id, which `numberedId` passes from an owner to
 * what it makes. A thread makes the ids of its runs, so they share its shard and its node, and what a thread and its run tell each
 * other does not cross the network. An id that is not numbered has random characters of its own in the same place.
 */
export function toShardKey(id: string): string {
  return id.slice(-16, -3);
}
