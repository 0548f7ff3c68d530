/**
 * How much is on its way to a server that has not confirmed it: without a bound, a server that hangs would fill this node's
 * memory until the connection is found to be dead.
 */

/** A confirmation is asked for whenever so many bytes have been sent. */
const stepBytes = 256 * 1_024;

export class Outflow {
  readonly #limit: number;
  readonly #flush: () => Promise<void>;
  #underway = 0;
  /** Not yet followed by a flush. */
  #fresh = 0;

  /** `flush` resolves when all that was sent before is confirmed, or is lost. */
  constructor(limitBytes: number, flush: () => Promise<void>) {
    this.#limit = limitBytes;
    this.#flush = flush;
  }

  /** Whether no more should be sent now. */
  get full(): boolean {
    return this.#underway >= this.#limit;
  }

  /** Counts what was sent. */
  add(bytes: number): void {
    this.#underway += bytes;
    this.#fresh += bytes;
    if (this.#fresh >= stepBytes) void this.#confirm();
  }

  async #confirm(): Promise<void> {
    const bytes = this.#fresh;
    this.#fresh = 0;
    await this.#flush();
    this.#underway -= bytes;
  }
}
