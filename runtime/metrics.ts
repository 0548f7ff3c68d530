/**
 * What a node counts. Hot paths add to plain fields; the Prometheus registry reads them when it is scraped.
 *
 * `metrics.registry` is a prom-client `Registry`: other layers add their own metrics to it.
 */
import { Counter, Gauge, Registry } from 'prom-client';
import { BucketHistogram, Buckets } from './buckets.ts';

/** Counts of one kind of actor. */
export class KindCounters {
  turns = 0;
  /** Turns that ended with a `ServiceError`. */
  refusals = 0;
  /** Turns that threw anything else. */
  defects = 0;
  activations = 0;
  passivations = 0;
}

export class Counters {
  commits = 0;
  fenced = 0;
  /** Commits refused for a constraint of their own, or because the store could not take them. */
  refusedCommits = 0;
  overloaded = 0;
  expired = 0;
  /** Asks that found no owner and were tried again. */
  noOwner = 0;
  /** Tells whose command failed: hints that were lost. */
  lostTells = 0;
  remindersHandled = 0;
  remindersPostponed = 0;
  tasksDone = 0;
  tasksFailed = 0;
  deadLetters = 0;
  /** Shards taken from a member that is one no more. */
  takeovers = 0;
  handoversOut = 0;
  handoversIn = 0;
  /** Renewals of this node's lease that were answered later than the next one was due. */
  renewalsLate = 0;
  renewalsFailed = 0;
  /** Times that this node's lease ran out. */
  leaseExpiries = 0;
  /** Members that this node removed because their connections were closed. */
  membersGone = 0;
  /** Members that this node removed because they had not renewed themselves. */
  membersExpired = 0;
}

/** What is true of a node at one moment. */
export interface Levels {
  /** Actors in memory. */
  readonly residents: number;
  /** Commands that wait or are in flight here. */
  readonly admitted: number;
  /** Asks on their way to other nodes. */
  readonly outgoing: number;
  /** Shards that this node owns. */
  readonly shards: number;
  readonly tasksRunning: number;
  readonly tasksWaiting: number;
  /** Reminders being delivered. */
  readonly reminders: number;
}

/** What a node of a cluster sees of it at one moment. */
export interface ClusterLevels {
  readonly members: number;
  /** Shards by their state, as this node sees it. */
  readonly shards: Readonly<Record<string, number>>;
}

const counters = {
  commits: ['skein_commits_total', 'Commits that landed'],
  fenced: ['skein_commits_fenced_total', 'Commits refused because the actor had moved on'],
  refusedCommits: ['skein_commits_refused_total', 'Commits refused for any other reason'],
  overloaded: ['skein_overloaded_total', 'Commands refused because a mailbox or the node was full'],
  expired: ['skein_expired_total', 'Commands dropped because their deadline had passed'],
  noOwner: ['skein_no_owner_total', 'Asks that found no owner of their shard and were tried again'],
  lostTells: ['skein_tells_lost_total', 'Tells whose command failed'],
  remindersHandled: ['skein_reminders_handled_total', 'Reminders handled by their actor'],
  remindersPostponed: ['skein_reminders_postponed_total', 'Reminders put off after a failure'],
  tasksDone: ['skein_tasks_done_total', 'Tasks that succeeded'],
  tasksFailed: ['skein_tasks_failed_total', 'Failed tries of tasks'],
  deadLetters: ['skein_dead_letters_total', 'Reminders and tasks that failed for good'],
  takeovers: ['skein_takeovers_total', 'Shards taken from a node that was a member no more'],
  handoversOut: ['skein_handovers_out_total', 'Shards handed over to other nodes'],
  handoversIn: ['skein_handovers_in_total', 'Shards taken that another node handed over'],
  renewalsLate: ['skein_lease_renewals_late_total', 'Renewals of the lease that were answered late'],
  renewalsFailed: ['skein_lease_renewals_failed_total', 'Renewals of the lease that failed'],
  leaseExpiries: ['skein_lease_expiries_total', 'Times that the lease of this node ran out'],
  membersGone: ['skein_members_gone_total', 'Members removed because their connections were closed'],
  membersExpired: ['skein_members_expired_total', 'Members removed because they had not renewed themselves'],
} as const satisfies Record<keyof Counters, readonly [string, string]>;

const kindCounters = {
  turns: ['skein_turns_total', 'Decisions made'],
  refusals: ['skein_refusals_total', 'Decisions that refused their command'],
  defects: ['skein_defects_total', 'Decisions that threw by mistake'],
  activations: ['skein_activations_total', 'Actors brought into memory'],
  passivations: ['skein_passivations_total', 'Actors put out of memory'],
} as const satisfies Record<keyof KindCounters, readonly [string, string]>;

const levels = {
  residents: ['skein_residents', 'Actors in memory'],
  admitted: ['skein_commands', 'Commands that wait or are in flight'],
  outgoing: ['skein_asks_outgoing', 'Asks on their way to other nodes'],
  shards: ['skein_shards', 'Shards that this node owns'],
  tasksRunning: ['skein_tasks_running', 'Tasks running'],
  tasksWaiting: ['skein_tasks_waiting', 'Tasks that wait for their turn or their next try'],
  reminders: ['skein_reminders_in_flight', 'Reminders being delivered'],
} as const satisfies Record<keyof Levels, readonly [string, string]>;

export class Metrics {
  readonly registry = new Registry();
  readonly counters = new Counters();
  /** From a commit's call until it landed, in milliseconds. */
  readonly commitMs = new Buckets([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]);
  /** Commands of an actor that wait or are in flight when another one comes. */
  readonly mailboxDepth = new Buckets([0, 1, 3, 10, 30, 100, 300, 999]);
  readonly #kinds = new Map<string, KindCounters>();
  #levels: (() => Levels) | undefined;
  #clusterLevels: (() => ClusterLevels) | undefined;

  constructor() {
    const registry = this.registry;
    for (const [field, [name, help]] of rows(counters)) this.#count(name, help, () => this.counters[field]);
    for (const [field, [name, help]] of rows(kindCounters)) this.#countByKind(field, name, help);
    for (const [field, [name, help]] of rows(levels)) this.#level(name, help, field);
    this.#clusterMembers();
    this.#clusterShards();
    new BucketHistogram(registry, 'skein_commit_milliseconds', 'Time until a commit landed', this.commitMs);
    new BucketHistogram(registry, 'skein_mailbox_depth', 'Commands before a new one', this.mailboxDepth);
  }

  /** The counts of a kind; the same object for the same name. */
  kind(name: string): KindCounters {
    let found = this.#kinds.get(name);
    if (found === undefined) this.#kinds.set(name, (found = new KindCounters()));
    return found;
  }

  /** Names the source of the levels; without one they are not shown. */
  watch(source: () => Levels): void {
    this.#levels = source;
  }

  /** Names the source of the cluster's levels; without one they are not shown. */
  watchCluster(source: () => ClusterLevels): void {
    this.#clusterLevels = source;
  }

  #clusterMembers(): void {
    const read = (): ClusterLevels | undefined => this.#clusterLevels?.();
    const collect = function (this: Gauge): void {
      const now = read();
      if (now === undefined) this.remove();
      else this.set(now.members);
    };
    const help = 'Members of the cluster, as this node sees it';
    new Gauge({ name: 'skein_cluster_members', help, registers: [this.registry], collect });
  }

  #clusterShards(): void {
    const read = (): ClusterLevels | undefined => this.#clusterLevels?.();
    const collect = function (this: Gauge<'state'>): void {
      this.reset();
      for (const [state, shards] of Object.entries(read()?.shards ?? {})) this.set({ state }, shards);
    };
    const help = 'Shards of the cluster by their state, as this node sees it';
    new Gauge({
      name: 'skein_cluster_shards',
      help,
      labelNames: ['state'],
      registers: [this.registry],
      collect,
    });
  }

  #count(name: string, help: string, read: () => number): void {
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(read());
    };
    new Counter({ name, help, registers: [this.registry], collect });
  }

  #countByKind(field: keyof KindCounters, name: string, help: string): void {
    const kinds = this.#kinds;
    const collect = function (this: Counter<'kind'>): void {
      this.reset();
      for (const [kind, counts] of kinds) this.inc({ kind }, counts[field]);
    };
    new Counter({ name, help, labelNames: ['kind'], registers: [this.registry], collect });
  }

  #level(name: string, help: string, field: keyof Levels): void {
    const read = (): Levels | undefined => this.#levels?.();
    const collect = function (this: Gauge): void {
      const now = read();
      if (now === undefined) this.reset();
      else this.set(now[field]);
    };
    new Gauge({ name, help, registers: [this.registry], collect });
  }
}

function rows<Table extends object>(table: Table): [keyof Table, Table[keyof Table]][] {
  return Object.entries(table) as [keyof Table, Table[keyof Table]][];
}
