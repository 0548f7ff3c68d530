/**
 * A job that runs one at a time, for callers who need its result as of now: a call during a run waits for the next run, and shares it
 * with all others who wait.
 */
export class SingleFlight<T> {
  readonly #job: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(job: () => Promise<T>) {
    this.#job = job;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  run(): Promise<T> {
    if (this.#next !== undefined) return this.#next;
    if (this.#running === undefined) return this.#start();
    const again = (): Promise<T> => {
      this.#next = undefined;
      return this.#start();
    };
    return (this.#next = this.#running.then(again, again));
  }

  #start(): Promise<T> {
    const running = this.#job().finally(() => {
      if (this.#running === running) this.#running = undefined;
    });
    this.#running = running;
    return running;
  }
}
