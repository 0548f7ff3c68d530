/**
 * Reads pages of the log for sockets that resume: a few at a time for the whole node, in turn, so that a thousand clients
 * coming back at once neither flood the database nor hold a thousand pages in memory.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { LoggedEvent } from '../../storage/reads/events.ts';
import type { Admission } from './admission.ts';
import type { Feed } from './feed.ts';
import type { EventLog } from './hub.ts';

/** A socket that is behind its feed. */
export interface Reader {
  readonly feed: Feed;
  /** Everything up to this number was delivered. */
  readonly cursor: number;
  readonly admission: Admission;
  /** False once it has gone: its turn is skipped. */
  readonly reading: boolean;
  /** @param through the end of the span that was read: where an empty page leads to. */
  deliver(page: readonly LoggedEvent[], through: number): void;
}

/** Pages being read at once. */
const maxActive = 4;
const firstBackoffMs = 100;
const longestBackoffMs = 5_000;

export class CatchUp {
  readonly #events: EventLog;
  readonly #clock: Clock;
  readonly #log: Log;
  /** In the order of their requests; each reader at most once. */
  readonly #waiting = new Set<Reader>();
  #active = 0;
  #backoffMs = 0;
  #pausing = false;

  constructor(events: EventLog, clock: Clock, log: Log) {
    this.#events = events;
    this.#clock = clock;
    this.#log = log;
  }

  /** Asks for one page after the reader's cursor, up to the head of its feed. */
  request(reader: Reader): void {
    this.#waiting.add(reader);
    this.#start();
  }

  #start(): void {
    for (const reader of this.#waiting) {
      if (this.#active >= maxActive || this.#pausing) return;
      this.#waiting.delete(reader);
      if (reader.reading) void this.#read(reader);
    }
  }

  async #read(reader: Reader): Promise<void> {
    this.#active++;
    const { feed, cursor } = reader;
    const { environmentId } = reader.admission;
    // No further than what the feed has shown: the rest will be published.
    const through = feed.head;
    let page: readonly LoggedEvent[] | undefined;
    try {
      page = await this.#events.page({ projectId: feed.projectId, after: cursor, through, environmentId });
      this.#backoffMs = 0;
    } catch (error) {
      this.#log.warn({ projectId: feed.projectId, err: error }, 'console stream: page could not be read');
      this.#waiting.add(reader);
      this.#pause();
    }
    this.#active--;
    if (page !== undefined && reader.reading) reader.deliver(page, through);
    this.#start();
  }

  /** The database is away: nobody reads until it has had time. */
  #pause(): void {
    if (this.#pausing) return;
    this.#pausing = true;
    this.#backoffMs = Math.min(Math.max(this.#backoffMs * 2, firstBackoffMs), longestBackoffMs);
    this.#clock.after(this.#backoffMs, () => {
      this.#pausing = false;
      this.#start();
    });
  }
}
