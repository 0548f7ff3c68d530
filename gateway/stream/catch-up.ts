/**
 * Reads pages of the log for sockets that resume: a few at a time for the whole node, in turn, so that a thousand clients that come
 * back at once neither flood the database nor hold a thousand pages in memory. Clients that were cut off together ask for the same
 * page, which is read once for many of them, and its frames are built once.
 */
import { Backoff, type Clock, type Random } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Admission } from './admission.ts';
import type { ProjectStream } from './project-stream.ts';
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

/** A subscriber that is behind its stream. */
export interface Reader {
  readonly stream: ProjectStream;
  /** Everything up to this number was delivered. */
  readonly cursor: number;
  readonly admission: Admission;
  /** False once it is closed: its turn is skipped. */
  readonly reading: boolean;
  /**
   * @param through the end of the range that was read, which is the new cursor after an empty page
   * @param isWhole whether the log still has the number after the cursor: otherwise retention may have dropped events of the page
   */
  deliver(page: readonly PagedFrame[], through: number, isWhole: boolean): void;
}

/** Pages being read at once. */
const maxActive = 4;
/** Readers that share one page. Serving more of them in one turn would delay the event loop. */
const maxSharing = 64;
const firstBackoffMs = 100;
const maxBackoffMs = 5_000;

export class CatchUp {
  readonly #events: EventLog;
  readonly #clock: Clock;
  readonly #log: Log;
  /** Readers by the page that they wait for, in the order of the first request for it. A reader waits at most once. */
  readonly #waiting = new Map<string, Reader[]>();
  #active = 0;
  readonly #backoff: Backoff;
  #pausing = false;

  constructor(events: EventLog, clock: Clock, random: Random, log: Log) {
    this.#events = events;
    this.#clock = clock;
    this.#backoff = new Backoff(firstBackoffMs, maxBackoffMs, random);
    this.#log = log;
  }

  /** Requests one page after the reader's cursor, up to the head of its stream. */
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
      // The rest goes to the end of the queue, so that many readers of one project do not delay the others.
      if (sharing.length > maxSharing) this.#waiting.set(page, sharing.splice(maxSharing));
      const readers = sharing.filter(reader => reader.reading);
      if (readers.length === 0) continue;
      if (readers[0]?.stream.loaded === true) void this.#read(readers);
      else this.#postpone(readers);
    }
  }

  /** Until the stream is loaded again, or the database is back. */
  #postpone(readers: readonly Reader[]): void {
    for (const reader of readers) this.#wait(reader);
    this.#pause();
  }

  /** @param readers at least one, all at the same cursor of the same stream */
  async #read(readers: readonly Reader[]): Promise<void> {
    const [{ stream: projectStream, cursor, admission }] = readers as readonly [Reader];
    this.#active++;
    // No further than what the stream has published: the rest will be published to the reader.
    const through = projectStream.head;
    const { projectId, environmentId } = admission;
    let page: readonly PagedFrame[] | undefined;
    let isWhole = false;
    try {
      const range = { projectId, after: cursor, through };
      const events = await this.#events.page({ ...range, environmentId });
      // Only the numbers of all environments are dense.
      const [next] =
        environmentId === undefined ? events : await this.#events.page({ ...range, limit: 1, maxBytes: 1 });
      isWhole = next?.seq === cursor + 1;
      page = events.map(({ seq, eventName, occurredAt, body }) => ({
        seq,
        eventName,
        body,
        occurredAt: occurredAt.getTime(),
        text: eventFrame(seq, body),
      }));
      this.#backoff.reset();
    } catch (error) {
      this.#log.warn({ projectId, err: error }, 'console stream: could not read a page; will retry');
      this.#postpone(readers);
    }
    this.#active--;
    if (page !== undefined) {
      for (const reader of readers) if (reader.reading) reader.deliver(page, through, isWhole);
    }
    this.#start();
  }

  /** No page is read for a while. */
  #pause(): void {
    if (this.#pausing) return;
    this.#pausing = true;
    this.#clock.after(this.#backoff.next(), () => {
      this.#pausing = false;
      this.#start();
    });
  }
}
