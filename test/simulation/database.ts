/**
 * The database that all nodes of a simulation share, and each node's way to it. It remembers every commit that was applied, by whom
 * and when, and numbers the events of each project in the order of their commits, as `project_streams` does.
 */
import type { EventLog } from '../../gateway/stream/hub.ts';
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { Random } from '../../runtime/time/clock.ts';
import {
  Duplicate,
  StoreUnavailable,
  type Commit,
  type DueReminder,
  type Store,
} from '../../runtime/actor/store.ts';
import type { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import type { EventRange, LoggedEvent, StreamHead } from '../../storage/events/event-log.ts';
import type { Write as ProductionWrite } from '../../storage/statements/statement.ts';
import {
  MemoryDatabase,
  MemoryStore,
  type Errand,
  type Fault,
  type Leg,
  type MemoryWrite,
} from '../support/memory-store.ts';
import type { EventWrite, Write } from './conversation.ts';
import { Deliveries } from './deliveries.ts';
import { type Appended, decodeStitch, DeliveryDatabase, encodeStitch } from './delivery-database.ts';
import type { StoredStitch } from './delivery-tables.ts';
import { environmentId, type StatementWrite } from './delivery-tables.ts';
import type { Faults } from './faults.ts';
import type { Verdict } from './invariants.ts';
import { beginning, type Machine } from './machine.ts';
import type { Schedule } from './schedule.ts';

/** A commit as it became true. */
export interface Applied {
  readonly actor: ActorRef;
  readonly base: number;
  /** Absent when there was no snapshot. */
  readonly version: number | undefined;
  readonly node: string;
  /** Virtual milliseconds. */
  readonly at: number;
  readonly remind: readonly DueReminder[];
}

export const projects = ['project-1', 'project-2'] as const;

export function getProject(conversation: string): string {
  return projects[(conversation.codePointAt(0) ?? 0) % projects.length] as string;
}

const epoch = 'first';
const isEvent = (write: MemoryWrite): write is EventWrite => 'event' in write;
const isStatement = (write: MemoryWrite): write is StatementWrite => 'write' in write;

/** What happened, as the name of an event: marks of reminders and nudges say so. */
function getEventName(mark: string): string {
  if (mark.endsWith(':wake')) return 'conversation.woken';
  return mark.endsWith(':nudge') ? 'conversation.nudged' : 'conversation.posted';
}

export interface DatabaseOptions {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly faults: Faults;
  readonly verdict: Verdict;
  /** Told of each commit when it is applied. */
  readonly applied: (commit: Commit) => void;
}

export class SimulatedDatabase {
  readonly options: DatabaseOptions;
  readonly rows = new MemoryDatabase();
  /** In the order in which they became true. */
  readonly commits: Applied[] = [];
  /** What stitches have to deliver. */
  readonly owed: Deliveries;
  /** What stitches use of it. */
  readonly deliveries: DeliveryDatabase;
  /** Milliseconds by which its clock is ahead. */
  clockOffset = 0;
  /** By conversation: marks by sequence, as committed. */
  readonly marks = new Map<string, string[]>();
  /** Every mark that is in the log. */
  readonly committed = new Set<string>();
  readonly #stores = new Set<MemoryStore>();
  #offline = false;
  #statements = 0;

  constructor(options: DatabaseOptions) {
    this.options = options;
    const { schedule, verdict, faults } = options;
    const now = (): number => schedule.now;
    this.owed = new Deliveries({ verdict, now });
    this.deliveries = new DeliveryDatabase({
      projects,
      verdict,
      faults,
      now,
      deliveries: this.owed,
      wallClock: () => beginning + schedule.now + this.clockOffset,
      isOffline: () => this.#offline,
      travel: (machine, leg) => this.#travel(machine, leg, 'other'),
      stitches: () => this.#readStitches(),
    });
    this.owed.watch(this.deliveries.tables);
  }

  /** By project: the event with `seq` is at `seq - 1`. */
  get events(): DeliveryDatabase['logs'] {
    return this.deliveries.logs;
  }

  get offline(): boolean {
    return this.#offline;
  }

  set offline(offline: boolean) {
    this.#offline = offline;
    for (const store of this.#stores) store.offline = offline;
  }

  /** The way of one node. */
  open(machine: Machine, notifier: CommitNotifier): SimulatedStore {
    const { schedule, faults } = this.options;
    const appended = new WeakMap<Commit, Appended>();
    const doubtful = new WeakSet<Commit>();
    const inner = new MemoryStore({
      clock: machine,
      database: this.rows,
      travel: (leg, errand) => this.#travel(machine, leg, errand),
      fault: commit => {
        if (!commit.chain.broken && this.#hasMoved(commit)) faults.fired('rival writer');
        const repeated = commit.writes.find(
          write => isStatement(write) && this.deliveries.tables.isRefused(write.write),
        );
        if (repeated !== undefined) return new Duplicate('attempt', repeated.key);
        const fault = this.#fault();
        if (fault === 'doubtful') doubtful.add(commit);
        return fault;
      },
      loadFault: () => {
        if (!faults.strikes('load failed', 0.02)) return undefined;
        faults.fired('load failed');
        return new StoreUnavailable('the snapshot could not be read');
      },
      applied: commit => appended.set(commit, this.#apply(commit, machine.name, schedule.now)),
    });
    inner.offline = this.#offline;
    this.#stores.add(inner);
    return new SimulatedStore(this, machine, inner, notifier, commit => {
      const { events, ...numbers } = appended.get(commit) ?? { events: [] };
      // With the answer, the numbers are lost.
      return { events, row: doubtful.has(commit) ? undefined : numbers };
    });
  }

  /** The actor has been written to by another node since. */
  #hasMoved({ actor, base }: Commit): boolean {
    return (this.rows.rows.get(`${actor.kind}/${actor.id}`)?.version ?? 0) !== base;
  }

  /** What befalls a commit on its flush. */
  #fault(): Fault | undefined {
    const { faults } = this.options;
    const strike = (kind: Parameters<Faults['fired']>[0], fault: Fault): Fault | undefined => {
      if (!faults.strikes(kind, 0.02)) return undefined;
      faults.fired(kind);
      return fault;
    };
    return (
      strike('commit refused', 'unavailable') ??
      strike('commit lost', 'lost') ??
      strike('commit doubtful', 'doubtful') ??
      strike('commit failed', new RangeError('check failed'))
    );
  }

  /** What was sent arrives, whatever becomes of the sender; what comes back is heard by a sender that runs. */
  #travel(machine: Machine, leg: Leg, errand: Errand): Promise<void> {
    const { schedule, random, faults } = this.options;
    let ms = 0.3 + random.next() * 2;
    if (leg === 'there' && errand === 'commit' && faults.strikes('slow commit', 0.005)) {
      faults.fired('slow commit');
      ms += 3_200 + random.next() * 3_000;
    }
    return new Promise(resolve => {
      schedule.after(ms, () => {
        if (leg === 'there') resolve();
        else machine.run(resolve);
      });
    });
  }

  /** What it has appended to the log. */
  #apply(commit: Commit<MemoryWrite>, node: string, at: number): Appended {
    const { actor, base, snapshot, writes, remind } = commit;
    const appended: Appended = { events: [], heads: {}, subscriptions: {}, tested: [] };
    this.commits.push({ actor, base, version: snapshot?.version, node, at, remind });
    if (actor.kind === 'stitch' && snapshot !== undefined) {
      this.owed.wrote(actor.id, snapshot.state as StoredStitch);
    }
    const statements = writes.filter(isStatement).map(({ write }) => write);
    this.deliveries.apply(statements, appended);
    for (const write of writes) {
      if (!isEvent(write)) continue;
      const { conversation, sequence, mark } = write.event;
      const event = {
        projectId: getProject(conversation),
        eventId: `evt_${write.key}`,
        eventName: getEventName(mark),
        environmentId,
        occurredAt: new Date(write.event.at).toISOString(),
        threadId: conversation,
        body: JSON.stringify({ conversation, sequence, mark }),
      };
      this.deliveries.append(event, null, appended);
      const marks = this.marks.get(conversation) ?? [];
      marks.push(mark);
      this.committed.add(mark);
      this.marks.set(conversation, marks);
    }
    this.options.applied(commit);
    return appended;
  }

  /** Numbers the rows of production, which take nobody's key. */
  countStatement(): number {
    return ++this.#statements;
  }

  #readStitches(): ReadonlyMap<string, StoredStitch> {
    const found = new Map<string, StoredStitch>();
    for (const name of [...this.rows.rows.keys()].sort()) {
      if (!name.startsWith('stitch/')) continue;
      const id = name.slice('stitch/'.length);
      found.set(id, this.rows.read({ kind: 'stitch', id })?.state as StoredStitch);
    }
    return found;
  }

  /** The log as a node's streams read it. */
  logFor(machine: Machine): EventLog {
    const read = async <T>(of: () => T): Promise<T> => {
      await this.#travel(machine, 'there', 'other');
      const found = this.#offline ? undefined : of();
      await this.#travel(machine, 'back', 'other');
      if (found === undefined) throw new StoreUnavailable('offline');
      return found;
    };
    return {
      heads: ids => read(() => ids.map(id => this.#head(id))),
      page: span => read(() => this.#page(span)),
    };
  }

  #head(projectId: string): StreamHead {
    return { projectId, epoch, seq: this.events.get(projectId)?.length ?? 0 };
  }

  #page({ projectId, after, through, limit = 200 }: EventRange): LoggedEvent[] {
    return (this.events.get(projectId) ?? []).slice(after, through).slice(0, limit);
  }
}

/** What a commit has appended; no row where its answer was lost. */
type GetAppended = (commit: Commit) => Pick<Appended, 'events'> & {
  readonly row: Partial<Omit<Appended, 'events'>> | undefined;
};

/** The store of one node: everything that comes back from it is heard in the node's machine, and news goes out after a commit. */
export class SimulatedStore implements Store<Write> {
  readonly #database: SimulatedDatabase;
  readonly #machine: Machine;
  readonly #inner: MemoryStore;
  readonly #notifier: CommitNotifier;
  readonly #getAppended: GetAppended;

  constructor(
    database: SimulatedDatabase,
    machine: Machine,
    inner: MemoryStore,
    notifier: CommitNotifier,
    getAppended: GetAppended,
  ) {
    this.#database = database;
    this.#machine = machine;
    this.#inner = inner;
    this.#notifier = notifier;
    this.#getAppended = getAppended;
  }

  async load(actor: ActorRef): ReturnType<Store['load']> {
    if (actor.kind !== 'stitch') return this.#heard(this.#inner.load(actor));
    this.#database.owed.loads(this.#machine.name, actor.id);
    const loaded = await this.#heard(this.#inner.load(actor));
    return loaded && decodeStitch(loaded);
  }

  async commit(given: Commit<Write>): Promise<void> {
    const commit = this.#toStored(given);
    await this.#heard(this.#inner.commit(commit));
    const { events, row } = this.#getAppended(commit);
    if (events.length > 0) this.#notifier.notifyCommitted(events, row === undefined ? [] : [{ ...row }]);
  }

  /** A stitch is stored as the row that production makes of it, and so are the rows that it writes. */
  #toStored(commit: Commit<Write>): Commit<MemoryWrite> {
    const { actor, snapshot } = commit;
    const writes = commit.writes.map(write => ('statement' in write ? this.#wrap(write) : write));
    if (actor.kind !== 'stitch' || snapshot === undefined) return { ...commit, writes };
    return { ...commit, writes, snapshot: { ...snapshot, state: encodeStitch(snapshot.state) } };
  }

  #wrap(write: ProductionWrite): StatementWrite {
    return { scope: 'statement', key: String(this.#database.countStatement()), write };
  }

  dueReminders(now: number, limit: number, shards?: readonly number[]): ReturnType<Store['dueReminders']> {
    return this.#heard(this.#inner.dueReminders(now, limit, shards));
  }

  postponeReminder(reminder: DueReminder, at: number, error: string): Promise<void> {
    return this.#heard(this.#inner.postponeReminder(reminder, at, error));
  }

  addDeadLetter(...buried: Parameters<Store['addDeadLetter']>): Promise<void> {
    return this.#heard(this.#inner.addDeadLetter(...buried));
  }

  #heard<T>(answer: Promise<T>): Promise<T> {
    const { faults } = this.#database.options;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    answer.then(
      value => this.#machine.run(() => resolve(value)),
      (error: unknown) => {
        if (error instanceof StoreUnavailable && this.#database.offline) faults.fired('database offline');
        this.#machine.run(() => reject(error as Error));
      },
    );
    return promise;
  }
}
