/**
 * Reads pages of the log for sockets that resume: a few at a time for the whole node, in turn, so that a thousand clients
 * coming back at once neither flood the database nor hold a thousand pages in memory. Clients that were cut off together
 * ask for the same page: it is read once for many of them, and its frames are built once.
 */
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { Admission } from './admission.ts';
import type { Feed } from './feed.ts';
import { eventFrame } from './frames.ts';
import type { EventLog } from './hub.ts';

/** An event of a page, ready to be sent. */
export interface PagedFrame {
  readonly seq: number;
  readonly eventName: string;
  /** Epoch milliseconds. */
  readonly occurredAt: number;
  /** The envelope's exact text. */
  readonly body: string;
  /** The frame around it. */
  readonly text: string;
}

/** A socket that is behind its feed. */
export interface Reader {
  readonly feed: Feed;
  /** Everything up to this number was delivered. */
  readonly cursor: number;
  readonly admission: Admission;
  /** False once it has gone: its turn is skipped. */
  readonly reading: boolean;
  /** @param through the end of the span that was read: where an empty page leads to. */
  deliver(page: readonly PagedFrame[], through: number): void;
}

/** Pages being read at once. */
const maxActive = 4;
/** Readers that one page is read for: more would hold up the event loop while they are served. */
const maxSharing = 64;
const firstBackoffMs = 100;
const longestBackoffMs = 5_000;

export class CatchUp {
  readonly #events: EventLog;
  readonly #clock: Clock;
  readonly #log: Log;
  /** By the page that they wait for, in the order of the first request for it; each reader at most once. */
  readonly #waiting = new Map<string, Reader[]>();
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
    this.#wait(reader);
    this.#start();
  }

  #wait(reader: Reader): void {
    const { projectId, environmentId } = reader.admission;
    const page = `${projectId} ${environmentId ?? ''} ${reader.cursor}`;
    const sharing = this.#waiting.get(page);
    if (sharing === undefined) this.#waiting.set(page, [reader]);
    else sharing.push(reader);
  }

  #start(): void {
    for (const [page, sharing] of this.#waiting) {
      if (this.#active >= maxActive || this.#pausing) return;
      this.#waiting.delete(page);
      // The rest goes to the end of the queue: a storm on one project is not in the way of the others.
      if (sharing.length > maxSharing) this.#waiting.set(page, sharing.splice(maxSharing));
      const readers = sharing.filter(reader => reader.reading);
      if (readers.length > 0) void this.#read(readers);
    }
  }

  /** @param readers at least one, all at the same cursor of the same feed. */
  async #read(readers: readonly Reader[]): Promise<void> {
    const [{ feed, cursor, admission }] = readers as readonly [Reader];
    this.#active++;
    // No further than what the feed has shown: the rest will be published.
    const through = feed.head;
    const { projectId, environmentId } = admission;
    let page: readonly PagedFrame[] | undefined;
    try {
      const events = await this.#events.page({ projectId, after: cursor, through, environmentId });
      page = events.map(({ seq, eventName, occurredAt, body }) => ({
        seq,
        eventName,
        body,
        occurredAt: occurredAt.getTime(),
        text: eventFrame(seq, body),
      }));
      this.#backoffMs = 0;
    } catch (error) {
      this.#log.warn({ projectId, err: error }, 'console stream: page could not be read');
      for (const reader of readers) this.#wait(reader);
      this.#pause();
    }
    this.#active--;
    if (page !== undefined) {
      for (const reader of readers) if (reader.reading) reader.deliver(page, through);
    }
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
