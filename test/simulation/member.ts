/**
 * One node of the simulated cluster: production's runtime, placement and streams in a machine of their own.
 *
 *   starting -> serving     the placement has begun
 *   serving -> draining     SIGTERM
 *   any -> gone             its process is over, one way or another
 */
import { Node, type AskOptions } from '../../runtime/node/node.ts';
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { Random } from '../../runtime/time/clock.ts';
import { LeasedPlacement } from '../../runtime/cluster/leased-placement.ts';
import { NatsPeers } from '../../runtime/cluster/nats-peers.ts';
import type { Limits } from '../../runtime/actor/node-context.ts';
import type { Log } from '../../runtime/observability/log.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import type { Placement, NodeShards } from '../../runtime/placement/placement.ts';
import { NatsTransport } from '../../runtime/transport/nats.ts';
import { ClusterRelay } from '../../storage/events/cluster-relay.ts';
import { CommitNotifier } from '../../storage/events/commit-notifier.ts';
import { StreamEndpoint } from './console.ts';
import { conversations, createKinds } from './conversation.ts';
import type { SimulatedStore } from './database.ts';
import type { Machine } from './machine.ts';
import type { Connection } from './network.ts';
import type { EnvelopeHandler, Transport } from '../../runtime/transport/transport.ts';
import { SimulatedRegister } from './register.ts';
import { cluster, shardCount, type Simulation } from './simulation.ts';
import { NodeStitches, stitches } from './stitches.ts';
import { simulatedNats } from './nats.ts';

/**
 * Small, so that they are reached. One more than the mailbox's is a bound of its histogram, which the invariant reads: the command with
 * which an actor begins (`onActivate`) is not asked whether there is room.
 */
export const limits: Partial<Limits> = {
  mailbox: 29,
  admitted: 40,
  activations: 8,
  tasksQueued: 50,
  remindersAtOnce: 4,
};

export class Member {
  /** Of this process standalone. */
  readonly name: string;
  /** By which the cluster knows it: a node that comes again may have the one that it had. */
  readonly id: string;
  readonly machine: Machine;
  readonly connection: Connection;
  readonly metrics = new Metrics();
  readonly streams: StreamEndpoint;
  readonly transport: NatsTransport;
  /** The shards that its placement has taken. */
  readonly shards = new Set<number>();
  state: 'starting' | 'serving' | 'draining' | 'gone' = 'starting';
  /** Requests of clients that are not answered. */
  calls = 0;
  /** Why it is there: what it stands for when it takes its first shard. */
  came: 'restart' | 'join' | undefined;
  readonly #whenDead = new Set<() => void>();
  readonly #simulation: Simulation;
  readonly #node: Node;
  readonly #store: SimulatedStore;
  /** When it got its lease, in virtual milliseconds. */
  #leasedFrom = 0;
  readonly #stitches: NodeStitches;
  /** Until when it may serve, in its monotonic time. */
  #until = Infinity;
  /** The last instant at which it was known that it might. */
  #lastLeased = 0;
  /** When each attempt of a client reached this node. */
  readonly #arrivals = new Map<string, number>();

  constructor(simulation: Simulation, name: string, id: string, random: Random) {
    this.#simulation = simulation;
    this.name = name;
    this.id = id;
    this.machine = simulation.machine(name);
    this.connection = simulation.broker.connect(this.machine);
    const { machine, connection } = this;
    const log = this.#log();
    const notifier = new CommitNotifier();
    const nats = simulatedNats(connection);
    const { counters } = this.metrics;
    this.transport = new NatsTransport({
      connection: nats,
      cluster,
      clock: machine,
      log,
      counters,
      atTurnEnd: callback => machine.after(0, callback),
    });
    const relay = new ClusterRelay({
      transport: this.transport,
      clock: machine,
      notifier,
      from: name,
      getGeneration: () => simulation.database.getKnownTimeline(machine),
    });
    notifier.setRelay(relay);
    connection.onChange(connected => {
      if (!connected) return;
      relay.onOutage();
      notifier.onOutage();
    });
    this.streams = new StreamEndpoint(
      machine,
      simulation.schedule,
      simulation.database,
      notifier,
      random,
      log,
    );
    const placement = new LeasedPlacement({
      id,
      release: 'simulated',
      clock: machine,
      random,
      log,
      metrics: this.metrics,
      register: new SimulatedRegister(simulation.register, connection),
      peers: new NatsPeers({ connection: nats, cluster }),
      onOrphaned: shards => this.transport.failOrphanedAsks(shards),
    });
    this.#stitches = new NodeStitches({ simulation, machine, notifier, random, log });
    const kinds = createKinds({
      decided: (self, command, payload) => this.#decided(self, command, payload),
      deliver: (conversation, sequence) =>
        simulation.receiver.deliver(machine, conversation, sequence, () => this.isCurrent),
    });
    this.#store = simulation.database.open(machine, notifier, () => this.#onFailover());
    this.#node = new Node({
      kinds: [...kinds, this.#stitches.kind],
      clock: machine,
      random,
      log,
      limits,
      metrics: this.metrics,
      shards: shardCount,
      store: this.#store,
      transport: this.#heard(this.transport),
      placement: this.#watched(placement),
      onShardsTaken: () => this.#stitches.onShardsTaken(),
    });
    this.#stitches.attach(this.#node);
  }

  /** Whether it has noticed the last failover of the database. */
  get isCurrent(): boolean {
    return this.knownTimeline === this.#simulation.database.timeline;
  }

  /** The last failover of the database that it has noticed. */
  get knownTimeline(): number {
    return this.#simulation.database.getKnownTimeline(this.machine);
  }

  /** Whether it has written to the database within so many milliseconds. */
  hasWritten(withinMs: number): boolean {
    return this.machine.monotonic() - this.#store.writtenAt < withinMs;
  }

  /** Whether it has held a lease without a gap since then, in virtual milliseconds. */
  hasHeldLease(since: number): boolean {
    return this.isLeased && this.#leasedFrom <= since;
  }

  /** As production's parts are put together. */
  #onFailover(): void {
    this.#simulation.tell(() => `${this.name} notices the failover`);
    this.#stitches.reset();
    this.#node.reload();
    this.streams.reset();
  }

  get stats(): Node['stats'] {
    return this.#node.stats;
  }

  /** Whether it holds a lease that stands. */
  get isLeased(): boolean {
    return this.machine.monotonic() < this.#until;
  }

  /** Must be called in the machine, as must all that follow. */
  async start(): Promise<void> {
    await this.#node.start();
    if (this.state === 'starting') this.state = 'serving';
    this.#simulation.tell(() => `${this.name} serves`);
  }

  /** Called when the process ends, until the returned function is called. */
  onDeath(callback: () => void): () => void {
    this.#whenDead.add(callback);
    return () => this.#whenDead.delete(callback);
  }

  died(): void {
    for (const callback of [...this.#whenDead]) callback();
    this.#whenDead.clear();
  }

  /** A client's command: `attempt` is its standalone. */
  ask<R>(
    to: ActorRef,
    command: string,
    payload: { readonly attempt: string },
    options?: AskOptions,
  ): Promise<R> {
    this.#arrivals.set(payload.attempt, this.machine.monotonic());
    return this.#node.ask<R>(to, command, payload, options);
  }

  /** A command of anybody else. */
  command(to: ActorRef, command: string, payload: object): Promise<unknown> {
    return this.#node.ask(to, command, payload);
  }

  async drain(): Promise<void> {
    this.state = 'draining';
    this.#stitches.drain();
    await this.#node.drain();
    this.streams.close();
    await this.transport.drain();
  }

  /** What no node may ever exceed. */
  checkBounds(): void {
    const { verdict } = this.#simulation;
    const { admitted, outgoing, reminders } = this.stats;
    const budget = limits.admitted ?? 0;
    // Beside the command with which each actor begins.
    if (admitted > budget + conversations.length + stitches.length)
      verdict.broken('bounds are kept', `${this.name} has admitted ${admitted}`);
    if (outgoing > budget) verdict.broken('bounds are kept', `${this.name} has ${outgoing} asks out`);
    if (reminders > (limits.remindersAtOnce ?? 0)) {
      verdict.broken('bounds are kept', `${this.name} delivers ${reminders} reminders at once`);
    }
  }

  /** Whether some mailbox held more than it may. */
  checkMailboxes(): void {
    const { bounds } = this.metrics.mailboxDepth;
    const counts = this.metrics.mailboxDepth.cumulative();
    const within = counts[bounds.indexOf((limits.mailbox ?? 0) + 1)] ?? 0;
    const all = counts.at(-1) ?? 0;
    if (within === all) return;
    this.#simulation.verdict.broken(
      'bounds are kept',
      `${this.name}: a mailbox held more than ${limits.mailbox}`,
    );
  }

  /** What comes for this node's shards is noted on its way. */
  #heard(transport: Transport): Transport {
    const noted =
      (handler: EnvelopeHandler): EnvelopeHandler =>
      envelope => {
        const { attempt } = envelope.payload as { attempt?: string };
        if (attempt !== undefined) this.#arrivals.set(attempt, this.machine.monotonic());
        return handler(envelope);
      };
    return {
      serve: (shard, handler) => transport.serve(shard, noted(handler)),
      ask: (shard, envelope) => transport.ask(shard, envelope),
      tell: (shard, envelope) => transport.tell(shard, envelope),
      publish: (topic, message) => transport.publish(topic, message),
      subscribe: (topic, listener) => transport.subscribe(topic, listener),
      isHeard: topic => transport.isHeard(topic),
      drain: () => transport.drain(),
    };
  }

  /** What the placement says of leases and shards is noted on its way to the node. */
  #watched(placement: Placement): Placement {
    return {
      standalone: placement.standalone,
      start: shards => placement.start(this.#noted(shards)),
      suspect: shard => placement.suspect(shard),
      drain: () => placement.drain(),
    };
  }

  #noted(shards: NodeShards): NodeShards {
    return {
      count: shards.count,
      get writtenAt() {
        return shards.writtenAt;
      },
      probe: () => shards.probe(),
      serveUntil: until => {
        if (!this.isLeased || this.#until === Infinity) this.#leasedFrom = this.#simulation.schedule.now;
        this.#lastLeased = this.#leasedAtLast();
        this.#until = until;
        shards.serveUntil(until);
      },
      take: async shard => {
        this.#took(shard);
        await shards.take(shard);
      },
      waitUntilIdle: (shard, maxMs) => shards.waitUntilIdle(shard, maxMs),
      release: async released => {
        for (const shard of released) this.shards.delete(shard);
        this.#simulation.tell(() => `${this.name} releases ${released.join(' ')}`);
        await shards.release(released);
      },
    };
  }

  #took(shard: number): void {
    const { verdict, members, faults } = this.#simulation;
    this.shards.add(shard);
    this.#simulation.tell(() => `${this.name} takes ${shard}`);
    if (this.came !== undefined) {
      faults.fired(this.came);
      this.came = undefined;
    }
    for (const other of members) {
      if (other === this || other.machine.state === 'dead' || !other.shards.has(shard)) continue;
      // One whose connection the broker has lost may be taken for dead: that is what versions are for.
      if (!other.isLeased || !other.connection.isHeard) continue;
      verdict.broken('one lease per shard', `${this.name} took ${shard}, which ${other.name} may serve`);
    }
  }

  /** The last instant until now at which it might serve. */
  #leasedAtLast(): number {
    return Math.max(this.#lastLeased, Math.min(this.#until, this.machine.monotonic()));
  }

  #decided(self: ActorRef, command: string, payload: unknown): void {
    const { attempt, mark } = payload as { attempt?: string; mark?: string };
    const { verdict } = this.#simulation;
    if (this.machine.state !== 'running') {
      verdict.broken('nothing fails that nobody broke', `the simulation ran ${command} on ${this.name}`);
    }
    if (command === 'nudge' && mark !== undefined) this.#simulation.checkNudge(self, mark);
    if (attempt === undefined) return;
    this.checkBounds();
    const arrived = this.#arrivals.get(attempt);
    if (arrived === undefined || arrived <= this.#leasedAtLast()) return;
    verdict.broken(
      'nothing is served past the lease',
      `${this.name} decided ${command} of ${self.id}, which came ${arrived - this.#leasedAtLast()} ms after its lease`,
    );
  }

  #log(): Log {
    const line =
      (level: 'debug' | 'info' | 'warn' | 'error') =>
      (fields: object, message: string): void =>
        this.#simulation.logged(this.name, level, fields, message);
    return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
  }
}
