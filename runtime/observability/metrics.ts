/**
 * A node's metrics. Hot paths increment plain fields; the Prometheus registry reads them when it is scraped. Other layers add their
 * own metrics to `metrics.registry`.
 */
import { Counter, Gauge, Registry } from 'prom-client';
import { CountsBy } from './counts.ts';
import { BucketHistogram, HistogramBuckets } from './histogram.ts';

/** Counters of one kind of actor. */
export class KindCounters {
  turns = 0;
  /** Turns that ended with a `ServiceError`. */
  refusals = 0;
  /** Turns that threw anything else. */
  defects = 0;
  activations = 0;
  passivations = 0;
  /** Asks that were sent to another node, each try counted. */
  forwarded = 0;
}

export class Counters {
  commits = 0;
  fenced = 0;
  /** Commits that the store would not take: not those of another version, under a key that was taken, or of a tenant at its limit. */
  refusedCommits = 0;
  overloaded = 0;
  expired = 0;
  /** Asks that found no owner and were retried. */
  noOwner = 0;
  /** Tells whose command failed. */
  lostTells = 0;
  remindersHandled = 0;
  remindersPostponed = 0;
  tasksDone = 0;
  tasksFailed = 0;
  deadLetters = 0;
  /** Shards taken over from a node that was no longer a member. */
  takeovers = 0;
  handoversOut = 0;
  handoversIn = 0;
  /** Renewals of this node's lease that were answered after the next one was due. */
  renewalsLate = 0;
  renewalsFailed = 0;
  /** How often this node's lease ended without a hand-over: it expired, or the node stepped down. */
  leaseExpiries = 0;
  /** How often this node gave its shards up because it could not write to the database, and others could. */
  stepDowns = 0;
  /** Members that this node removed because their connections were closed. */
  membersGone = 0;
  /** Members that this node removed because they had not renewed themselves. */
  membersExpired = 0;
}

/** A node's gauges. */
export interface NodeGauges {
  /** Actors in memory. */
  readonly activations: number;
  /** Commands that wait or are in flight here. */
  readonly admitted: number;
  /** The most commands of one actor that wait or are in flight. */
  readonly deepestMailbox: number;
  /** Asks on their way to other nodes. */
  readonly outgoing: number;
  /** Shards that this node owns. */
  readonly shards: number;
  readonly tasksRunning: number;
  readonly tasksWaiting: number;
  /** Reminders being delivered. */
  readonly reminders: number;
}

/** The gauges of a cluster as one node sees it. */
export interface ClusterGauges {
  readonly members: number;
  /** Shards by their state, as this node sees it. */
  readonly shards: Readonly<Record<string, number>>;
}

const counters = {
  commits: ['skein_commits_total', 'Commits that succeeded'],
  fenced: ['skein_commits_fenced_total', 'Commits refused because the actor had another version'],
  refusedCommits: [
    'skein_commits_refused_total',
    'Commits that the database refused, for no reason of its tenant',
  ],
  overloaded: ['skein_overloaded_total', 'Commands refused because a mailbox or the node was full'],
  expired: ['skein_expired_total', 'Commands dropped because their deadline had passed'],
  noOwner: ['skein_no_owner_total', 'Asks that found no owner of their shard and were retried'],
  lostTells: ['skein_tells_lost_total', 'Tells whose command failed'],
  remindersHandled: ['skein_reminders_handled_total', 'Reminders handled by their actor'],
  remindersPostponed: ['skein_reminders_postponed_total', 'Reminders postponed after a failure'],
  tasksDone: ['skein_tasks_done_total', 'Tasks that succeeded'],
  tasksFailed: ['skein_tasks_failed_total', 'Failed tries of tasks'],
  deadLetters: ['skein_dead_letters_total', 'Reminders and tasks that failed for good'],
  takeovers: ['skein_takeovers_total', 'Shards taken over from a node that was no longer a member'],
  handoversOut: ['skein_handovers_out_total', 'Shards handed over to other nodes'],
  handoversIn: ['skein_handovers_in_total', 'Shards taken that another node handed over'],
  renewalsLate: ['skein_lease_renewals_late_total', 'Renewals of the lease that were answered late'],
  renewalsFailed: ['skein_lease_renewals_failed_total', 'Renewals of the lease that failed'],
  leaseExpiries: ['skein_lease_expiries_total', 'How often the lease of this node ended without a hand-over'],
  stepDowns: [
    'skein_lease_step_downs_total',
    'How often this node left its shards to others, because they could write to the database and it could not',
  ],
  membersGone: ['skein_members_gone_total', 'Members removed because their connections were closed'],
  membersExpired: [
    'skein_members_expired_total',
    'Members removed because they had not renewed their membership',
  ],
} as const satisfies Record<keyof Counters, readonly [string, string]>;

const kindCounters = {
  turns: ['skein_turns_total', 'Decisions made'],
  refusals: ['skein_refusals_total', 'Decisions that refused their command'],
  defects: ['skein_defects_total', 'Decisions that threw anything but a refusal'],
  activations: ['skein_activations_total', 'Actors brought into memory'],
  passivations: ['skein_passivations_total', 'Actors taken out of memory'],
  forwarded: ['skein_asks_forwarded_total', 'Asks sent to the node that owns the actor, retries included'],
} as const satisfies Record<keyof KindCounters, readonly [string, string]>;

const gauges = {
  activations: ['skein_residents', 'Actors in memory'],
  deepestMailbox: ['skein_mailbox_deepest', 'Commands of the busiest actor that wait or are in flight'],
  admitted: ['skein_commands', 'Commands that wait or are in flight'],
  outgoing: ['skein_asks_outgoing', 'Asks on their way to other nodes'],
  shards: ['skein_shards', 'Shards that this node owns'],
  tasksRunning: ['skein_tasks_running', 'Tasks running'],
  tasksWaiting: ['skein_tasks_waiting', 'Tasks that have not begun, or wait for their next try'],
  reminders: ['skein_reminders_in_flight', 'Reminders being delivered'],
} as const satisfies Record<keyof NodeGauges, readonly [string, string]>;

export class Metrics {
  readonly registry = new Registry();
  readonly counters = new Counters();
  /** From the call of a commit until it was durable, in milliseconds. */
  readonly commitMs = new HistogramBuckets([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]);
  /** How many commands of an actor wait or are in flight when another one comes. */
  readonly mailboxDepth = new HistogramBuckets([0, 1, 3, 10, 30, 100, 300, 999]);
  /** Commits of one transaction. */
  readonly batchCommits = new HistogramBuckets([1, 2, 5, 10, 20, 50, 100, 200, 499]);
  /** From the call of the commit that waited longest until its transaction began, in milliseconds. */
  readonly batchWaitMs = new HistogramBuckets([0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000]);
  /** Refused commits by reason: see `Activation`. */
  readonly refusedBy: CountsBy;
  readonly #kinds = new Map<string, KindCounters>();
  #readNode: (() => NodeGauges) | undefined;
  #readCluster: (() => ClusterGauges) | undefined;

  constructor() {
    const registry = this.registry;
    for (const [field, [name, help]] of entries(counters))
      this.#counter(name, help, () => this.counters[field]);
    for (const [field, [name, help]] of entries(kindCounters)) this.#counterByKind(field, name, help);
    for (const [field, [name, help]] of entries(gauges)) this.#gauge(name, help, field);
    this.#clusterMembers();
    this.#clusterShards();
    new BucketHistogram(
      registry,
      'skein_commit_milliseconds',
      'Time until a commit was durable',
      this.commitMs,
    );
    new BucketHistogram(
      registry,
      'skein_mailbox_depth',
      'Commands of the actor when another one comes',
      this.mailboxDepth,
    );
    new BucketHistogram(
      registry,
      'skein_commit_batch_commits',
      'Commits of one transaction',
      this.batchCommits,
    );
    new BucketHistogram(
      registry,
      'skein_commit_wait_milliseconds',
      'The longest wait of a commit for its transaction to begin',
      this.batchWaitMs,
    );
    this.refusedBy = new CountsBy(
      registry,
      'skein_commit_refusals_total',
      'Refused commits by reason',
      'reason',
    );
  }

  /** The counters of a kind; always the same object for the same name. */
  kind(name: string): KindCounters {
    let found = this.#kinds.get(name);
    if (found === undefined) this.#kinds.set(name, (found = new KindCounters()));
    return found;
  }

  /** Sets the source of the node's gauges, which are not exposed without one. */
  exposeNode(source: () => NodeGauges): void {
    this.#readNode = source;
  }

  /** Sets the source of the cluster's gauges, which are not exposed without one. */
  exposeCluster(source: () => ClusterGauges): void {
    this.#readCluster = source;
  }

  #clusterMembers(): void {
    const read = (): ClusterGauges | undefined => this.#readCluster?.();
    const collect = function (this: Gauge): void {
      const now = read();
      if (now === undefined) this.remove();
      else this.set(now.members);
    };
    const help = 'Members of the cluster, as this node sees it';
    new Gauge({ name: 'skein_cluster_members', help, registers: [this.registry], collect });
  }

  #clusterShards(): void {
    const read = (): ClusterGauges | undefined => this.#readCluster?.();
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

  #counter(name: string, help: string, read: () => number): void {
    const collect = function (this: Counter): void {
      this.reset();
      this.inc(read());
    };
    new Counter({ name, help, registers: [this.registry], collect });
  }

  #counterByKind(field: keyof KindCounters, name: string, help: string): void {
    const kinds = this.#kinds;
    const collect = function (this: Counter<'kind'>): void {
      this.reset();
      for (const [kind, counters] of kinds) this.inc({ kind }, counters[field]);
    };
    new Counter({ name, help, labelNames: ['kind'], registers: [this.registry], collect });
  }

  #gauge(name: string, help: string, field: keyof NodeGauges): void {
    const read = (): NodeGauges | undefined => this.#readNode?.();
    const collect = function (this: Gauge): void {
      const now = read();
      if (now === undefined) this.reset();
      else this.set(now[field]);
    };
    new Gauge({ name, help, registers: [this.registry], collect });
  }
}

function entries<Table extends object>(table: Table): [keyof Table, Table[keyof Table]][] {
  return Object.entries(table) as [keyof Table, Table[keyof Table]][];
}
