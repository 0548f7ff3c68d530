/**
 * Tells whether this node can write to the database. Commits prove it while there are any; a node of a cluster that commits nothing runs
 * an empty transaction, whose commit marker is the row that proves it. It has a connection of its own: commits that wait for a lock do not
 * delay it.
 */
import type { Timeline } from '../database/index.ts';
import { LaneConnection } from './lane-connection.ts';

/** Limits of a probe, in milliseconds. */
const statementMs = 1_000;
const silenceMs = 1_000;

export class WriteProbe {
  readonly #connection: LaneConnection;
  readonly #timeline: Timeline;
  #writtenAt = -Infinity;
  #probes = 0;
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(url: string, timeline: Timeline) {
    this.#connection = new LaneConnection(url, 'skein probe', statementMs, timeline, silenceMs);
    this.#timeline = timeline;
  }

  /** When the last write that has succeeded was sent, in monotonic milliseconds; -Infinity before the first. */
  get writtenAt(): number {
    return this.#writtenAt;
  }

  /** A write has succeeded. */
  note(sentAt: number): void {
    if (sentAt > this.#writtenAt) this.#writtenAt = sentAt;
  }

  /** Runs an empty transaction, unless one is under way. */
  probe(): void {
    if (this.#isClosed) return;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
    await this.#connection.end();
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const sentAt = performance.now();
    try {
      await this.#connection.run(++this.#probes, [], this.#timeline.generation);
      this.note(sentAt);
    } catch {
      // The next probe connects again. Everything that needs the database tells that it is away.
      await this.#connection.close();
    }
  }
}
