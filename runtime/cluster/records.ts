/**
 * The entries of the register, as JSON:
 *
 *   cluster          {shards, wire}: written when the cluster is created, and again when its nodes change to another wire version
 *   node.<id>        a member, which rewrites its entry at each heartbeat and is a member as long as the key exists
 *   shard.<number>   the shard's owner: the named incarnation of a node, while that is a member; else it has none
 *
 * A reader ignores fields that it does not know. An entry that it cannot read counts as naming no node.
 */

/** Grows when nodes of two releases could not work side by side. */
export const wireVersion = 2;

/** What all nodes of a cluster have in common. */
export interface ClusterConfig {
  readonly shards: number;
  readonly wire: number;
}

/**
 *   joining    new: keeps the shards that it took when no other node was there, and gets no others
 *   settled    has been up for a while: owns its share
 *   draining   hands its shards over, and takes none
 */
export type MemberState = 'joining' | 'settled' | 'draining';

export interface MemberEntry {
  /** Random, and new each time that the node joins. */
  readonly incarnation: string;
  /** Counts the renewals. */
  readonly beat: number;
  /** The version of the node's software; only shown. */
  readonly release: string;
  readonly wire: number;
  readonly state: MemberState;
  /** When it joined, in epoch milliseconds by its own clock; only shown. */
  readonly since: number;
  /** Where other services reach it, if it tells: for clients, and nothing between nodes. */
  readonly address?: string | undefined;
  /** Milliseconds from its last proven write to the store to this renewal; absent before the first, and in an earlier version. */
  readonly wroteMs?: number | undefined;
}

/**
 *   first      it had no owner yet
 *   takeover   its owner, `from`, was no longer a member
 *   handover   its owner, `from`, handed it over
 *   kept       its owner wrote itself again, after a hand-over of unknown outcome
 */
export type OwnershipCause = 'first' | 'takeover' | 'handover' | 'kept';

export interface ShardEntry {
  readonly owner: string;
  readonly incarnation: string;
  readonly cause: OwnershipCause;
  readonly from?: string | undefined;
  /** Why `from` was removed, in a takeover, if the new owner knows: `gone` or `expired`. */
  readonly fate?: string | undefined;
  /** Epoch milliseconds by the writer's clock; only shown. */
  readonly since: number;
}

export const configKey = 'cluster';

const memberPrefix = 'node.';
const shardPrefix = 'shard.';
const nodeId = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const maxIdLength = 128;

export function memberKey(id: string): string {
  return memberPrefix + id;
}

export function shardKey(shard: number): string {
  return `${shardPrefix}${shard}`;
}

/** Throws a `TypeError` for an id that cannot be part of a key. */
export function checkNodeId(id: string): void {
  if (!nodeId.test(id) || id.length > maxIdLength) {
    throw new TypeError(`a node's id is 1 to ${maxIdLength} of A-Z a-z 0-9 . _ -, not ${JSON.stringify(id)}`);
  }
}

/** A key, taken apart. */
export type RegisterKey =
  | { readonly of: 'config' }
  | { readonly of: 'member'; readonly id: string }
  | { readonly of: 'shard'; readonly shard: number };

/** Undefined for a key of a newer version. */
export function parseKey(key: string): RegisterKey | undefined {
  if (key === configKey) return { of: 'config' };
  if (key.startsWith(memberPrefix)) return { of: 'member', id: key.slice(memberPrefix.length) };
  if (!key.startsWith(shardPrefix)) return undefined;
  const shard = Number(key.slice(shardPrefix.length));
  return Number.isSafeInteger(shard) && shard >= 0 ? { of: 'shard', shard } : undefined;
}

export function encode(entry: ClusterConfig | MemberEntry | ShardEntry): string {
  return JSON.stringify(entry);
}

/** Undefined when it cannot be read. */
export function decodeConfig(text: string): ClusterConfig | undefined {
  const { shards, wire } = parseObject(text) as Partial<ClusterConfig>;
  return typeof shards === 'number' && typeof wire === 'number' ? { shards, wire } : undefined;
}

export function decodeMember(text: string): MemberEntry {
  const entry = parseObject(text) as Partial<MemberEntry>;
  const {
    incarnation = '',
    beat = 0,
    release = '',
    wire = 0,
    state = 'draining',
    since = 0,
    address,
    wroteMs,
  } = entry;
  return { incarnation, beat, release, wire, state, since, address, wroteMs };
}

export function decodeShard(text: string): ShardEntry {
  const entry = parseObject(text) as Partial<ShardEntry>;
  const { owner = '', incarnation = '', cause = 'first', from, fate, since = 0 } = entry;
  return { owner, incarnation, cause, from, fate, since };
}

/** Trusts its input: a node of the cluster wrote it, so that the fields that are there have their types. */
function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
