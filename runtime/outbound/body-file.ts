/** Keeps the body of an answer in a new file: for bodies that are too long for memory. */
import { createHash } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import type { SavedBody } from './request.ts';

export class BodyFile {
  readonly #stream: WriteStream;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #hasFailed = false;

  /**
   * @param path of a file that does not exist yet; nobody else may read it
   * @param onReady called when more may follow
   */
  constructor(path: string, onReady: () => void) {
    this.#stream = createWriteStream(path, { flags: 'wx', mode: 0o600 });
    this.#stream.on('drain', onReady);
    this.#stream.on('error', () => {
      // The rest is read in vain.
      this.#hasFailed = true;
      onReady();
    });
  }

  /** Gives whether more may follow at once. */
  write(chunk: Buffer): boolean {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    return this.#hasFailed || this.#stream.write(chunk);
  }

  /** Calls `done` once the file is closed; with undefined where the bytes could not be kept. */
  end(done: (saved: SavedBody | undefined) => void): void {
    const report = (): void => {
      const saved = { bytes: this.#bytes, sha256: this.#hash.digest('hex') };
      done(this.#hasFailed ? undefined : saved);
    };
    if (this.#stream.closed) return report();
    this.#stream.once('close', report);
    this.#stream.end();
  }

  /** Nobody wants the bytes any more. What was written stays, for the owner of the path to remove. */
  abandon(): void {
    this.#stream.destroy();
  }
}
