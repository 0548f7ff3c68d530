/**
 * Durable timers: rows that become commands when they are due, at least once each.
 *
 *   waiting -> scanning     the timer fired: at the earliest time that this node knows of, or after the poll interval
 *   scanning -> waiting     what is due is being delivered; the timer is set to the next time
 *   waiting -> saturated    more is due than `limits.remindersAtOnce`
 *   saturated -> scanning   half of the slots are free; or, after a moment, any of them
 *
 * A reminder that was committed on this node needs no scan: when it is due it is delivered at once, else the timer is set for it. When
 * its actor lives on another node, that node is told if the reminder is due before the next poll. The poll finds what got lost.
 *
 * Of a reminder (actor and key) one delivery is in flight at a time. The commit that handles it deletes it, so the outcome of a delivery
 * is one of
 *
 *   answered            handled, and gone
 *   no owner            its shard has another owner, who loads it; or the lease has ended: when it is renewed, `scanSoon` is called
 *   refused             a dead letter: the actor would refuse it again
 *   any other error     postponed, without limit: it may pass
 */
import {
  describeError,
  isRefusal,
  NoOwner,
  type ActorRef,
  type DueReminder,
  type Limits,
  type Store,
} from '../actor/index.ts';
import type { Counters, Log } from '../observability/index.ts';
import { backoffMs, type Clock, type Random, type Timer } from '../time/index.ts';

const firstRetryMs = 1_000;
const maxRetryMs = 300_000;
const saturatedWaitMs = 50;
/** Shards are taken in bursts: one scan is enough for all of them. */
const burstMs = 50;
const nothing: Awaited<ReturnType<Store['dueReminders']>> = { reminders: [], nextAt: undefined };

export interface RemindersOptions {
  readonly store: Pick<Store, 'dueReminders' | 'postponeReminder' | 'addDeadLetter'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  readonly owns: (actor: ActorRef) => boolean;
  /** The shards whose actors this node can deliver to now; undefined where it can to all. Of others nothing is read: it would be due again at once. */
  readonly shards: () => readonly number[] | undefined;
  /** Delivers to an actor of this node; rejects with `NoOwner` when it is not. */
  readonly deliver: (reminder: DueReminder) => Promise<unknown>;
  /** Tells the owner of the actor's shard about a reminder that is due soon. */
  readonly forward: (reminder: DueReminder) => void;
}

export class Reminders {
  readonly #options: RemindersOptions;
  /** When the reminders that are being delivered were due, by name. */
  readonly #inFlight = new Map<string, number>();
  /** Names of those that were set again meanwhile. */
  readonly #setAgain = new Set<string>();
  /** What was delivered during a scan, which may still find it. */
  readonly #deliveredDuringScan = new Set<string>();
  #timer: Timer | undefined;
  /** By the monotonic clock: the wall clock, by which reminders are due, may be set meanwhile. */
  #timerAt = Infinity;
  #running = false;
  #scanning = false;
  #scanAgain = false;
  #saturated = false;
  #scanFailures = 0;
  #whenIdle: (() => void)[] = [];

  constructor(options: RemindersOptions) {
    this.#options = options;
  }

  /** Reminders being delivered. */
  get inFlight(): number {
    return this.#inFlight.size;
  }

  /** Begins to deliver what is due. */
  start(): void {
    this.#running = true;
    void this.#scan();
  }

  /** Starts no more deliveries; resolves when those in flight are done. Idempotent. */
  stop(): Promise<void> {
    this.#running = false;
    this.#clearTimer();
    if (this.#inFlight.size === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenIdle.push(resolve));
  }

  /** The node owns more shards than before. */
  scanSoon(): void {
    this.#setTimer(this.#options.clock.now() + burstMs);
  }

  /** Schedules reminders that were committed on this node. */
  onCommitted(reminders: readonly DueReminder[]): void {
    const { clock, limits, owns, forward } = this.#options;
    for (const reminder of reminders) {
      if (owns(reminder.to)) this.offer(reminder);
      else if (reminder.at <= clock.now() + limits.reminderPollMs) forward(reminder);
    }
  }

  /** Schedules a reminder of an actor that this node owns. */
  offer(reminder: DueReminder): void {
    if (!this.#running) return;
    if (reminder.at > this.#options.clock.now()) this.#setTimer(reminder.at);
    else if (this.#inFlight.has(getName(reminder))) this.#setAgain.add(getName(reminder));
    else if (this.#inFlight.size >= this.#options.limits.remindersAtOnce) this.#saturated = true;
    else void this.#deliver(reminder);
  }

  /** Scans at that time by the wall clock as it is now, or at the next poll. */
  #setTimer(at: number): void {
    const { clock, limits } = this.#options;
    const ms = Math.max(0, Math.min(at - clock.now(), limits.reminderPollMs));
    const timerAt = clock.monotonic() + ms;
    if (!this.#running || timerAt >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = timerAt;
    this.#timer = clock.after(ms, () => {
      this.#clearTimer();
      void this.#scan();
    });
  }

  #clearTimer(): void {
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
      // Those in flight are still due in the store; the batch has room for as many others as may join them.
      const { reminders, nextAt } =
        owned?.length === 0 ? nothing : await store.dueReminders(clock.now(), limits.remindersAtOnce, owned);
      if (reminders.length >= limits.remindersAtOnce) this.#saturated = true;
      for (const reminder of reminders) this.#onFound(reminder);
      this.#setTimer(nextAt ?? Infinity);
      this.#scanFailures = 0;
    } catch (error) {
      if (++this.#scanFailures === 1) log.warn({ err: error }, 'the reminders cannot be read');
      this.#setTimer(
        clock.now() + backoffMs(this.#scanFailures, firstRetryMs, limits.reminderPollMs, random),
      );
    }
    this.#scanning = false;
    this.#deliveredDuringScan.clear();
    if (this.#scanAgain) void this.#scan();
    else this.#scanIfRoom();
  }

  #onFound(reminder: DueReminder): void {
    if (!this.#running) return;
    const name = getName(reminder);
    const at = this.#inFlight.get(name);
    if (at !== undefined) {
      if (at !== reminder.at) this.#setAgain.add(name);
    } else if (!this.#deliveredDuringScan.has(`${name}@${reminder.at}`)) {
      if (this.#inFlight.size < this.#options.limits.remindersAtOnce) void this.#deliver(reminder);
      else this.#saturated = true;
    }
  }

  /** Scans when half of the slots are free: one scan for many. Where some deliveries hang, the rest still get their turn. */
  #scanIfRoom(): void {
    if (!this.#saturated) return;
    const { clock, limits } = this.#options;
    if (this.#inFlight.size <= limits.remindersAtOnce / 2) void this.#scan();
    else if (this.#inFlight.size < limits.remindersAtOnce) this.#setTimer(clock.now() + saturatedWaitMs);
  }

  /** Never rejects. */
  async #deliver(reminder: DueReminder): Promise<void> {
    const name = getName(reminder);
    this.#inFlight.set(name, reminder.at);
    try {
      await this.#options.deliver(reminder);
      this.#options.counters.remindersHandled++;
    } catch (error) {
      if (!(error instanceof NoOwner)) await this.#onFailed(reminder, error);
    }
    this.#inFlight.delete(name);
    if (this.#scanning) this.#deliveredDuringScan.add(`${name}@${reminder.at}`);
    if (this.#setAgain.delete(name)) void this.#scan();
    else this.#scanIfRoom();
    if (this.#inFlight.size === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** Never rejects: when the store cannot postpone the reminder, the next scan finds it as it was. */
  async #onFailed(reminder: DueReminder, error: unknown): Promise<void> {
    const { store, clock, random, counters, log } = this.#options;
    const attempts = reminder.attempts + 1;
    const { kind, id } = reminder.to;
    const fields = { err: error, kind, id, key: reminder.key, command: reminder.command, attempts };
    try {
      if (isRefusal(error)) {
        const { to, command, payload } = reminder;
        await store.addDeadLetter(
          { actor: to, name: command, payload, error: describeError(error), attempts },
          reminder,
        );
        counters.deadLetters++;
        log.error(fields, 'a reminder failed for good');
        return;
      }
      const at = clock.now() + backoffMs(attempts, firstRetryMs, maxRetryMs, random);
      await store.postponeReminder(reminder, at, describeError(error));
      counters.remindersPostponed++;
      log.debug(fields, 'a reminder was postponed');
      this.#setTimer(at);
    } catch (storeError) {
      log.warn({ ...fields, err: storeError }, 'a failed reminder could not be postponed');
      this.#setTimer(clock.now() + backoffMs(1, firstRetryMs, maxRetryMs, random));
    }
  }
}

function getName({ to, key }: DueReminder): string {
  return `${to.kind}/${to.id}/${key}`;
}
