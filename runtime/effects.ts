/**
 * What decisions do after their commit: tells and tasks. Lost in a crash: what must happen anyway is a row or a reminder.
 *
 * A task:
 *
 *   queued -> running       its kind has a place free (`tasksAtOnce`)
 *   running -> done
 *   running -> sleeping     it failed; again after a backoff
 *   sleeping -> queued      also at once, when the node drains
 *   running -> buried       it failed `limits.taskTries` times, or while the node drains: a dead letter
 *   (new) -> buried         the queue is full, or nobody knows the task
 *
 * Every effect is counted from its start, so a drain can wait for all, and pins its actor, which may hold in memory
 * what it has under way.
 */
import type { ActorRef, Effect, Task } from './actor.ts';
import { backoffMs } from './backoff.ts';
import type { Clock, Random, Timer } from './clock.ts';
import { textOf } from './failures.ts';
import type { Pinned } from './host.ts';
import type { Kind } from './kind.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Counters } from './metrics.ts';
import { pause } from './pause.ts';
import { Queue } from './queue.ts';
import type { Store } from './store.ts';

const firstRetryMs = 500;
const longestRetryMs = 30_000;
const buryTries = 5;

export interface EffectsOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly store: Pick<Store, 'bury'>;
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
}

interface Lane {
  readonly kind: Kind;
  running: number;
  readonly queued: Queue<Job>;
}

export class Effects {
  readonly #options: EffectsOptions;
  readonly #now = (): number => this.#options.clock.now();
  readonly #lanes = new Map<string, Lane>();
  readonly #sleeping = new Map<Job, Timer>();
  #outbox: { readonly actor: Pinned; readonly effect: Effect }[] = [];
  #unfinished = 0;
  #hurried = false;
  #whenQuiet: (() => void)[] = [];

  constructor(options: EffectsOptions) {
    this.#options = options;
    for (const [name, kind] of options.kinds) {
      this.#lanes.set(name, { kind, running: 0, queued: new Queue<Job>() });
    }
  }

  /** Tasks under way. */
  get running(): number {
    let total = 0;
    for (const lane of this.#lanes.values()) total += lane.running;
    return total;
  }

  /** Tasks that are queued or sleeping. */
  get waiting(): number {
    let total = this.#sleeping.size;
    for (const lane of this.#lanes.values()) total += lane.queued.size;
    return total;
  }

  /** Starts in a microtask: a tell decides its receiver, which must not happen inside the teller's turn. */
  start(actor: Pinned, effects: readonly Effect[]): void {
    if (this.#outbox.length === 0) queueMicrotask(() => this.#flush());
    for (const effect of effects) this.#outbox.push({ actor, effect });
    actor.pins += effects.length;
    this.#unfinished += effects.length;
  }

  /** Resolves when everything started so far and in consequence is finished. */
  quiet(): Promise<void> {
    if (this.#unfinished === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenQuiet.push(resolve));
  }

  /** From now on nobody sleeps: who sleeps tries once more, and whoever fails is buried. */
  hurry(): void {
    this.#hurried = true;
    for (const [job, timer] of this.#sleeping) {
      timer.cancel();
      this.#enqueue(job);
    }
    this.#sleeping.clear();
  }

  #flush(): void {
    const outbox = this.#outbox;
    this.#outbox = [];
    for (const { actor, effect } of outbox) {
      if (effect.do === 'tell') {
        this.#options.tell(effect.to, effect.command, effect.payload);
        this.#finish(actor);
      } else {
        const { task: name, payload } = effect;
        this.#enqueue({ next: undefined, actor, name, payload, failures: 0 });
      }
    }
  }

  #enqueue(job: Job): void {
    const lane = this.#lanes.get(job.actor.ref.kind);
    const task = lane?.kind.tasks.get(job.name);
    if (lane === undefined || task === undefined) void this.#bury(job, new Error(`no task ${job.name}`));
    else if (lane.running < lane.kind.tasksAtOnce) void this.#run(lane, task, job);
    else if (lane.queued.size < this.#options.limits.tasksQueued) lane.queued.push(job);
    else void this.#bury(job, new Error('too many tasks wait'));
  }

  async #run(lane: Lane, task: Task, job: Job): Promise<void> {
    const { ask, counters } = this.#options;
    lane.running++;
    try {
      await task(job.payload as never, { self: job.actor.ref, ask, now: this.#now });
      counters.tasksDone++;
      this.#finish(job.actor);
    } catch (error) {
      this.#failed(job, error);
    }
    lane.running--;
    const next = lane.queued.shift();
    if (next !== undefined) this.#enqueue(next);
  }

  #failed(job: Job, error: unknown): void {
    const { clock, random, limits, log, counters } = this.#options;
    const { kind, id } = job.actor.ref;
    counters.tasksFailed++;
    job.failures++;
    log.debug({ err: error, kind, id, task: job.name, failures: job.failures }, 'a task failed');
    if (this.#hurried || job.failures >= limits.taskTries) {
      void this.#bury(job, error);
      return;
    }
    const ms = backoffMs(job.failures, firstRetryMs, longestRetryMs, random);
    const wake = (): void => {
      this.#sleeping.delete(job);
      this.#enqueue(job);
    };
    this.#sleeping.set(job, clock.after(ms, wake));
  }

  async #bury({ actor, name, payload, failures }: Job, reason: unknown): Promise<void> {
    const { store, clock, random, log, counters } = this.#options;
    const { kind, id } = actor.ref;
    counters.deadLetters++;
    log.error({ err: reason, kind, id, task: name, failures }, 'a task failed for good');
    const letter = { actor: actor.ref, name, payload, error: textOf(reason), attempts: failures };
    for (let tries = 1; ; tries++) {
      try {
        await store.bury(letter);
        break;
      } catch (error) {
        if (tries === buryTries) {
          // Without its payload, which may be what people have written.
          log.error({ err: error, kind, id, task: name }, 'a dead letter could not be kept');
          break;
        }
        const ms = backoffMs(tries, firstRetryMs, longestRetryMs, random);
        await pause(clock, ms);
      }
    }
    this.#finish(actor);
  }

  #finish(actor: Pinned): void {
    actor.pins--;
    this.#unfinished--;
    if (this.#unfinished > 0 || this.#whenQuiet.length === 0) return;
    const waiters = this.#whenQuiet;
    this.#whenQuiet = [];
    for (const resolve of waiters) resolve();
  }
}
