/**
 * A job that runs one at a time, for callers who want to know how things stand now: a call while it runs waits for a run that
 * begins after the call, and shares that with all who wait.
 */
export class Fresh<T> {
  readonly #job: () => Promise<T>;
  #running: Promise<T> | undefined;
  #next: Promise<T> | undefined;

  constructor(job: () => Promise<T>) {
    this.#job = job;
  }

  get running(): boolean {
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
