/**
 * What this node knows of the register: who is a member, and who owns which shard. It learns by the watch, by its own writes,
 * and by reading everything anew; of each key it keeps the newest revision, in whatever order these come.
 *
 * What it does not know is not what is not so. A shard is vacant only when its owner is known to be a member no more, because it
 * was seen to go, or because a reading lacks it; an owner of whom this node has not heard may have joined a moment ago. And as
 * entries that change while they are read can be missing from a reading, a second one, a moment later, has to say the same.
 */
import type { Clock } from '../clock.ts';
import { Fresh } from './fresh.ts';
import { memberName } from './host.ts';
import { pause } from '../pause.ts';
import {
  decodeBirth,
  decodeMember,
  decodeShard,
  memberKey,
  subjectOf,
  type Birth,
  type MemberEntry,
  type ShardEntry,
} from './records.ts';
import type { Change, Entry, Register } from './register.ts';

const secondLookMs = 20;

export interface Member extends MemberEntry {
  readonly id: string;
  readonly revision: number;
  /** When this node saw the entry change last, by its monotonic clock. */
  readonly changedAt: number;
}

export interface BirthRecord extends Birth {
  readonly revision: number;
}

export interface ShardRecord extends ShardEntry {
  readonly revision: number;
}

/**
 *   beat      a member has renewed itself
 *   all       a member came, went, or changed its state; or everything was read anew
 *   a number  that shard's record changed
 */
export type Changed = 'beat' | 'all' | number;

export interface ViewOptions {
  readonly register: Register;
  readonly clock: Clock;
  /** Called in the same stack as the change. */
  readonly changed: (what: Changed) => void;
}

export class ClusterView {
  readonly #options: ViewOptions;
  #birth: BirthRecord | undefined;
  #members = new Map<string, Member>();
  #shards = new Map<number, ShardRecord>();
  /** The newest revision of each key, of removed ones too: until everything is read anew. */
  #revisions = new Map<string, number>();
  /** Members by name and incarnation that are ones no more, as far as shards may name them. */
  #former = new Set<string>();
  #isPuzzled = false;
  /** Changes that came during a reading, which may not have seen them. */
  #meanwhile: Change[] | undefined;
  #readAt = -Infinity;
  #closed = false;
  #unwatch: (() => void) | undefined;
  readonly #reading = new Fresh(() => this.#read());

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  /** Undefined until it was written, or when it cannot be read. */
  get birth(): BirthRecord | undefined {
    return this.#birth;
  }

  get members(): ReadonlyMap<string, Member> {
    return this.#members;
  }

  /** When everything was read last, by the monotonic clock. */
  get readAt(): number {
    return this.#readAt;
  }

  /** A shard's owner is one of whom this node has not heard: it has missed something. */
  get isPuzzled(): boolean {
    return this.#isPuzzled;
  }

  /** It is being read anew. */
  get isReading(): boolean {
    return this.#reading.running;
  }

  /** Undefined when it never had an owner. */
  shard(shard: number): ShardRecord | undefined {
    return this.#shards.get(shard);
  }

  /** The member of that id and incarnation. */
  member(id: string, incarnation: string): Member | undefined {
    const member = this.#members.get(id);
    return member?.incarnation === incarnation ? member : undefined;
  }

  /** The member that owns the shard by its record; undefined when that is none. */
  ownerOf(shard: number): Member | undefined {
    const record = this.#shards.get(shard);
    return record && this.member(record.owner, record.incarnation);
  }

  /** Nobody owns the shard, for certain. */
  isVacant(shard: number): boolean {
    const record = this.#shards.get(shard);
    if (record === undefined) return true;
    return (
      this.ownerOf(shard) === undefined && this.#former.has(memberName(record.owner, record.incarnation))
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

  /** Reads everything anew. Rejects with `RegisterUnavailable`. */
  refresh(): Promise<void> {
    return this.#reading.run();
  }

  /** Takes in a change: what the watch brings, or what this node has written itself. */
  apply(change: Change): void {
    this.#meanwhile?.push(change);
    const what = this.#set(change);
    if (what !== undefined) this.#options.changed(what);
  }

  /** Takes in that this node has removed the entry that stood at the revision: the removal's own is a later one. */
  removed(id: string, revision: number): void {
    this.apply({ key: memberKey(id), value: undefined, revision: revision + 1 });
  }

  async #read(): Promise<void> {
    const { register, clock, changed } = this.#options;
    this.#meanwhile = [];
    try {
      let entries = await register.entries();
      if (!this.#isWhole(entries)) {
        await pause(clock, secondLookMs);
        entries = await register.entries();
      }
      const before = this.#members;
      this.#birth = undefined;
      this.#members = new Map();
      this.#shards = new Map();
      this.#revisions = new Map();
      this.#former = new Set();
      for (const entry of entries) this.#set(entry, before);
      for (const record of this.#shards.values()) {
        if (this.member(record.owner, record.incarnation) === undefined)
          this.#former.add(memberName(record.owner, record.incarnation));
      }
      this.#isPuzzled = false;
      for (const change of this.#meanwhile) this.#set(change, before);
      this.#readAt = clock.monotonic();
    } finally {
      this.#meanwhile = undefined;
    }
    changed('all');
  }

  /** Every member that is known, and every owner of a shard, is in it. */
  #isWhole(entries: readonly Entry[]): boolean {
    const incarnations = new Map<string, string>();
    for (const { key, value } of entries) {
      const subject = subjectOf(key);
      if (subject?.of === 'member') incarnations.set(subject.id, decodeMember(value).incarnation);
    }
    for (const id of this.#members.keys()) if (!incarnations.has(id)) return false;
    return entries.every(({ key, value }) => {
      if (subjectOf(key)?.of !== 'shard') return true;
      const { owner, incarnation } = decodeShard(value);
      return incarnations.get(owner) === incarnation;
    });
  }

  /** What changed by it; undefined when it is old news, or of no concern. */
  #set(change: Change, before: ReadonlyMap<string, Member> = this.#members): Changed | undefined {
    const { key, value, revision } = change;
    if (revision <= (this.#revisions.get(key) ?? 0)) return undefined;
    this.#revisions.set(key, revision);
    const subject = subjectOf(key);
    switch (subject?.of) {
      case 'birth':
        this.#birth = birthOf(value, revision);
        return 'all';
      case 'shard':
        if (value === undefined) this.#shards.delete(subject.shard);
        else this.#shards.set(subject.shard, { ...decodeShard(value), revision });
        if (this.ownerOf(subject.shard) === undefined && !this.isVacant(subject.shard))
          this.#isPuzzled = true;
        return subject.shard;
      case 'member':
        return this.#setMember(subject.id, value, revision, before);
      case undefined:
        return undefined;
    }
  }

  #setMember(
    id: string,
    value: string | undefined,
    revision: number,
    before: ReadonlyMap<string, Member>,
  ): Changed {
    const old = before.get(id);
    const known = this.#members.get(id);
    if (value === undefined) {
      if (known !== undefined) this.#former.add(memberName(id, known.incarnation));
      this.#members.delete(id);
      return 'all';
    }
    const changedAt = old?.revision === revision ? old.changedAt : this.#options.clock.monotonic();
    const member = { ...decodeMember(value), id, revision, changedAt };
    this.#members.set(id, member);
    if (known !== undefined && known.incarnation !== member.incarnation)
      this.#former.add(memberName(id, known.incarnation));
    return old?.incarnation === member.incarnation && old.state === member.state ? 'beat' : 'all';
  }
}

function birthOf(value: string | undefined, revision: number): BirthRecord | undefined {
  const birth = value === undefined ? undefined : decodeBirth(value);
  return birth && { ...birth, revision };
}
