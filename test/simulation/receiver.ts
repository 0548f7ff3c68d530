/** A customer's system to which conversations deliver their events. It fails now and then, and answers that it sends get lost. */
import type { Random } from '../../runtime/time/clock.ts';
import type { SimulatedDatabase } from './database.ts';
import type { Faults } from './faults.ts';
import type { Verdict } from './invariants.ts';
import type { Machine } from './machine.ts';
import type { Schedule } from './schedule.ts';

export interface ReceiverOptions {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly faults: Faults;
  readonly database: SimulatedDatabase;
  readonly verdict: Verdict;
}

export class Receiver {
  readonly #options: ReceiverOptions;
  /** By conversation: it has seen every event up to this sequence. */
  readonly seen = new Map<string, number>();
  repeats = 0;

  constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  /** Call the returned function when the database has lost the newest events: their numbers are given again. */
  snapshot(): () => void {
    const { marks } = this.#options.database;
    return () => {
      for (const [id, seen] of this.seen) this.seen.set(id, Math.min(seen, marks.get(id)?.length ?? 0));
    };
  }

  /** As an outbound request of that machine. `isCurrent`: the node has noticed the last failover. */
  async deliver(
    machine: Machine,
    conversation: string,
    sequence: number,
    isCurrent: () => boolean,
  ): Promise<void> {
    const { schedule, random, faults } = this.#options;
    const { timeline } = this.#options.database;
    const wasCurrent = isCurrent();
    await schedule.sleep(1 + random.next() * 10);
    const refuses = faults.strikes('failing receiver', 0.1);
    const isOfThisLog = wasCurrent && timeline === this.#options.database.timeline;
    const isTaken = !refuses && this.#take(conversation, sequence, isOfThisLog);
    const loses = faults.strikes('failing receiver', 0.05);
    await schedule.sleep(1 + random.next() * 10);
    await new Promise<void>(resolve => machine.run(resolve));
    // The conversation must not take it as delivered: the same event may come again in the new log.
    if (!refuses && !isTaken) throw new Error('the event was lost in a failover');
    if (!refuses && !loses) return;
    faults.fired('failing receiver');
    throw new Error(refuses ? 'the receiver answered 500' : 'the answer was lost');
  }

  /**
   * Returns false for an event that a failover has lost.
   *
   * @param isCurrent the node sends what the database has, and not what was lost in a failover
   */
  #take(conversation: string, sequence: number, isCurrent: boolean): boolean {
    const { database, verdict } = this.#options;
    if (database.marks.get(conversation)?.[sequence - 1] === undefined) {
      if (!isCurrent) return false;
      verdict.broken('only what is committed leaves', `event ${sequence} of ${conversation} was delivered`);
    }
    const before = this.seen.get(conversation) ?? 0;
    if (sequence <= before) this.repeats++;
    else if (sequence === before + 1) this.seen.set(conversation, sequence);
    else if (isCurrent)
      verdict.broken('order is kept', `${conversation}: event ${sequence} was delivered after ${before}`);
    return true;
  }
}
