/**
 * What this node knows of the register: the members, and the owners of the shards. It learns from the watch, from its own writes, and
 * by reading everything again; of each key it keeps the newest revision, in whatever order they arrive.
 *
 * Not knowing a member does not mean that it does not exist. A shard is vacant only when its owner is known to be no longer a member,
 * because this node saw it leave or because a read lacks it; an unknown owner may have joined a moment ago. And since an entry that
 * changes during a read can be missing from it, a second read, a moment later, must confirm the first.
 */
import { type Clock, pause } from '../time/index.ts';
import { SingleFlight } from './single-flight.ts';
import { getMemberName } from './cluster-context.ts';
import { LostMembers } from './lost-members.ts';
import {
  decodeConfig,
  decodeMember,
  decodeShard,
  memberKey,
  parseKey,
  type ClusterConfig,
  type MemberEntry,
  type ShardEntry,
} from './records.ts';
import type { Change, Entry, Register } from './register.ts';

const rereadMs = 20;

export interface Member extends MemberEntry {
  readonly id: string;
  readonly revision: number;
  /** When this node last saw the entry change, by its monotonic clock. */
  readonly changedAt: number;
}

export interface ClusterConfigRecord extends ClusterConfig {
  readonly revision: number;
}

export interface ShardRecord extends ShardEntry {
  readonly revision: number;
}

/**
 *   heartbeat   a member has renewed its membership
 *   all         a member joined, left or changed its state; or everything was read again
 *   a number    the record of that shard changed
 */
export type ViewChange = 'heartbeat' | 'all' | number;

export interface ViewOptions {
  readonly register: Register;
  readonly clock: Clock;
  /** Called in the same stack as the change. */
  readonly onChange: (change: ViewChange) => void;
}

export class ClusterView {
  readonly #options: ViewOptions;
  #config: ClusterConfigRecord | undefined;
  #members = new Map<string, Member>();
  #shards = new Map<number, ShardRecord>();
  /** The newest revision of each key, also of removed ones, since everything was read. */
  #revisions = new Map<string, number>();
  /** Former members, by name and incarnation, that shards may name. */
  #formerMembers = new Set<string>();
  readonly #lost: LostMembers;
  #hasUnknownOwner = false;
  /** Changes that came during a read, which may not have seen them. */
  #changesDuringRead: Change[] | undefined;
  #readAt = -Infinity;
  #closed = false;
  #unwatch: (() => void) | undefined;
  readonly #reading = new SingleFlight(() => this.#read());

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#lost = new LostMembers(options.clock);
  }

  /** Undefined until it was written, or when it cannot be read. */
  get config(): ClusterConfigRecord | undefined {
    return this.#config;
  }

  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** Members that died, hang or are cut off, by their ids (lost-members.ts). */
  listLost(): string[] {
    return this.#lost.list();
  }

  /** When everything was last read, by the monotonic clock. */
  get readAt(): number {
    return this.#readAt;
  }

  /** A shard has an owner that this node does not know: it has missed something. */
  get hasUnknownOwner(): boolean {
    return this.#hasUnknownOwner;
  }

  /** The register is being read. */
  get isReading(): boolean {
    return this.#reading.isRunning;
  }

  /** The shard's record; undefined when it never had an owner. */
  getRecord(shard: number): ShardRecord | undefined {
    return this.#shards.get(shard);
  }

  /** The member of that id and incarnation. */
  getMember(id: string, incarnation: string): Member | undefined {
    const member = this.#members.get(id);
    return member?.incarnation === incarnation ? member : undefined;
  }

  /** The member that owns the shard by its record; undefined when that is not a known member. */
  getOwner(shard: number): Member | undefined {
    const record = this.#shards.get(shard);
    return record && this.getMember(record.owner, record.incarnation);
  }

  /** It is certain that no member owns the shard. */
  isVacant(shard: number): boolean {
    const record = this.#shards.get(shard);
    if (record === undefined) return true;
    return (
      this.getOwner(shard) === undefined &&
      this.#formerMembers.has(getMemberName(record.owner, record.incarnation))
    );
  }

  /** Begins to watch. Rejects with `RegisterUnavailable`. */
  async open(): Promise<void> {
    if (this.#unwatch !== undefined) return;
    const unwatch = await this.#options.register.watch(change => this.apply(change));
    if (this.#closed) unwatch();
    else this.#unwatch = unwatch;
  }

  close(): void {
    this.#closed = true;
    this.#unwatch?.();
    this.#unwatch = undefined;
  }

  /** Reads everything again. Rejects with `RegisterUnavailable`. */
  refresh(): Promise<void> {
    return this.#reading.run();
  }

  /** Applies a change from the watch, or one that this node wrote itself. */
  apply(change: Change): void {
    this.#changesDuringRead?.push(change);
    const what = this.#set(change);
    if (what !== undefined) this.#options.onChange(what);
  }

  /** This node has removed a member's entry that was at that revision; the removal itself has a later one. */
  applyRemoval(id: string, revision: number): void {
    this.apply({ key: memberKey(id), value: undefined, revision: revision + 1 });
  }

  async #read(): Promise<void> {
    const { register, clock, onChange } = this.#options;
    this.#changesDuringRead = [];
    try {
      let entries = await register.entries();
      if (!this.#isComplete(entries)) {
        await pause(clock, rereadMs);
        entries = await register.entries();
      }
      const before = this.#members;
      this.#config = undefined;
      this.#members = new Map();
      this.#shards = new Map();
      this.#revisions = new Map();
      this.#formerMembers = new Set();
      for (const entry of entries) this.#set(entry, before);
      for (const record of this.#shards.values()) {
        if (this.getMember(record.owner, record.incarnation) === undefined)
          this.#formerMembers.add(getMemberName(record.owner, record.incarnation));
      }
      this.#hasUnknownOwner = false;
      for (const change of this.#changesDuringRead) this.#set(change, before);
      this.#readAt = clock.monotonic();
    } finally {
      this.#changesDuringRead = undefined;
    }
    onChange('all');
  }

  /** Whether all known members and all owners of shards are among the entries. */
  #isComplete(entries: readonly Entry[]): boolean {
    const incarnations = new Map<string, string>();
    for (const { key, value } of entries) {
      const parsed = parseKey(key);
      if (parsed?.of === 'member') incarnations.set(parsed.id, decodeMember(value).incarnation);
    }
    for (const id of this.#members.keys()) if (!incarnations.has(id)) return false;
    return entries.every(({ key, value }) => {
      if (parseKey(key)?.of !== 'shard') return true;
      const { owner, incarnation } = decodeShard(value);
      return incarnations.get(owner) === incarnation;
    });
  }

  /** What has changed; undefined for an old revision or an unknown key. */
  #set(change: Change, before: ReadonlyMap<string, Member> = this.#members): ViewChange | undefined {
    const { key, value, revision } = change;
    if (revision <= (this.#revisions.get(key) ?? 0)) return undefined;
    this.#revisions.set(key, revision);
    const parsed = parseKey(key);
    switch (parsed?.of) {
      case 'config':
        this.#config = toConfigRecord(value, revision);
        return 'all';
      case 'shard':
        if (value === undefined) this.#shards.delete(parsed.shard);
        else this.#shards.set(parsed.shard, { ...decodeShard(value), revision });
        if (this.getOwner(parsed.shard) === undefined && !this.isVacant(parsed.shard))
          this.#hasUnknownOwner = true;
        return parsed.shard;
      case 'member':
        return this.#setMember(parsed.id, value, revision, before);
      case undefined:
        return undefined;
    }
  }

  #setMember(
    id: string,
    value: string | undefined,
    revision: number,
    before: ReadonlyMap<string, Member>,
  ): ViewChange {
    const old = before.get(id);
    const known = this.#members.get(id);
    if (value === undefined) {
      if (known !== undefined) {
        this.#formerMembers.add(getMemberName(id, known.incarnation));
        if (known.state !== 'draining') this.#lost.add(id);
      }
      this.#members.delete(id);
      return 'all';
    }
    this.#lost.delete(id);
    const changedAt = old?.revision === revision ? old.changedAt : this.#options.clock.monotonic();
    const member = { ...decodeMember(value), id, revision, changedAt };
    this.#members.set(id, member);
    if (known !== undefined && known.incarnation !== member.incarnation)
      this.#formerMembers.add(getMemberName(id, known.incarnation));
    return old?.incarnation === member.incarnation && old.state === member.state ? 'heartbeat' : 'all';
  }
}

function toConfigRecord(value: string | undefined, revision: number): ClusterConfigRecord | undefined {
  const config = value === undefined ? undefined : decodeConfig(value);
  return config && { ...config, revision };
}
