/**
 * A node: the actors that live here, and the way to all others.
 *
 *   new -> running        `start`: the placement hands it shards
 *   running -> draining   `drain`: no more reminders, no sleeping retries
 *   draining -> stopped   mailboxes, commits and effects are finished and every shard is given up, or the time is over
 *
 * While it drains it serves what it still owns, and afterwards finds other owners: asks fail only when there is no other node.
 */
import type { ActorRef, AnyActorKind } from './actor.ts';
import type { Activation } from './activation.ts';
import type { Clock, Random } from './clock.ts';
import { Command, type Origin } from './command.ts';
import { Effects } from './effects.ts';
import { internalError, unavailable } from './failures.ts';
import type { Host } from './host.ts';
import { kindsOf } from './kind.ts';
import { limitsOf, type Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Levels, Metrics } from './metrics.ts';
import { doneWithin } from './pause.ts';
import { EveryShard, type Placement } from './placement.ts';
import { Reminders } from './reminders.ts';
import type { Residents } from './residents.ts';
import { Router } from './router.ts';
import { defaultShardCount, largestShardCount } from './shards.ts';
import type { DueReminder, Store } from './store.ts';
import { Territory } from './territory.ts';
import { NoOwner, type Envelope, type Transport } from './transport/transport.ts';

const defaultDeadlineMs = 10_000;
const reminderDeadlineMs = 30_000;

export interface NodeOptions {
  readonly kinds: readonly AnyActorKind[];
  readonly store: Store;
  /** Stays open when the node drains: whoever made it drains it afterwards. */
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Default: this node is alone and owns every shard. */
  readonly placement?: Placement;
  /** The cluster's shard count. Default 256, at most 4,096. */
  readonly shards?: number;
  readonly limits?: Partial<Limits>;
  /** Called when this node has taken a shard, or may serve again what it owns: what its actors were told meanwhile was lost. */
  readonly taken?: () => void;
}

export interface AskOptions extends Origin {
  /** How long the command may wait for its turn; once decided, the answer comes when its outcome is certain. Default 10,000. */
  readonly deadlineMs?: number;
}

export class Node {
  readonly #options: NodeOptions;
  readonly #host: Host;
  readonly #placement: Placement;
  readonly #territory: Territory;
  readonly #effects: Effects;
  readonly #reminders: Reminders;
  readonly #router: Router;
  #state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  #drained: Promise<void> | undefined;

  /** Throws a `RangeError` or `TypeError` that names the bad option. */
  constructor(options: NodeOptions) {
    this.#options = options;
    const { store, transport, clock, random, log, metrics, shards: count = defaultShardCount } = options;
    if (!Number.isInteger(count) || count < 1 || count > largestShardCount) {
      throw new RangeError(`shards must be 1 to ${largestShardCount}, not ${count}`);
    }
    const limits = limitsOf(options.limits);
    const kinds = kindsOf(options.kinds, count, limits, metrics);
    const { counters } = metrics;
    const shardOf = ({ kind: name, id }: ActorRef): number => {
      const kind = kinds.get(name);
      if (kind === undefined) throw new Error(`no kind ${name}`);
      return kind.shardOf(id);
    };
    this.#host = {
      ...{ store, clock, log, limits, metrics, admitted: 0, tick: 0, shardOf },
      start: (actor, effects) => this.#effects.start(actor, effects),
      remind: reminders => this.#reminders.committed(reminders),
      retire: actor => this.#territory.of(actor.kind)?.remove(actor.id),
    };
    this.#placement = options.placement ?? new EveryShard();
    this.#effects = new Effects({
      ...{ kinds, store, clock, random, limits, log, counters },
      ask: (to, command, payload) => this.ask(to, command, payload),
      tell: (to, command, payload) => this.tell(to, command, payload),
    });
    this.#territory = new Territory({
      ...{ kinds, count, transport, host: this.#host },
      serve: envelope => this.#serve(envelope),
      taking: shard => this.#router.owned(shard),
      taken: () => {
        this.#reminders.wake();
        options.taken?.();
      },
    });
    this.#reminders = new Reminders({
      ...{ store, clock, random, limits, log, counters },
      owns: to => this.#territory.owns(shardOf(to)),
      shards: () => this.#territory.owned(),
      deliver: reminder => this.#deliver(reminder),
      forward: reminder => transport.tell(shardOf(reminder.to), this.#news(reminder)),
    });
    this.#router = new Router({
      ...{ transport, clock, random, limits, log, counters },
      here: envelope => this.#here(envelope),
      ownerless: shard => this.#placement.suspect(shard),
    });
    metrics.watch(() => this.stats);
  }

  /** Resolves when the node serves its shards. */
  async start(): Promise<void> {
    if (this.#state !== 'new') throw new Error(`a ${this.#state} node cannot start`);
    this.#state = 'running';
    await this.#placement.start(this.#territory);
    this.#reminders.start();
    this.#territory.startSweeping();
  }

  /**
   * Asks an actor, here or elsewhere, and gives its reply once that is committed. Rejects only with a `ServiceError`: the
   * refusal as it was thrown, or
   *   svc/runtime/idempotency_conflict, svc/runtime/conflict   a row that must be new was not
   *   svc/runtime/unavailable (503, Retry-After)               overloaded, too late, no owner, store away: `details.reason`
   *   svc/runtime/internal_error                               a defect
   */
  ask<R>(to: ActorRef, command: string, payload: unknown, options: AskOptions = noOptions): Promise<R> {
    const deadline = this.#host.clock.monotonic() + (options.deadlineMs ?? defaultDeadlineMs);
    const residents = this.#territory.of(to.kind);
    if (residents === undefined) return this.#unknown(to, command);
    const activation = this.#territory.find(residents, to.id);
    if (activation !== undefined && !this.#router.isWaiting(activation.shard)) {
      return this.#admit<R>(residents, activation, command, payload, deadline, options);
    }
    const { requestId, traceparent } = options;
    const envelope = { kind: to.kind, id: to.id, command, payload, deadline, requestId, traceparent };
    return this.#router.ask(residents.kind.shardOf(to.id), envelope) as Promise<R>;
  }

  /** Sends a command and does not wait: a hint, lost when it fails. Never throws. */
  tell(to: ActorRef, command: string, payload: unknown): void {
    const residents = this.#territory.of(to.kind);
    const decide = residents?.kind.decide.get(command);
    if (residents === undefined || decide === undefined) {
      this.#options.log.error({ ...to, command }, 'a tell of a command that nobody knows');
      return;
    }
    const deadline = this.#host.clock.monotonic() + defaultDeadlineMs;
    const activation = this.#territory.find(residents, to.id);
    if (activation === undefined) {
      const envelope = { kind: to.kind, id: to.id, command, payload, deadline };
      this.#options.transport.tell(residents.kind.shardOf(to.id), envelope);
    } else if (this.#hasBudget()) {
      activation.accept(new Command(command, decide, payload, deadline));
    } else {
      this.#host.metrics.counters.lostTells++;
    }
  }

  /** Whether the actor lives here now. */
  owns(to: ActorRef): boolean {
    return this.#territory.owns(this.#host.shardOf(to));
  }

  /** Whether this node owns shard 0: of all nodes it alone does what is to be done once for the cluster, not to be exact but to spare. */
  get keepsHouse(): boolean {
    return this.#territory.owns(0);
  }

  /** Finishes what was begun, gives every shard up and stops; at most `limits.drainMs`. Idempotent. */
  drain(): Promise<void> {
    return (this.#drained ??= this.#drain());
  }

  /** Levels at this moment. */
  get stats(): Levels {
    return {
      residents: this.#territory.residents,
      admitted: this.#host.admitted,
      outgoing: this.#router.outgoing,
      shards: this.#territory.ownedCount,
      tasksRunning: this.#effects.running,
      tasksWaiting: this.#effects.waiting,
      reminders: this.#reminders.inFlight,
    };
  }

  #admit<R>(
    { kind }: Residents,
    activation: Activation,
    name: string,
    payload: unknown,
    deadline: number,
    origin?: Origin,
    reminder?: DueReminder,
  ): Promise<R> {
    const decide = kind.decide.get(name);
    if (decide === undefined) return this.#unknown(activation.ref, name);
    if (!this.#hasBudget()) return Promise.reject(overloaded);
    const answer = new Promise<R>(capture);
    const command = new Command(name, decide, payload, deadline, origin, reminder, resolveAsk, rejectAsk);
    activation.accept(command);
    return answer;
  }

  #hasBudget(): boolean {
    const { admitted, limits, metrics } = this.#host;
    if (admitted >= limits.admitted) {
      metrics.counters.overloaded++;
      return false;
    }
    this.#host.admitted++;
    return true;
  }

  #unknown(to: ActorRef, command: string): Promise<never> {
    this.#options.log.error({ ...to, command }, 'an ask for a command that nobody knows');
    return Promise.reject(internalError());
  }

  /** The answer of an actor of this node; undefined when it lives elsewhere. */
  #here(envelope: Envelope): Promise<unknown> | undefined {
    const { kind, id, command, payload, deadline } = envelope;
    const residents = this.#territory.of(kind);
    if (residents === undefined) return this.#unknown({ kind, id }, command);
    const activation = this.#territory.find(residents, id);
    if (activation === undefined) return undefined;
    return this.#admit(residents, activation, command, payload, deadline, envelope);
  }

  #serve(envelope: Envelope): Promise<unknown> {
    const { reminder } = envelope;
    if (reminder === undefined) return this.#here(envelope) ?? Promise.reject(new NoOwner());
    if (this.#territory.of(envelope.kind) !== undefined) this.#reminders.offer(reminder);
    return Promise.resolve();
  }

  #deliver(reminder: DueReminder): Promise<unknown> {
    const { to, command, payload } = reminder;
    const residents = this.#territory.of(to.kind);
    if (residents === undefined) return this.#unknown(to, command);
    const activation = this.#territory.find(residents, to.id);
    if (activation === undefined) return Promise.reject(new NoOwner());
    const deadline = this.#host.clock.monotonic() + reminderDeadlineMs;
    return this.#admit(residents, activation, command, payload, deadline, undefined, reminder);
  }

  #news(reminder: DueReminder): Envelope {
    const { to, command } = reminder;
    const deadline = this.#host.clock.monotonic() + reminderDeadlineMs;
    return { kind: to.kind, id: to.id, command, payload: undefined, deadline, reminder };
  }

  async #drain(): Promise<void> {
    const { clock, limits, log } = this.#host;
    const end = clock.monotonic() + limits.drainMs;
    this.#state = 'draining';
    this.#effects.hurry();
    // In a busy cluster new work keeps coming until the shards move, so this wait may be in vain.
    await this.#within(limits.drainMs / 2, Promise.all([this.#reminders.stop(), this.#effects.quiet()]));
    if (this.#placement.alone) this.#router.close();
    const finished = this.#placement
      .drain()
      .then(() => Promise.all([this.#effects.quiet(), this.#router.quiet()]));
    const inTime = await this.#within(end - clock.monotonic(), finished);
    if (!inTime) log.warn(this.stats, 'the drain was not finished in time');
    this.#territory.stopSweeping();
    this.#router.close();
    this.#state = 'stopped';
  }

  /** Whether the work was finished in the given time. */
  #within(ms: number, work: Promise<unknown>): Promise<boolean> {
    const { clock, log } = this.#host;
    return doneWithin(clock, ms, work).catch((error: unknown) => {
      log.error({ err: error }, 'the drain failed');
      return false;
    });
  }
}

const noOptions: AskOptions = {};

/** One for all: under overload, making an error for each would cost more than the work that is refused. */
const overloaded = unavailable('overloaded');

// A promise's functions are handed out through these, so that an ask allocates no closure.
let resolveAsk: (reply: unknown) => void;
let rejectAsk: (error: Error) => void;

function capture<R>(resolve: (reply: R) => void, reject: (error: Error) => void): void {
  resolveAsk = resolve as (reply: unknown) => void;
  rejectAsk = reject;
}
