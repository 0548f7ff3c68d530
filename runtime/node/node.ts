/**
 * A node: the actors that live on it, and the way to all others.
 *
 *   new -> running        `start`: the placement gives it shards
 *   running -> draining   `drain`: no more reminders, no more retries
 *   draining -> stopped   commands, commits and effects are finished and every shard is given up, or the time is over
 *
 * While it drains it serves what it still owns and then finds the new owners: an ask fails only when there is no other node.
 */
import {
  Command,
  createKinds,
  Effects,
  internalError,
  NoOwner,
  parseLimits,
  unavailable,
  type Activation,
  type ActorRef,
  type AnyActorKind,
  type DueReminder,
  type Kind,
  type Limits,
  type NodeContext,
  type RequestContext,
  type Store,
} from '../actor/index.ts';
import { noTracer, type Log, type Metrics, type NodeGauges, type Tracer } from '../observability/index.ts';
import { defaultShardCount, maxShardCount, StandalonePlacement, type Placement } from '../placement/index.ts';
import { completesWithin, type Clock, type Random } from '../time/index.ts';
import type { Envelope, Transport } from '../transport/index.ts';
import type { ActivationTable } from './activation-table.ts';
import { type BusyActor, LocalShards } from './local-shards.ts';
import { Reminders } from './reminders.ts';
import { Router } from './router.ts';

const defaultDeadlineMs = 10_000;
const reminderDeadlineMs = 30_000;

export interface NodeOptions {
  readonly kinds: readonly AnyActorKind[];
  readonly store: Store;
  /** Stays open when the node drains: its creator drains it afterwards. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Default: nothing is traced. */
  readonly tracer?: Tracer;
  /** Default: this node is standalone and owns every shard. */
  readonly placement?: Placement;
  /** The shard count of the cluster. Default 256, at most 4,096. */
  readonly shards?: number;
  readonly limits?: Partial<Limits>;
  /** Called when this node has taken a shard, or serves its shards again: tells to their actors in the meantime were lost. */
  readonly onShardsTaken?: () => void;
}

export interface AskOptions extends RequestContext {
  /** How long the command may wait for its turn; once decided, it is answered when its outcome is certain. Default 10,000. */
  readonly deadlineMs?: number;
}

export class Node {
  readonly #options: NodeOptions;
  readonly #context: NodeContext;
  readonly #placement: Placement;
  readonly #localShards: LocalShards;
  readonly #effects: Effects;
  readonly #reminders: Reminders;
  readonly #router: Router;
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #drained: Promise<void> | undefined;

  /** Throws a `RangeError` or `TypeError` that names the bad option. */
  constructor(options: NodeOptions) {
    this.#options = options;
    const { store, transport, clock, random, log, metrics, tracer = noTracer } = options;
    const count = parseShardCount(options.shards);
    const limits = parseLimits(options.limits);
    const kinds = createKinds(options.kinds, count, limits, metrics);
    const getShard = createShardLookup(kinds);
    const shared = { clock, random, limits, log, counters: metrics.counters };
    this.#context = {
      store,
      clock,
      log,
      limits,
      metrics,
      tracer,
      admitted: 0,
      sweeps: 0,
      getShard,
      startEffects: (actor, effects) => this.#effects.start(actor, effects),
      scheduleReminders: reminders => this.#reminders.onCommitted(reminders),
      onLoadFailed: actor => this.#localShards.getTable(actor.kind)?.remove(actor.id),
    };
    this.#placement = options.placement ?? new StandalonePlacement();
    this.#effects = new Effects({
      ...shared,
      kinds,
      store,
      ask: (to, command, payload) => this.ask(to, command, payload),
      tell: (to, command, payload) => this.tell(to, command, payload),
    });
    this.#localShards = new LocalShards({
      kinds,
      count,
      transport,
      context: this.#context,
      serve: envelope => this.#serve(envelope),
      onServing: shard => this.#router.onOwned(shard),
      onTaken: () => {
        this.#reminders.scanSoon();
        options.onShardsTaken?.();
      },
    });
    this.#reminders = new Reminders({
      ...shared,
      store,
      owns: to => this.#localShards.owns(getShard(to)),
      shards: () => this.#localShards.listServed(),
      deliver: reminder => this.#deliver(reminder),
      forward: reminder => transport.tell(getShard(reminder.to), this.#toEnvelope(reminder)),
    });
    this.#router = new Router({
      ...shared,
      transport,
      tracer,
      askLocally: envelope => this.#askLocally(envelope),
      onForward: ({ kind }) => void metrics.kind(kind).forwarded++,
      onNoOwner: shard => this.#placement.suspect(shard),
    });
    metrics.exposeNode(() => this.stats);
  }

  /** Resolves when the node serves its shards. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error(`a ${this.#state} node cannot start`);
    this.#state = 'running';
    await this.#placement.start(this.#localShards);
    this.#reminders.start();
    this.#localShards.startSweeping();
  }

  /**
   * Asks an actor, on this node or another, and resolves to its reply once that is committed. Rejects only with a `ServiceError`: the
   * refusal as it was thrown, or
   *   svc/runtime/idempotency_conflict, svc/runtime/conflict   a row with a unique key was there already
   *   svc/runtime/unavailable (503, Retry-After)               overloaded, too late, no owner, no store: `details.reason`
   *   svc/runtime/internal_error                               a defect
   */
  ask<R>(to: ActorRef, command: string, payload: unknown, options: AskOptions = noOptions): Promise<R> {
    const deadline = this.#context.clock.monotonic() + (options.deadlineMs ?? defaultDeadlineMs);
    const table = this.#localShards.getTable(to.kind);
    if (table === undefined) return this.#rejectUnknown(to, command);
    const activation = this.#localShards.activate(table, to.id);
    if (activation !== undefined && !this.#router.parked.has(activation.shard)) {
      return this.#admit<R>(table, activation, command, payload, deadline, options);
    }
    const { requestId, traceparent } = options;
    const envelope = { kind: to.kind, id: to.id, command, payload, deadline, requestId, traceparent };
    return this.#router.ask(table.kind.getShard(to.id), envelope) as Promise<R>;
  }

  /** Sends a command without waiting: a hint, lost when it fails. Never throws. */
  tell(to: ActorRef, command: string, payload: unknown): void {
    const table = this.#localShards.getTable(to.kind);
    const decide = table?.kind.decide.get(command);
    if (table === undefined || decide === undefined) {
      this.#options.log.error({ ...to, command }, 'a tell of an unknown command');
      return;
    }
    const deadline = this.#context.clock.monotonic() + defaultDeadlineMs;
    const activation = this.#localShards.activate(table, to.id);
    if (activation === undefined) {
      const envelope = { kind: to.kind, id: to.id, command, payload, deadline };
      this.#options.transport.tell(table.kind.getShard(to.id), envelope);
    } else if (this.#tryAdmit()) {
      activation.accept(new Command(command, decide, payload, deadline));
    } else {
      this.#context.metrics.counters.lostTells++;
    }
  }

  /** The shard of the actor; undefined if this node does not know the kind or the command. */
  findShard(to: ActorRef, command: string): number | undefined {
    const isKnown = this.#localShards.getTable(to.kind)?.kind.decide.has(command) === true;
    return isKnown ? this.#context.getShard(to) : undefined;
  }

  /** Whether the actor lives here now. */
  owns(to: ActorRef): boolean {
    return this.#localShards.owns(this.#context.getShard(to));
  }

  /**
   * Whether this node owns shard 0, and so should do what the cluster needs only once. For a moment no node or two may be the leader, so
   * this saves work and ensures nothing.
   */
  get isLeader(): boolean {
    return this.#localShards.owns(0);
  }

  /** The store may have gone back, as after a failover: drops what the actors know of it. Takes up again what it has to do. */
  reload(): void {
    this.#localShards.reload();
    this.#effects.dropPending();
    this.#reminders.scanSoon();
    this.#options.onShardsTaken?.();
  }

  /** Finishes its work, gives every shard up and stops; takes at most `limits.drainMs`. Idempotent. */
  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  /** The gauges at this moment. */
  get stats(): NodeGauges {
    const localShards = this.#localShards;
    return {
      activations: localShards.activations,
      // It looks at every actor. Who asks for another gauge, as each gauge of the metrics does, does not wait for that.
      get deepestMailbox() {
        return localShards.deepestMailbox;
      },
      admitted: this.#context.admitted,
      outgoing: this.#router.outgoing,
      shards: localShards.ownedCount,
      tasksRunning: this.#effects.running,
      tasksWaiting: this.#effects.waiting,
      reminders: this.#reminders.inFlight,
    };
  }

  /** Actors with commands that wait or are in flight, those with most first, and at most so many. It looks at every actor. */
  listBusiest(limit: number): BusyActor[] {
    return this.#localShards.listBusiest(limit);
  }

  #admit<R>(
    { kind }: ActivationTable,
    activation: Activation,
    name: string,
    payload: unknown,
    deadline: number,
    request?: RequestContext,
    reminder?: DueReminder,
  ): Promise<R> {
    const decide = kind.decide.get(name);
    if (decide === undefined) return this.#rejectUnknown(activation.ref, name);
    if (!this.#tryAdmit()) return Promise.reject(overloaded);
    const answer = new Promise<R>(capture);
    const command = new Command(name, decide, payload, deadline, request, reminder, resolveAsk, rejectAsk);
    activation.accept(command);
    return answer;
  }

  #tryAdmit(): boolean {
    const { admitted, limits, metrics } = this.#context;
    if (admitted >= limits.admitted) {
      metrics.counters.overloaded++;
      return false;
    }
    this.#context.admitted++;
    return true;
  }

  #rejectUnknown(to: ActorRef, command: string): Promise<never> {
    this.#options.log.error({ ...to, command }, 'an ask of an unknown command');
    return Promise.reject(internalError());
  }

  /** The answer of an actor of this node; undefined when it lives on another. */
  #askLocally(envelope: Envelope): Promise<unknown> | undefined {
    const { kind, id, command, payload, deadline } = envelope;
    const table = this.#localShards.getTable(kind);
    if (table === undefined) return this.#rejectUnknown({ kind, id }, command);
    const activation = this.#localShards.activate(table, id);
    if (activation === undefined) return undefined;
    return this.#admit(table, activation, command, payload, deadline, envelope);
  }

  #serve(envelope: Envelope): Promise<unknown> {
    const { reminder } = envelope;
    if (reminder === undefined) return this.#askLocally(envelope) ?? Promise.reject(new NoOwner());
    if (this.#localShards.getTable(envelope.kind) !== undefined) this.#reminders.offer(reminder);
    return Promise.resolve();
  }

  #deliver(reminder: DueReminder): Promise<unknown> {
    const { to, command, payload } = reminder;
    const table = this.#localShards.getTable(to.kind);
    if (table === undefined) return this.#rejectUnknown(to, command);
    const activation = this.#localShards.activate(table, to.id);
    if (activation === undefined) return Promise.reject(new NoOwner());
    const deadline = this.#context.clock.monotonic() + reminderDeadlineMs;
    return this.#admit(table, activation, command, payload, deadline, undefined, reminder);
  }

  #toEnvelope(reminder: DueReminder): Envelope {
    const { to, command } = reminder;
    const deadline = this.#context.clock.monotonic() + reminderDeadlineMs;
    return { kind: to.kind, id: to.id, command, payload: undefined, deadline, reminder };
  }

  async #drain(): Promise<void> {
    const { clock, limits, log } = this.#context;
    const end = clock.monotonic() + limits.drainMs;
    this.#state = 'draining';
    this.#effects.stopRetrying();
    // In a busy cluster new work keeps coming until the shards move, so this may not become idle.
    await this.#finishesWithin(
      limits.drainMs / 2,
      Promise.all([this.#reminders.stop(), this.#effects.whenIdle()]),
    );
    if (this.#placement.standalone) this.#router.close();
    const finished = this.#placement
      .drain()
      .then(() => Promise.all([this.#effects.whenIdle(), this.#router.whenIdle()]));
    const inTime = await this.#finishesWithin(end - clock.monotonic(), finished);
    if (!inTime) log.warn(this.stats, 'the drain did not finish in time');
    this.#localShards.stopSweeping();
    this.#router.close();
    this.#state = 'stopped';
  }

  /** Whether the work finished without an error in the given time. */
  #finishesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
    const { clock, log } = this.#context;
    return completesWithin(clock, ms, work).catch((error: unknown) => {
      log.error({ err: error }, 'the drain failed');
      return false;
    });
  }
}

function parseShardCount(count = defaultShardCount): number {
  if (Number.isInteger(count) && count >= 1 && count <= maxShardCount) return count;
  throw new RangeError(`shards must be 1 to ${maxShardCount}, not ${count}`);
}

function createShardLookup(kinds: ReadonlyMap<string, Kind>): (actor: ActorRef) => number {
  return ({ kind: name, id }) => {
    const kind = kinds.get(name);
    if (kind === undefined) throw new Error(`no kind ${name}`);
    return kind.getShard(id);
  };
}

const noOptions: AskOptions = {};

/** Shared: under overload, an error for each refusal would cost more than the refused work. */
const overloaded = unavailable('overloaded');

// A promise hands its functions out through these, so that an ask allocates no closure.
let resolveAsk: (reply: unknown) => void;
let rejectAsk: (error: Error) => void;

function capture<R>(resolve: (reply: R) => void, reject: (error: Error) => void): void {
  resolveAsk = resolve as (reply: unknown) => void;
  rejectAsk = reject;
}
