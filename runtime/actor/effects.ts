/**
 * What decisions do after their commit: tells and tasks. A crash loses them: what must happen anyway is a row or a reminder.
 *
 * A task:
 *
 *   queued -> running     fewer than `tasksAtOnce` of its kind are running
 *   running -> done
 *   running -> waiting    it failed: it is retried with back-off, without limit, because an unknown error may pass
 *   waiting -> queued     the back-off is over, or the node drains
 *   running -> dead       an actor refused it `limits.taskRefusals` times: a dead letter
 *   running -> left       it failed while the node drains: whatever recovers a task after a crash recovers this one
 *   new -> dead           the queue is full, or the kind has no such task
 *
 * Every effect is counted from its start, so that a drain can wait for all of them, and pins its actor, which may hold the effect's
 * progress in memory.
 */
import type { Counters, Log } from '../observability/index.ts';
import { backoffMs, type Clock, pause, type Random, type Timer } from '../time/index.ts';
import type { ActorRef, Effect, Task } from './actor.ts';
import { describeError, isRefusal } from './failures.ts';
import { getTaskCommand, type Kind } from './kind.ts';
import type { Limits, Pinned } from './node-context.ts';
import { Queue } from './turn.ts';
import type { Store } from './store.ts';

const firstRetryMs = 500;
const maxRetryMs = 30_000;
/** Tries to write a dead letter. */
const deadLetterTries = 5;

export interface EffectsOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly store: Pick<Store, 'addDeadLetter'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  readonly ask: (to: ActorRef, command: string, payload: unknown) => Promise<unknown>;
  readonly tell: (to: ActorRef, command: string, payload: unknown) => void;
}

interface Job {
  next: Job | undefined;
  readonly actor: Pinned;
  readonly name: string;
  readonly payload: unknown;
  failures: number;
  /** Failures in which an actor refused what the task asked for. */
  refusals: number;
}

/** The tasks of one kind. */
interface TaskQueue {
  readonly kind: Kind;
  running: number;
  readonly queued: Queue<Job>;
}

export class Effects {
  readonly #options: EffectsOptions;
  readonly #now = (): number => this.#options.clock.now();
  readonly #taskQueues = new Map<string, TaskQueue>();
  /** Failed tasks, until their next try. */
  readonly #waitingForRetry = new Map<Job, Timer>();
  /** Effects to be started in the next microtask. */
  #toStart: { readonly actor: Pinned; readonly effect: Effect }[] = [];
  #unfinished = 0;
  /** From now on a failed task is not retried. */
  #isFinishing = false;
  #whenIdle: (() => void)[] = [];

  constructor(options: EffectsOptions) {
    this.#options = options;
    for (const [name, kind] of options.kinds) {
      this.#taskQueues.set(name, { kind, running: 0, queued: new Queue<Job>() });
    }
  }

  /** Tasks that run now. */
  get running(): number {
    let total = 0;
    for (const queue of this.#taskQueues.values()) total += queue.running;
    return total;
  }

  /** Tasks that are queued, or wait for their next try. */
  get waiting(): number {
    let total = this.#waitingForRetry.size;
    for (const queue of this.#taskQueues.values()) total += queue.queued.size;
    return total;
  }

  /** Starts in a microtask: a tell lets its receiver decide, which must not happen inside the sender's turn. */
  start(actor: Pinned, effects: readonly Effect[]): void {
    if (this.#toStart.length === 0) queueMicrotask(() => this.#startAll());
    for (const effect of effects) this.#toStart.push({ actor, effect });
    actor.pins += effects.length;
    this.#unfinished += effects.length;
  }

  /** Resolves when all effects that were started, and those that follow from them, are finished. */
  whenIdle(): Promise<void> {
    if (this.#unfinished === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenIdle.push(resolve));
  }

  /** For a drain: retries the waiting tasks once more now. From now on a failed task is left. */
  stopRetrying(): void {
    this.#isFinishing = true;
    for (const [job, timer] of this.#waitingForRetry) {
      timer.cancel();
      this.#enqueue(job);
    }
    this.#waitingForRetry.clear();
  }

  #startAll(): void {
    const effects = this.#toStart;
    this.#toStart = [];
    for (const { actor, effect } of effects) {
      if (effect.do === 'tell') {
        this.#options.tell(effect.to, effect.command, effect.payload);
        this.#finish(actor);
      } else {
        const { task: name, payload } = effect;
        this.#enqueue({ next: undefined, actor, name, payload, failures: 0, refusals: 0 });
      }
    }
  }

  #enqueue(job: Job): void {
    const queue = this.#taskQueues.get(job.actor.ref.kind);
    const task = queue?.kind.tasks.get(job.name);
    if (queue === undefined || task === undefined) void this.#giveUp(job, new Error(`no task ${job.name}`));
    else if (queue.running < queue.kind.tasksAtOnce) void this.#run(queue, task, job);
    else if (queue.queued.size < this.#options.limits.tasksQueued) queue.queued.push(job);
    else void this.#giveUp(job, new Error('too many tasks wait'));
  }

  async #run(queue: TaskQueue, task: Task, job: Job): Promise<void> {
    const { ask, counters } = this.#options;
    queue.running++;
    try {
      await task(job.payload as never, { self: job.actor.ref, ask, now: this.#now });
      counters.tasksDone++;
      this.#finish(job.actor);
    } catch (error) {
      this.#failed(job, error);
    }
    queue.running--;
    const next = queue.queued.shift();
    if (next !== undefined) this.#enqueue(next);
  }

  #failed(job: Job, error: unknown): void {
    const { clock, random, limits, log, counters } = this.#options;
    const { kind, id } = job.actor.ref;
    counters.tasksFailed++;
    job.failures++;
    log.debug({ err: error, kind, id, task: job.name, failures: job.failures }, 'a task failed');
    if (isRefusal(error)) job.refusals++;
    if (job.refusals >= limits.taskRefusals) {
      void this.#giveUp(job, error);
      return;
    }
    if (this.#isFinishing) {
      log.warn({ err: error, kind, id, task: job.name }, 'a task was left unfinished as the node drains');
      this.#finish(job.actor);
      return;
    }
    if (this.#waitingForRetry.size >= limits.tasksQueued) {
      void this.#giveUp(job, error);
      return;
    }
    const ms = backoffMs(job.failures, firstRetryMs, maxRetryMs, random);
    const retry = (): void => {
      this.#waitingForRetry.delete(job);
      this.#enqueue(job);
    };
    this.#waitingForRetry.set(job, clock.after(ms, retry));
  }

  async #giveUp({ actor, name, payload, failures }: Job, reason: unknown): Promise<void> {
    const { store, clock, random, log, counters } = this.#options;
    const { kind, id } = actor.ref;
    counters.deadLetters++;
    log.error({ err: reason, kind, id, task: name, failures }, 'a task failed for good');
    const command = getTaskCommand(name);
    const letter = {
      actor: actor.ref,
      name: command,
      payload,
      error: describeError(reason),
      attempts: failures,
    };
    for (let tries = 1; ; tries++) {
      try {
        await store.addDeadLetter(letter);
        break;
      } catch (error) {
        if (tries === deadLetterTries) {
          // Without its payload, which may be what people wrote.
          log.error({ err: error, kind, id, task: name }, 'a dead letter could not be stored');
          break;
        }
        const ms = backoffMs(tries, firstRetryMs, maxRetryMs, random);
        await pause(clock, ms);
      }
    }
    this.#finish(actor);
  }

  #finish(actor: Pinned): void {
    actor.pins--;
    this.#unfinished--;
    if (this.#unfinished > 0 || this.#whenIdle.length === 0) return;
    const waiters = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of waiters) resolve();
  }
}
