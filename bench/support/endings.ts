/** What has to be ended when a run is over, last made first: the test harness hands its servers to it as it would to a test. */
export class Endings {
  #handlers: (() => Promise<void>)[] = [];
  #ended: Promise<void> | undefined;

  teardown(handler: () => Promise<void>): void {
    this.#handlers.push(handler);
  }

  /** Ends everything; idempotent. What fails to end does not keep the rest from it. */
  end(): Promise<void> {
    return (this.#ended ??= this.#end());
  }

  async #end(): Promise<void> {
    for (let handler = this.#handlers.pop(); handler !== undefined; handler = this.#handlers.pop()) {
      try {
        await handler();
      } catch (error) {
        console.error(error);
      }
    }
  }
}
