/**
 * The database's time, as the clock of a node: what is due, what expires and what is removed is decided by it. So nodes agree, and one
 * whose machine has a wrong clock does nothing early, late or for ever.
 *
 *   agreeing  -> corrected   the machine's clock differs by more than a second, or was set: `now` is its monotonic time with an offset
 *   corrected -> agreeing    the two agree again: `now` is the machine's own
 *
 * Within a second the machine's own is as good: a difference may be an error of the measurement, and a request does no work for it.
 * The database is asked every ten seconds. In between, a machine whose clock was set is found out by its monotonic time.
 */
import type { Log } from '../../runtime/observability/index.ts';
import { type Clock, systemClock, type Timer } from '../../runtime/time/index.ts';
import type { Queries } from './database.ts';

/** Milliseconds between two looks at the machine's clock. */
const lookEveryMs = 1_000;
/** Looks for each question to the database. */
const looksPerQuestion = 10;
/** Up to this difference, in milliseconds, the machine's clock is used as it is. */
const toleratedMs = 1_000;
/** Beyond this one it counts as wrong. */
const wrongMs = 60_000;

/** The database's time in epoch milliseconds, rounded down: of this instant, and not of the transaction's begin. */
export const selectNow = `select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now`;

export interface DatabaseClockOptions {
  readonly database: Queries;
  readonly log: Log;
  /** Default: the system's. */
  readonly machine?: Clock;
}

export class DatabaseClock implements Clock {
  /** Epoch milliseconds by the database's clock. Not a method: while the clocks agree it is the machine's own function. */
  now: () => number;
  readonly monotonic: () => number;
  readonly after: Clock['after'];
  readonly #database: Queries;
  readonly #log: Log;
  readonly #machine: Clock;
  readonly #machineNow: () => number;
  /** The database's time less the machine's monotonic one, in milliseconds. */
  #offsetMs = 0;
  #wasAsked = false;
  #isWrong = false;
  /** As of the last look. */
  #seenDifferenceMs = 0;
  #looks = 0;
  #timer: Timer | undefined;

  constructor({ database, log, machine = systemClock }: DatabaseClockOptions) {
    this.#database = database;
    this.#log = log;
    this.#machine = machine;
    this.#machineNow = machine.now.bind(machine);
    this.now = this.#machineNow;
    this.monotonic = machine.monotonic.bind(machine);
    this.after = machine.after.bind(machine);
  }

  /** By how much the machine's clock is ahead of the database's, in milliseconds; negative: behind. */
  get differenceMs(): number {
    return this.#wasAsked ? this.#machine.now() - this.#corrected() : 0;
  }

  /** Whether the two differ by more than a minute. One of them is wrong then, and nobody can tell which: what removes data waits. */
  get isWrong(): boolean {
    return this.#isWrong;
  }

  /** Asks once, and from then on again and again. Rejects where the database fails. */
  async start(): Promise<void> {
    await this.ask();
    this.#lookSoon();
  }

  /** Idempotent. */
  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** The database's time, fresh from it, in epoch milliseconds. Rejects where the database fails. */
  async ask(): Promise<number> {
    const sentAt = this.#machine.monotonic();
    const [row] = await this.#database.query<{ now: number }>(selectNow, [], 'database.now');
    if (row === undefined) throw new Error('the database did not tell its time');
    const least = row.now - this.#machine.monotonic();
    const most = row.now + 1 - sentAt;
    // An offset that the answer does not contradict stays, so that slow answers do not move it.
    this.#offsetMs = this.#wasAsked ? Math.min(Math.max(this.#offsetMs, least), most) : (least + most) / 2;
    this.#wasAsked = true;
    this.#look();
    this.#judge();
    return row.now;
  }

  readonly #corrected = (): number => Math.floor(this.#machine.monotonic() + this.#offsetMs);

  #look(): void {
    const { differenceMs } = this;
    this.#seenDifferenceMs = differenceMs;
    this.now = Math.abs(differenceMs) <= toleratedMs ? this.#machineNow : this.#corrected;
  }

  /** Only by an answer of the database: a machine that was suspended has the right time, and its monotonic one is late until then. */
  #judge(): void {
    const { differenceMs } = this;
    const isWrong = Math.abs(differenceMs) > wrongMs;
    if (isWrong === this.#isWrong) return;
    this.#isWrong = isWrong;
    const fields = { aheadSeconds: Math.round(differenceMs / 1_000) };
    if (isWrong) this.#log.warn(fields, "this machine's clock is more than a minute off the database's");
    else this.#log.info(fields, "this machine's clock agrees with the database's again");
  }

  #lookSoon(): void {
    this.#timer = this.#machine.after(lookEveryMs, () => {
      // Or the whole machine was suspended: the database knows.
      const wasSet = Math.abs(this.differenceMs - this.#seenDifferenceMs) > toleratedMs;
      this.#look();
      this.#lookSoon();
      // That the database is away is told by all who need it. Here the next question is soon enough.
      if (++this.#looks % looksPerQuestion === 0 || wasSet) this.ask().catch(() => undefined);
    });
  }
}
