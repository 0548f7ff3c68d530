/**
 * Tells whether this node can write to the database. Commits prove it while there are any; a node of a cluster that commits nothing writes a
 * row of its own. That does not go through the commit lanes, so commits that wait for a lock do not delay it.
 */
import type { Database } from '../database/index.ts';

export class WriteProbe {
  readonly #database: Pick<Database, 'probeWrite'>;
  #writtenAt = -Infinity;
  #running: Promise<void> | undefined;

  constructor(database: Pick<Database, 'probeWrite'>) {
    this.#database = database;
  }

  /** When the last write that has succeeded was sent, in monotonic milliseconds; -Infinity before the first. */
  get writtenAt(): number {
    return this.#writtenAt;
  }

  /** A write has succeeded. */
  note(sentAt: number): void {
    if (sentAt > this.#writtenAt) this.#writtenAt = sentAt;
  }

  /** Writes the row, unless that is under way. */
  probe(): void {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    const sentAt = performance.now();
    try {
      await this.#database.probeWrite();
      this.note(sentAt);
    } catch {
      // Everything that needs the database tells that it is away.
    }
  }
}
