/**
 * What this node is at for its runs. A run asks for its work again every few seconds, in case that nobody is at it: whoever is stays
 * at it alone. And a run that has ended stops what is out for it.
 */
export class UnderWay {
  readonly #runs = new Map<string, { readonly controller: AbortController; readonly names: Set<string> }>();
  #isOver = false;

  /** Pieces of work that are under way. */
  get size(): number {
    let size = 0;
    for (const { names } of this.#runs.values()) size += names.size;
    return size;
  }

  /**
   * Does the work of that name, unless it is being done. Once its signal is aborted, whatever it fails with is nobody's; other
   * failures reject.
   */
  async at(runId: string, name: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const run = this.#runs.get(runId) ?? { controller: new AbortController(), names: new Set<string>() };
    if (this.#isOver || run.names.has(name)) return;
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

  /** Aborts everything that is under way for the run. */
  stop(runId: string): void {
    const run = this.#runs.get(runId);
    this.#runs.delete(runId);
    run?.controller.abort(new Error('the run has ended'));
  }

  /** Aborts everything, and takes nothing more. */
  stopAll(): void {
    this.#isOver = true;
    for (const runId of [...this.#runs.keys()]) this.stop(runId);
  }
}
