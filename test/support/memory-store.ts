/**
 * A store in memory that keeps the rules of runtime/actor/store.ts, with group commit like the real one: what waits while a flush is
 * in flight goes together in the next. Several stores on one database are several nodes.
 */
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import {
  Duplicate,
  Fenced,
  StoreUnavailable,
  type Commit,
  type DeadLetter,
  type DueReminder,
  type Loaded,
  type PlacedReminder,
  type Store,
} from '../../runtime/actor/store.ts';

/** A row that must be the first with its key. */
export interface MemoryWrite {
  readonly scope: string;
  readonly key: string;
}

/** What befalls a commit when it is flushed. */
export type Fault =
  /** Refused; nothing is applied. */
  | 'unavailable'
  /** The connection is lost; settled late, it turns out not to have been applied. */
  | 'lost'
  /** The connection is lost; settled late, it turns out to have been applied. */
  | 'doubtful'
  | Error;

/** A way between a node and the database. */
export type Leg = 'there' | 'back';
export type Errand = 'commit' | 'other';

export interface MemoryStoreOptions {
  readonly clock: Clock;
  /** Default: one of its own. */
  readonly database?: MemoryDatabase;
  /** One way to the database, in milliseconds. Default 0: a microtask. */
  readonly latencyMs?: () => number;
  /** Takes that way, instead of `latencyMs`: a commit that is under way arrives even if the node has died meanwhile. */
  readonly travel?: (leg: Leg, errand: Errand) => Promise<void>;
  /** Told of each commit in the moment when it is applied. */
  readonly applied?: (commit: Commit<MemoryWrite>) => void;
  readonly fault?: (commit: Commit<MemoryWrite>) => Fault | undefined;
  readonly loadFault?: (actor: ActorRef) => Error | undefined;
}

interface Row {
  readonly version: number;
  readonly text: string;
}

function toName({ kind, id }: ActorRef): string {
  return `${kind}/${id}`;
}

export class MemoryDatabase {
  readonly rows = new Map<string, Row>();
  readonly reminders = new Map<string, PlacedReminder>();
  readonly errors = new Map<string, string>();
  readonly letters: DeadLetter[] = [];
  readonly writes: MemoryWrite[] = [];
  readonly #keys = new Set<string>();

  /** Keeps everything as it is now. Call the returned function to go back to it. */
  snapshot(): () => void {
    const { rows, reminders, errors, letters, writes } = this;
    const maps = [rows, reminders, errors].map(map => [map, new Map<string, unknown>(map)] as const);
    const lengths = [letters.length, writes.length] as const;
    const keys = [...this.#keys];
    return () => {
      for (const [map, kept] of maps) refill(map as Map<string, unknown>, kept);
      [letters.length, writes.length] = lengths;
      this.#keys.clear();
      for (const key of keys) this.#keys.add(key);
    };
  }

  read(actor: ActorRef): Loaded | undefined {
    const row = this.rows.get(toName(actor));
    return row && { version: row.version, state: JSON.parse(row.text) as unknown };
  }

  /** Writes the actor's row as another node would. */
  overwrite(actor: ActorRef, change: (state: unknown) => unknown): void {
    const row = this.read(actor);
    const version = (row?.version ?? 0) + 1;
    this.rows.set(toName(actor), { version, text: JSON.stringify(change(row?.state)) });
  }

  /** All or nothing. Throws the reason to refuse, having broken the chain. */
  apply(commit: Commit<MemoryWrite>): void {
    const { actor, base, chain, snapshot, writes, forget, remind } = commit;
    try {
      if (chain.broken || (this.rows.get(toName(actor))?.version ?? 0) !== base) throw new Fenced(actor);
      for (const { scope, key } of writes) {
        if (this.#keys.has(`${scope}/${key}`)) throw new Duplicate(scope, key);
      }
    } catch (error) {
      this.breakChain(commit, error);
      throw error;
    }
    for (const write of writes) {
      this.#keys.add(`${write.scope}/${write.key}`);
      this.writes.push(write);
    }
    if (snapshot !== undefined) {
      this.rows.set(toName(actor), { version: snapshot.version, text: JSON.stringify(snapshot.state) });
    }
    for (const { key, at } of forget) {
      const name = `${toName(actor)}/${key}`;
      if (at === undefined || this.reminders.get(name)?.at === at) this.reminders.delete(name);
    }
    for (const reminder of remind) {
      const copy = JSON.parse(JSON.stringify(reminder)) as PlacedReminder;
      this.reminders.set(`${toName(reminder.to)}/${reminder.key}`, copy);
    }
  }

  breakChain({ chain, snapshot }: Commit<MemoryWrite>, error: unknown): void {
    if (snapshot !== undefined || error instanceof Fenced) chain.broken = true;
  }

  /** The name of the reminder if it is stored with the given time. */
  findReminder(reminder: DueReminder): string | undefined {
    const name = `${toName(reminder.to)}/${reminder.key}`;
    return this.reminders.get(name)?.at === reminder.at ? name : undefined;
  }
}

/** Gives a map the entries of another. */
export function refill<Key, Value>(map: Map<Key, Value>, entries: ReadonlyMap<Key, Value>): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}

interface Waiting {
  readonly commit: Commit<MemoryWrite>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

interface CommitQueue {
  waiting: Waiting[];
  flushing: boolean;
}

export class MemoryStore implements Store<MemoryWrite> {
  readonly database: MemoryDatabase;
  /** While true, everything is refused. */
  offline = false;
  /** Calls of `due`. */
  scans = 0;
  loads = 0;
  readonly #options: MemoryStoreOptions;
  readonly #lane: CommitQueue = { waiting: [], flushing: false };
  #writtenAt = -Infinity;
  #isProbing = false;

  constructor(options: MemoryStoreOptions) {
    this.#options = options;
    this.database = options.database ?? new MemoryDatabase();
  }

  get writtenAt(): number {
    return this.#writtenAt;
  }

  probe(): void {
    if (this.#isProbing) return;
    this.#isProbing = true;
    const sentAt = this.#options.clock.monotonic();
    const answered = this.#arrive().then(() => this.#return());
    answered
      .then(
        () => this.#note(sentAt),
        () => undefined,
      )
      .finally(() => (this.#isProbing = false));
  }

  async load(actor: ActorRef): Promise<Loaded | undefined> {
    this.loads++;
    await this.#arrive();
    const fault = this.#options.loadFault?.(actor);
    if (fault !== undefined) throw fault;
    const loaded = this.database.read(actor);
    await this.#return();
    return loaded;
  }

  commit(commit: Commit<MemoryWrite>): Promise<void> {
    const lane = this.#lane;
    const { waiting } = lane;
    const settled = new Promise<void>((resolve, reject) => waiting.push({ commit, resolve, reject }));
    if (!lane.flushing) void this.#flush(lane);
    return settled;
  }

  async dueReminders(
    now: number,
    limit: number,
    shards?: readonly number[],
  ): ReturnType<Store['dueReminders']> {
    this.scans++;
    await this.#arrive();
    const mine = [...this.database.reminders.values()]
      .filter(({ shard }) => shards === undefined || shards.includes(shard))
      .sort((a, b) => a.at - b.at);
    const reminders = mine
      .filter(({ at }) => at <= now)
      .slice(0, limit)
      .map(({ shard: _, ...reminder }) => reminder);
    const nextAt = mine.find(({ at }) => at > now)?.at;
    await this.#return();
    return { reminders, nextAt };
  }

  async postponeReminder(reminder: DueReminder, at: number, error: string): Promise<void> {
    await this.#arrive();
    const name = this.database.findReminder(reminder);
    const stored = name === undefined ? undefined : this.database.reminders.get(name);
    if (name === undefined || stored === undefined) return;
    this.database.reminders.set(name, { ...stored, at, attempts: reminder.attempts + 1 });
    this.database.errors.set(name, error);
  }

  async addDeadLetter(letter: DeadLetter, reminder?: DueReminder): Promise<void> {
    await this.#arrive();
    const name = reminder && this.database.findReminder(reminder);
    if (name !== undefined) this.database.reminders.delete(name);
    this.database.letters.push(letter);
  }

  async #flush(lane: CommitQueue): Promise<void> {
    lane.flushing = true;
    for (;;) {
      const sentAt = this.#options.clock.monotonic();
      await this.#travel('there', 'commit');
      if (lane.waiting.length === 0) break;
      const batch = lane.waiting.splice(0);
      const settle: (() => void)[] = [];
      let settleLate = false;
      const isWritten = !this.offline;
      for (const waiting of batch) {
        const fault = this.offline ? 'unavailable' : this.#options.fault?.(waiting.commit);
        settleLate ||= fault === 'lost' || fault === 'doubtful';
        settle.push(this.#apply(waiting, fault));
      }
      await this.#travel('back', 'commit');
      if (settleLate) await this.#travel('back', 'commit');
      else if (isWritten) this.#note(sentAt);
      for (const done of settle) done();
    }
    lane.flushing = false;
  }

  #note(sentAt: number): void {
    this.#writtenAt = Math.max(this.#writtenAt, sentAt);
  }

  /** Applies the commit, or not, and gives what to tell its caller. */
  #apply({ commit, resolve, reject }: Waiting, fault: Fault | undefined): () => void {
    let error: unknown;
    if (fault === undefined || fault === 'doubtful') {
      try {
        this.database.apply(commit);
        this.#options.applied?.(commit);
        return resolve;
      } catch (refusal) {
        error = refusal;
      }
    } else if (commit.chain.broken) {
      error = new Fenced(commit.actor);
    } else {
      error = fault instanceof Error ? fault : new StoreUnavailable(fault);
      this.database.breakChain(commit, error);
    }
    return () => reject(error);
  }

  /** To the database, which must be there. */
  async #arrive(): Promise<void> {
    await this.#travel('there');
    if (this.offline) throw new StoreUnavailable('offline');
  }

  /** Back from the database, which must still be there. */
  async #return(): Promise<void> {
    await this.#travel('back');
    if (this.offline) throw new StoreUnavailable('offline');
  }

  #travel(leg: Leg, errand: Errand = 'other'): Promise<void> {
    const { travel, latencyMs, clock } = this.#options;
    if (travel !== undefined) return travel(leg, errand);
    const ms = latencyMs?.() ?? 0;
    if (ms === 0) return Promise.resolve();
    return new Promise(resolve => clock.after(ms, resolve));
  }
}
