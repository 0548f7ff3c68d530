/**
 * The work that this node does for its runs. A run asks for its work again every few seconds, in case it was lost: work that is in flight
 * goes on alone. A run that has ended stops its work.
 */

export class InFlight {
  readonly #runs = new Map<string, { readonly controller: AbortController; readonly names: Set<string> }>();
  #isStopped = false;

  /** How many pieces of work are in flight. */
  get size(): number {
    let size = 0;
    for (const { names } of this.#runs.values()) size += names.size;
    return size;
  }

  /**
   * Does the work of that name, unless it is in flight. Once its signal is aborted, failures of the work are ignored; otherwise they
   * reject.
   */
  async run(runId: string, name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const run = this.#runs.get(runId) ?? { controller: new AbortController(), names: new Set<string>() };
    if (this.#isStopped || run.names.has(name)) return;
    this.#runs.set(runId, run);
    run.names.add(name);
    const { signal } = run.controller;
    try {
      await work(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      run.names.delete(name);
      if (run.names.size === 0 && this.#runs.get(runId) === run) this.#runs.delete(runId);
    }
  }

  /** Aborts all work of the run. */
  stop(runId: string): void {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    run?.controller.abort(new Error('the run has ended'));
  }

  /** Aborts everything, and takes no more work. */
  stopAll(): void {
    this.#isStopped = true;
    for (const runId of [...this.#runs.keys()]) this.stop(runId);
  }
}
