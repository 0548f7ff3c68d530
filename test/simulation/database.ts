/**
 * The database that all nodes of a simulation share, and each node's way to it. It remembers every commit that was applied, by whom
 * and when, and numbers the events of each project in the order of their commits, as `project_streams` does.
 */
import type { EventLog } from '../../gateway/stream/hub.ts';
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { Random } from '../../runtime/time/clock.ts';
import {
  Duplicate,
  Fenced,
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
  refill,
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
  readonly #nodes = new Map<Machine, NodeAccess>();
  /** How often it was away for all nodes. */
  outages = 0;
  #offline = false;
  #statements = 0;
  /** Counts the failovers. */
  #timeline = 0;
  #failedOverAt = -Infinity;
  /** Goes back to what the standby has; undefined while it follows. */
  #standby: (() => void)[] | undefined;
  /** Kept beside the database: what it has lost, others have to forget. */
  readonly #witnesses: (() => () => void)[] = [];

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
      ask: (machine, question) => this.#ask(machine, question),
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
    if (offline) this.outages++;
    this.#offline = offline;
    for (const access of this.#nodes.values()) this.#update(access);
  }

  /** Counts the failovers. */
  get timeline(): number {
    return this.#timeline;
  }

  /** The epoch of every stream. */
  get epoch(): string {
    return `epoch-${this.#timeline}`;
  }

  /** What a node knows of the failovers. */
  getKnownTimeline(machine: Machine): number {
    return this.#nodes.get(machine)?.timeline ?? this.#timeline;
  }

  /** When the node noticed the last failover, in virtual milliseconds: 0 where there was none, Infinity until it has noticed. */
  getNoticedAt(machine: Machine): number {
    const access = this.#nodes.get(machine);
    return access === undefined || access.timeline === this.#timeline ? (access?.noticedAt ?? 0) : Infinity;
  }

  /** When the last failover was, in virtual milliseconds. */
  get failedOverAt(): number {
    return this.#failedOverAt;
  }

  /** One node reaches the database, or does not, whatever others do. */
  cutOff(machine: Machine, isCutOff: boolean): void {
    const access = this.#nodes.get(machine);
    if (access === undefined) return;
    access.isCutOff = isCutOff;
    access.reachableFrom = isCutOff ? Infinity : this.options.schedule.now;
    this.#update(access);
  }

  /** Whether the node could reach the database all the time since then, in virtual milliseconds, whatever befell all nodes. */
  hasReached(machine: Machine, since: number): boolean {
    return (this.#nodes.get(machine)?.reachableFrom ?? 0) <= since;
  }

  isCutOff(machine: Machine): boolean {
    return this.#nodes.get(machine)?.isCutOff ?? false;
  }

  #update(access: NodeAccess): void {
    access.store.offline = this.#offline || access.isCutOff;
  }

  /** What is noted of the database is kept with it. `snapshot` returns the function that goes back. */
  witness(snapshot: () => () => void): void {
    this.#witnesses.push(snapshot);
  }

  get isBehind(): boolean {
    return this.#standby !== undefined;
  }

  /** The standby gets nothing more. */
  fallBehind(): void {
    const { commits } = this;
    const { length } = commits;
    const marks = new Map([...this.marks].map(([id, all]) => [id, [...all]]));
    this.#standby = [
      this.rows.snapshot(),
      this.deliveries.snapshot(),
      this.owed.snapshot(),
      () => (commits.length = length),
      () => refill(this.marks, marks),
      ...this.#witnesses.map(snapshot => snapshot()),
    ];
  }

  /** The standby is promoted. Returns how many commits are lost. */
  failOver(): number {
    const before = this.commits.length;
    for (const restore of this.#standby ?? []) restore();
    this.#standby = undefined;
    this.#timeline++;
    this.#failedOverAt = this.options.schedule.now;
    return before - this.commits.length;
  }

  /** The standby follows again, and nothing was lost. */
  catchUp(): void {
    this.#standby = undefined;
  }

  /** The first statement of a node after a failover opens a connection to the new server: the node notices, and then its statement runs. */
  #notice(machine: Machine): void {
    const access = this.#nodes.get(machine);
    if (access === undefined || access.timeline === this.#timeline) return;
    access.timeline = this.#timeline;
    access.noticedAt = this.options.schedule.now;
    machine.run(access.onFailover);
  }

  /** Asks over the way of a node. Rejects when the database is away, or fails over before the answer is there. */
  async #ask<T>(machine: Machine, question: () => T): Promise<T> {
    await this.#travel(machine, 'there', 'other');
    const access = this.#nodes.get(machine);
    const isAway = (): boolean => this.#offline || access?.isCutOff === true;
    if (isAway()) throw new StoreUnavailable('offline');
    this.#notice(machine);
    const timeline = this.#timeline;
    const answer = question();
    await this.#travel(machine, 'back', 'other');
    if (isAway() || timeline !== this.#timeline) throw new StoreUnavailable('the connection is lost');
    return answer;
  }

  /** The way of one node. `onFailover`: the node drops what it remembers. */
  open(machine: Machine, notifier: CommitNotifier, onFailover: () => void): SimulatedStore {
    const { schedule, faults } = this.options;
    const appended = new WeakMap<Commit, Appended>();
    const doubtful = new WeakSet<Commit>();
    const decidedOn = new WeakMap<Commit, number>();
    const appliedAs = new WeakMap<
      Commit,
      { readonly timeline: number; readonly applied: Applied | undefined }
    >();
    const inner = new MemoryStore({
      clock: machine,
      database: this.rows,
      travel: (leg, errand) => this.#travel(machine, leg, errand),
      fault: commit => {
        this.#notice(machine);
        // As a commit lane does with what was decided on the old log.
        if (decidedOn.get(commit) !== this.#timeline) return new Fenced(commit.actor);
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
      applied: commit => {
        appended.set(commit, this.#apply(commit, machine.name, schedule.now));
        appliedAs.set(commit, { timeline: this.#timeline, applied: this.commits.at(-1) });
      },
    });
    const access = {
      store: inner,
      timeline: this.#timeline,
      noticedAt: 0,
      isCutOff: false,
      reachableFrom: 0,
      onFailover,
    };
    this.#nodes.set(machine, access);
    this.#update(access);
    return new SimulatedStore(this, machine, inner, notifier, {
      decide: commit => decidedOn.set(commit, access.timeline),
      getAppended: commit => {
        const { events, ...numbers } = appended.get(commit) ?? { events: [] };
        const isSettled = doubtful.has(commit) || appliedAs.get(commit)?.timeline !== this.#timeline;
        // With the answer, the numbers are lost.
        return { events, row: isSettled ? undefined : numbers };
      },
      isLost: commit => {
        const as = appliedAs.get(commit);
        if (as === undefined || as.timeline === this.#timeline) return false;
        this.#notice(machine);
        return as.applied === undefined || !this.commits.includes(as.applied);
      },
      ask: question => this.#askStore(machine, question),
    });
  }

  /** As `#ask`, for what goes its own way to the rows. */
  async #askStore<T>(machine: Machine, question: () => Promise<T>): Promise<T> {
    if (!this.#offline && !this.isCutOff(machine)) this.#notice(machine);
    const timeline = this.#timeline;
    const answer = await question();
    if (timeline !== this.#timeline) throw new StoreUnavailable('the connection is lost');
    return answer;
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
        // Of a post that is repeated after a failover, another event.
        eventId: `evt_${write.key}${'@'.repeat(this.#timeline)}`,
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
    return {
      heads: ids => this.#ask(machine, () => ids.map(id => this.#head(id))),
      page: span => this.#ask(machine, () => this.#page(span)),
    };
  }

  #head(projectId: string): StreamHead {
    return { projectId, epoch: this.epoch, seq: this.events.get(projectId)?.length ?? 0 };
  }

  #page({ projectId, after, through, limit = 200 }: EventRange): LoggedEvent[] {
    return (this.events.get(projectId) ?? []).slice(after, through).slice(0, limit);
  }
}

/** A node's way to the database. */
interface NodeAccess {
  readonly store: MemoryStore;
  /** The last failover that the node has noticed. */
  timeline: number;
  /** Virtual milliseconds. */
  noticedAt: number;
  isCutOff: boolean;
  /** Since when it reaches the database, in virtual milliseconds; Infinity while it is cut off. */
  reachableFrom: number;
  readonly onFailover: () => void;
}

/** What the database knows of a node's commits. */
interface CommitRecords {
  /** A commit was decided, and waits. */
  readonly decide: (commit: Commit) => void;
  /** What it has appended; no row where its answer was lost. */
  readonly getAppended: (commit: Commit) => Pick<Appended, 'events'> & {
    readonly row: Partial<Omit<Appended, 'events'>> | undefined;
  };
  /** It was applied, and a failover has lost it before its answer came. */
  readonly isLost: (commit: Commit) => boolean;
  /** Rejects what a failover interrupts. */
  readonly ask: <T>(question: () => Promise<T>) => Promise<T>;
}

/** The store of one node: everything that comes back from it is heard in the node's machine, and news goes out after a commit. */
export class SimulatedStore implements Store<Write> {
  readonly #database: SimulatedDatabase;
  readonly #machine: Machine;
  readonly #inner: MemoryStore;
  readonly #notifier: CommitNotifier;
  readonly #records: CommitRecords;

  constructor(
    database: SimulatedDatabase,
    machine: Machine,
    inner: MemoryStore,
    notifier: CommitNotifier,
    records: CommitRecords,
  ) {
    this.#database = database;
    this.#machine = machine;
    this.#inner = inner;
    this.#notifier = notifier;
    this.#records = records;
  }

  async load(actor: ActorRef): ReturnType<Store['load']> {
    if (actor.kind !== 'stitch') return this.#ask(() => this.#inner.load(actor));
    this.#database.owed.loads(this.#machine.name, actor.id);
    const loaded = await this.#ask(() => this.#inner.load(actor));
    return loaded && decodeStitch(loaded);
  }

  async commit(given: Commit<Write>): Promise<void> {
    const commit = this.#toStored(given);
    this.#records.decide(commit);
    await this.#heard(this.#inner.commit(commit));
    if (this.#records.isLost(commit)) {
      commit.chain.broken = true;
      throw new Fenced(commit.actor);
    }
    const { events, row } = this.#records.getAppended(commit);
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
    return this.#ask(() => this.#inner.dueReminders(now, limit, shards));
  }

  get writtenAt(): number {
    return this.#inner.writtenAt;
  }

  probe(): void {
    this.#inner.probe();
  }

  postponeReminder(reminder: DueReminder, at: number, error: string): Promise<void> {
    return this.#ask(() => this.#inner.postponeReminder(reminder, at, error));
  }

  addDeadLetter(...buried: Parameters<Store['addDeadLetter']>): Promise<void> {
    return this.#ask(() => this.#inner.addDeadLetter(...buried));
  }

  #ask<T>(question: () => Promise<T>): Promise<T> {
    return this.#heard(this.#records.ask(question));
  }

  #heard<T>(answer: Promise<T>): Promise<T> {
    const { faults } = this.#database.options;
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    answer.then(
      value => this.#machine.run(() => resolve(value)),
      (error: unknown) => {
        if (error instanceof StoreUnavailable && this.#database.offline) faults.fired('database offline');
        else if (error instanceof StoreUnavailable && this.#database.isCutOff(this.#machine))
          faults.fired('lost database');
        this.#machine.run(() => reject(error as Error));
      },
    );
    return promise;
  }
}
