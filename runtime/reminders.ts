/**
 * Durable timers (design section 3, "Reminders"): rows that become commands when they are due, at least once each.
 *
 *   resting -> scanning     the timer fired: the earliest instant that this node knows of, or the poll interval
 *   scanning -> resting     what is due is being delivered; the timer is set to the next instant
 *   resting -> saturated    more is due than `limits.remindersAtOnce`
 *   saturated -> scanning   half of the places are free; or, after a moment, any of them
 *
 * A reminder whose commit passed through this node needs no scan: when due it is delivered at once, else the timer knows of
 * it; when its actor lives elsewhere, that node is told if it is due before the next poll. The poll finds what got lost.
 *
 * Of a reminder (actor and key) one delivery is in flight at a time. The commit that handles it deletes it, so what becomes of
 * a delivery is:
 *
 *   answered           handled, and gone
 *   no owner           its shard went elsewhere; the new owner finds it
 *   unavailable        put off, for ever if need be: it is not the command's fault
 *   any other refusal  buried: the actor has answered, and would answer the same again
 *   defect             put off; buried after `limits.reminderTries`
 */
import { ServiceError } from '../protocol/errors.ts';
import type { ActorRef } from './actor.ts';
import { backoffMs } from './backoff.ts';
import type { Clock, Random, Timer } from './clock.ts';
import { isRefusal, textOf } from './failures.ts';
import type { Limits } from './limits.ts';
import type { Log } from './log.ts';
import type { Counters } from './metrics.ts';
import type { DueReminder, Store } from './store.ts';
import { NoOwner } from './transport/transport.ts';

const firstRetryMs = 1_000;
const longestRetryMs = 300_000;
const saturatedPauseMs = 50;
/** Shards are taken in bursts, while others wait for them: one scan for all. */
const burstMs = 50;
const nothing: Awaited<ReturnType<Store['due']>> = { reminders: [], nextAt: undefined };

export interface RemindersOptions {
  readonly store: Pick<Store, 'due' | 'postpone' | 'bury'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  readonly owns: (actor: ActorRef) => boolean;
  /** The shards that this node owns; undefined when it owns all. */
  readonly shards: () => readonly number[] | undefined;
  /** Delivers to an actor of this node; rejects with `NoOwner` when it is not. */
  readonly deliver: (reminder: DueReminder) => Promise<unknown>;
  /** Tells the owner of the actor's shard of a reminder that is due soon. */
  readonly forward: (reminder: DueReminder) => void;
}

export class Reminders {
  readonly #options: RemindersOptions;
  /** The instants of the reminders being delivered, by name. */
  readonly #inFlight = new Map<string, number>();
  /** Names of those that were set anew meanwhile. */
  readonly #overtaken = new Set<string>();
  /** What was delivered while a scan was under way, whose answer may still show it. */
  readonly #doneMeanwhile = new Set<string>();
  #timer: Timer | undefined;
  /** By the monotonic clock: the wall clock, which says what is due, may be put right meanwhile. */
  #timerAt = Infinity;
  #running = false;
  #scanning = false;
  #scanAgain = false;
  #saturated = false;
  #scanFailures = 0;
  #whenQuiet: (() => void)[] = [];

  constructor(options: RemindersOptions) {
    this.#options = options;
  }

  /** Reminders being delivered. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Begins to deliver what is due, and what was due while nobody looked. */
  start(): void {
    this.#running = true;
    void this.#scan();
  }

  /** Starts no more deliveries; resolves when those in flight are done. Idempotent. */
  stop(): Promise<void> {
    this.#running = false;
    this.#disarm();
    if (this.#inFlight.size === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenQuiet.push(resolve));
  }

  /** The node owns more shards than before. */
  wake(): void {
    this.#arm(this.#options.clock.now() + burstMs);
  }

  /** Takes notice of reminders whose commit has landed on this node. */
  committed(reminders: readonly DueReminder[]): void {
    const { clock, limits, owns, forward } = this.#options;
    for (const reminder of reminders) {
      if (owns(reminder.to)) this.offer(reminder);
      else if (reminder.at <= clock.now() + limits.reminderPollMs) forward(reminder);
    }
  }

  /** Takes notice of a reminder of an actor that this node owns. */
  offer(reminder: DueReminder): void {
    if (!this.#running) return;
    if (reminder.at > this.#options.clock.now()) this.#arm(reminder.at);
    else if (this.#inFlight.has(nameOf(reminder))) this.#overtaken.add(nameOf(reminder));
    else if (this.#inFlight.size >= this.#options.limits.remindersAtOnce) this.#saturated = true;
    else void this.#deliver(reminder);
  }

  /** To scan at that instant by the wall clock as it is now, or at the next poll. */
  #arm(at: number): void {
    const { clock, limits } = this.#options;
    const ms = Math.max(0, Math.min(at - clock.now(), limits.reminderPollMs));
    const timerAt = clock.monotonic() + ms;
    if (!this.#running || timerAt >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = timerAt;
    this.#timer = clock.after(ms, () => {
      this.#disarm();
      void this.#scan();
    });
  }

  #disarm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#timerAt = Infinity;
  }

  /** Never rejects. */
  async #scan(): Promise<void> {
    if (!this.#running) return;
    if (this.#scanning) {
      this.#scanAgain = true;
      return;
    }
    this.#scanning = true;
    this.#scanAgain = false;
    this.#saturated = false;
    const { store, clock, limits, shards, log, random } = this.#options;
    const owned = shards();
    try {
      // Those in flight are still due in the store, so the batch has room for as many others as may join them.
      const { reminders, nextAt } =
        owned?.length === 0 ? nothing : await store.due(clock.now(), limits.remindersAtOnce, owned);
      if (reminders.length >= limits.remindersAtOnce) this.#saturated = true;
      for (const reminder of reminders) this.#found(reminder);
      this.#arm(nextAt ?? Infinity);
      this.#scanFailures = 0;
    } catch (error) {
      if (++this.#scanFailures === 1) log.warn({ err: error }, 'the reminders cannot be read');
      this.#arm(clock.now() + backoffMs(this.#scanFailures, firstRetryMs, limits.reminderPollMs, random));
    }
    this.#scanning = false;
    this.#doneMeanwhile.clear();
    if (this.#scanAgain) void this.#scan();
    else this.#desaturate();
  }

  #found(reminder: DueReminder): void {
    if (!this.#running) return;
    const name = nameOf(reminder);
    const at = this.#inFlight.get(name);
    if (at !== undefined) {
      if (at !== reminder.at) this.#overtaken.add(name);
    } else if (!this.#doneMeanwhile.has(`${name}@${reminder.at}`)) {
      if (this.#inFlight.size < this.#options.limits.remindersAtOnce) void this.#deliver(reminder);
      else this.#saturated = true;
    }
  }

  /** Scans when half of the places are free: one scan for many. Where some hang, the others come in their turn all the same. */
  #desaturate(): void {
    if (!this.#saturated) return;
    const { clock, limits } = this.#options;
    if (this.#inFlight.size <= limits.remindersAtOnce / 2) void this.#scan();
    else if (this.#inFlight.size < limits.remindersAtOnce) this.#arm(clock.now() + saturatedPauseMs);
  }

  /** Never rejects. */
  async #deliver(reminder: DueReminder): Promise<void> {
    const name = nameOf(reminder);
    this.#inFlight.set(name, reminder.at);
    try {
      await this.#options.deliver(reminder);
      this.#options.counters.remindersHandled++;
    } catch (error) {
      if (!(error instanceof NoOwner)) await this.#failed(reminder, error);
    }
    this.#inFlight.delete(name);
    if (this.#scanning) this.#doneMeanwhile.add(`${name}@${reminder.at}`);
    if (this.#overtaken.delete(name)) void this.#scan();
    else this.#desaturate();
    if (this.#inFlight.size === 0) for (const resolve of this.#whenQuiet.splice(0)) resolve();
  }

  /** Never rejects: when the store cannot put the reminder off, the next scan finds it as it was. */
  async #failed(reminder: DueReminder, error: unknown): Promise<void> {
    const { store, clock, random, limits, counters, log } = this.#options;
    const attempts = reminder.attempts + 1;
    const { kind, id } = reminder.to;
    const fields = { err: error, kind, id, key: reminder.key, command: reminder.command, attempts };
    const isUnavailable = error instanceof ServiceError && error.code === 'svc/runtime/unavailable';
    try {
      if (isRefusal(error) || (!isUnavailable && attempts >= limits.reminderTries)) {
        const { to, command, payload } = reminder;
        await store.bury({ actor: to, name: command, payload, error: textOf(error), attempts }, reminder);
        counters.deadLetters++;
        log.error(fields, 'a reminder failed for good');
        return;
      }
      const at = clock.now() + backoffMs(attempts, firstRetryMs, longestRetryMs, random);
      await store.postpone(reminder, at, textOf(error));
      counters.remindersPostponed++;
      log.debug(fields, 'a reminder was put off');
      this.#arm(at);
    } catch (storeError) {
      log.warn({ ...fields, err: storeError }, 'a failed reminder could not be put off');
      this.#arm(clock.now() + backoffMs(1, firstRetryMs, longestRetryMs, random));
    }
  }
}

function nameOf({ to, key }: DueReminder): string {
  return `${to.kind}/${to.id}/${key}`;
}
