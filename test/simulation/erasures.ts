/** Texts that were erased, and whether one leaves all the same. */
import type { LogEntry } from './delivery-sources.ts';
import type { Verdict } from './invariants.ts';

/** By then the text of an event is nowhere that was erased, in milliseconds (docs/decisions/0028-log-as-outbox.md). */
const erasedWithinMs = 60_000;

/** What an erasure leaves of a text. */
const erasedText = '{"erased":true}';

export interface DeliveriesOptions {
  readonly verdict: Verdict;
  /** Virtual milliseconds. */
  readonly now: () => number;
}

export class Erasures {
  readonly #options: DeliveriesOptions;
  /** When the text of an event was erased, in virtual milliseconds. */
  readonly #erasedAt = new Map<string, number>();

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** The text of the event is no longer to be sent. False: it was erased before. */
  erase(eventId: string): boolean {
    if (this.#erasedAt.has(eventId)) return false;
    this.#erasedAt.set(eventId, this.#options.now());
    return true;
  }

  /** The text of the event as the database has it now. */
  read({ eventId, body }: LogEntry): string {
    return this.#erasedAt.has(eventId) ? erasedText : body;
  }

  /** A text leaves for a receiver. */
  sends(eventId: string, body: string): void {
    const erasedAt = this.#erasedAt.get(eventId);
    if (erasedAt === undefined || body === erasedText) return;
    const ms = this.#options.now() - erasedAt;
    if (ms <= erasedWithinMs) return;
    const detail = `the text of ${eventId} was erased ${ms.toFixed(0)} ms before it was sent`;
    this.#options.verdict.broken('nothing erased is sent', detail);
  }
}
