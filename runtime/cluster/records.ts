/**
 * What stands in the register, as JSON:
 *
 *   cluster          {shards, wire}: written at the cluster's birth; `wire` again by the first node of a version that speaks another way
 *   node.<id>        a member, rewritten by itself at each heartbeat. It is one as long as the key stands.
 *   shard.<number>   who owns the shard: the named incarnation of a node, while that is a member. Else nobody.
 *
 * Fields that a reader does not know are no concern of its own. What cannot be read at all counts as the entry of nobody.
 */

/** Grows when nodes of two versions could not work side by side. */
export const wireVersion = 1;

export interface Birth {
  readonly shards: number;
  readonly wire: number;
}

/**
 *   joining    new: keeps what it took when nobody else was there, and is given nothing
 *   settled    has been up for a while: owns its share
 *   draining   hands over what it has, and takes nothing
 */
export type MemberState = 'joining' | 'settled' | 'draining';

export interface MemberEntry {
  /** Drawn anew each time that the node joins. */
  readonly incarnation: string;
  /** Counts the renewals. */
  readonly beat: number;
  /** The version of the node's software, to be shown. */
  readonly release: string;
  readonly wire: number;
  readonly state: MemberState;
  /** When it joined, in epoch milliseconds by its own clock: to be shown, nothing rests on it. */
  readonly since: number;
}

/**
 *   first      it had no owner yet
 *   takeover   its owner, `from`, was a member no more
 *   handover   its owner, `from`, wrote it over
 *   kept       its owner wrote itself in again, after a hand-over of unknown outcome
 */
export type Cause = 'first' | 'takeover' | 'handover' | 'kept';

export interface ShardEntry {
  readonly owner: string;
  readonly incarnation: string;
  readonly cause: Cause;
  readonly from?: string | undefined;
  /** What became of `from`, in a takeover, if the new owner knows: `gone` or `expired`. */
  readonly fate?: string | undefined;
  /** Epoch milliseconds by the writer's clock: to be shown, nothing rests on it. */
  readonly since: number;
}

export const birthKey = 'cluster';

const memberPrefix = 'node.';
const shardPrefix = 'shard.';
const ids = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const longestId = 128;

export function memberKey(id: string): string {
  return memberPrefix + id;
}

export function shardKey(shard: number): string {
  return `${shardPrefix}${shard}`;
}

/** Throws a `TypeError` when it cannot be part of a key. */
export function checkNodeId(id: string): void {
  if (!ids.test(id) || id.length > longestId) {
    throw new TypeError(`a node's id is 1 to ${longestId} of A-Z a-z 0-9 . _ -, not ${JSON.stringify(id)}`);
  }
}

/** What a key is about. */
export type Subject =
  | { readonly of: 'birth' }
  | { readonly of: 'member'; readonly id: string }
  | { readonly of: 'shard'; readonly shard: number };

/** Undefined for a key of a newer version. */
export function subjectOf(key: string): Subject | undefined {
  if (key === birthKey) return { of: 'birth' };
  if (key.startsWith(memberPrefix)) return { of: 'member', id: key.slice(memberPrefix.length) };
  if (!key.startsWith(shardPrefix)) return undefined;
  const shard = Number(key.slice(shardPrefix.length));
  return Number.isSafeInteger(shard) && shard >= 0 ? { of: 'shard', shard } : undefined;
}

export function encode(entry: Birth | MemberEntry | ShardEntry): string {
  return JSON.stringify(entry);
}

/** Undefined when it cannot be read. */
export function decodeBirth(text: string): Birth | undefined {
  const { shards, wire } = decode(text) as Partial<Birth>;
  return typeof shards === 'number' && typeof wire === 'number' ? { shards, wire } : undefined;
}

export function decodeMember(text: string): MemberEntry {
  const entry = decode(text) as Partial<MemberEntry>;
  const { incarnation = '', beat = 0, release = '', wire = 0, state = 'draining', since = 0 } = entry;
  return { incarnation, beat, release, wire, state, since };
}

export function decodeShard(text: string): ShardEntry {
  const entry = decode(text) as Partial<ShardEntry>;
  const { owner = '', incarnation = '', cause = 'first', from, fate, since = 0 } = entry;
  return { owner, incarnation, cause, from, fate, since };
}

/** Nodes of the cluster wrote it, so its fields have their types where they are there. */
function decode(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
