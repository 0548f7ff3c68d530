/**
 * The database that all nodes of a simulation share, and each node's way to it. It remembers every commit that was applied, by whom
 * and when, and numbers the events of each project in the order of their commits, as `project_streams` does.
 */
import type { EventLog } from '../../gateway/stream/hub.ts';
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { Random } from '../../runtime/time/clock.ts';
import { StoreUnavailable, type Commit, type DueReminder, type Store } from '../../runtime/actor/store.ts';
import type { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import type { EventRange, LoggedEvent, StreamHead } from '../../storage/events/event-log.ts';
import type { AppendedEvent } from '../../storage/statements/statement.ts';
import { MemoryDatabase, MemoryStore, type Errand, type Fault, type Leg } from '../support/memory-store.ts';
import type { EventWrite, Write } from './conversation.ts';
import type { Faults } from './faults.ts';
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
const isEvent = (write: Write): write is EventWrite => 'event' in write;

export interface DatabaseOptions {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly faults: Faults;
  /** Told of each commit when it is applied. */
  readonly applied: (commit: Commit<Write>) => void;
}

export class SimulatedDatabase {
  readonly options: DatabaseOptions;
  readonly rows = new MemoryDatabase();
  /** In the order in which they became true. */
  readonly commits: Applied[] = [];
  /** By project: the event with `seq` is at `seq - 1`. */
  readonly events = new Map<string, LoggedEvent[]>(projects.map(id => [id, []]));
  /** By conversation: marks by sequence, as committed. */
  readonly marks = new Map<string, string[]>();
  /** Every mark that is in the log. */
  readonly committed = new Set<string>();
  readonly #stores = new Set<MemoryStore>();
  #offline = false;

  constructor(options: DatabaseOptions) {
    this.options = options;
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
    const numbers = new WeakMap<Commit, Record<string, number>>();
    const doubtful = new WeakSet<Commit>();
    const inner = new MemoryStore({
      clock: machine,
      database: this.rows,
      travel: (leg, errand) => this.#travel(machine, leg, errand),
      fault: commit => {
        if (!commit.chain.broken && this.#hasMoved(commit)) faults.fired('rival writer');
        const fault = this.#fault();
        if (fault === 'doubtful') doubtful.add(commit);
        return fault;
      },
      loadFault: () => {
        if (!faults.strikes('load failed', 0.02)) return undefined;
        faults.fired('load failed');
        return new StoreUnavailable('the snapshot could not be read');
      },
      applied: commit =>
        numbers.set(commit, this.#apply(commit as Commit<Write>, machine.name, schedule.now)),
    });
    inner.offline = this.#offline;
    this.#stores.add(inner);
    return new SimulatedStore(this, machine, inner, notifier, commit =>
      // With the answer, the numbers are lost.
      doubtful.has(commit) ? undefined : numbers.get(commit),
    );
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

  /** The number that each project had before. */
  #apply(commit: Commit<Write>, node: string, at: number): Record<string, number> {
    const { actor, base, snapshot, writes, remind } = commit;
    const heads: Record<string, number> = {};
    this.commits.push({ actor, base, version: snapshot?.version, node, at, remind });
    for (const write of writes) {
      if (!isEvent(write)) continue;
      const { conversation, sequence, mark } = write.event;
      const project = getProject(conversation);
      const log = this.events.get(project) ?? [];
      heads[project] ??= log.length;
      log.push({
        seq: log.length + 1,
        eventName: 'conversation.happened',
        environmentId: 'env',
        occurredAt: new Date(beginning + at),
        body: JSON.stringify({ conversation, sequence, mark }),
      });
      const marks = this.marks.get(conversation) ?? [];
      marks.push(mark);
      this.committed.add(mark);
      this.marks.set(conversation, marks);
    }
    this.options.applied(commit);
    return heads;
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

/** The store of one node: everything that comes back from it is heard in the node's machine, and news goes out after a commit. */
export class SimulatedStore implements Store<Write> {
  readonly #database: SimulatedDatabase;
  readonly #machine: Machine;
  readonly #inner: MemoryStore;
  readonly #notifier: CommitNotifier;
  readonly #headsBefore: (commit: Commit) => Record<string, number> | undefined;

  constructor(
    database: SimulatedDatabase,
    machine: Machine,
    inner: MemoryStore,
    notifier: CommitNotifier,
    headsBefore: (commit: Commit) => Record<string, number> | undefined,
  ) {
    this.#database = database;
    this.#machine = machine;
    this.#inner = inner;
    this.#notifier = notifier;
    this.#headsBefore = headsBefore;
  }

  load(actor: ActorRef): ReturnType<Store['load']> {
    return this.#heard(this.#inner.load(actor));
  }

  async commit(commit: Commit<Write>): Promise<void> {
    await this.#heard(this.#inner.commit(commit));
    const events: AppendedEvent[] = commit.writes.filter(isEvent).map(({ event, key }) => ({
      projectId: getProject(event.conversation),
      eventId: key,
      environmentId: 'environment',
      eventName: 'conversation.happened',
      occurredAt: '',
      body: JSON.stringify(event),
    }));
    if (events.length === 0) return;
    const heads = this.#headsBefore(commit);
    this.#notifier.notifyCommitted(
      events,
      heads === undefined ? [] : [{ heads, subscriptions: {}, tested: [] }],
    );
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
