/**
 * How far forwarding has come, while threads overtake each other: the last position below which everything is done. It is written a few times
 * a second at most, so after a kill some events come again, and none is left out.
 */
import type { Position } from './state.ts';

interface Entry {
  readonly position: Position;
  isDone: boolean;
}

const writeEveryMs = 200;

export class Progress {
  readonly #write: (position: Position) => Promise<void>;
  /** In the order of the stream; done ones leave from the front. */
  readonly #entries: Entry[] = [];
  #reached: Position | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #writing = Promise.resolve();

  constructor(write: (position: Position) => Promise<void>) {
    this.#write = write;
  }

  /** Something has begun. Calls have the order of the stream. The answer says that it is done. */
  begin(position: Position): () => void {
    const entry: Entry = { position, isDone: false };
    this.#entries.push(entry);
    return () => {
      entry.isDone = true;
      this.#advance();
    };
  }

  /** Everything up to here needs nothing. */
  skip(position: Position): void {
    this.begin(position)();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#flush();
    await this.#writing;
  }

  #advance(): void {
    while (this.#entries[0]?.isDone === true) this.#reached = this.#entries.shift()?.position;
    if (this.#reached !== undefined) this.#timer ??= setTimeout(() => this.#flush(), writeEveryMs);
  }

  #flush(): void {
    const reached = this.#reached;
    this.#reached = undefined;
    this.#timer = undefined;
    if (reached !== undefined) this.#writing = this.#writing.then(() => this.#write(reached));
  }
}
