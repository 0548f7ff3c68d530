/**
 * The media store (design section 4): the bytes of attachments, on the local disk or in S3, by flydrive. What an object is, who may
 * have it and whether it counts is in the table `attachments`; here are keys and bytes.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform, pipeline, type Readable } from 'node:stream';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { S3Driver } from 'flydrive/drivers/s3';
import type { MediaPlace } from './media-place.ts';

/** What was to be stored has not the size that was announced. */
export class WrongSize extends Error {
  override readonly name = 'WrongSize';
}

/** The store has no such object. */
export class NoSuchMedia extends Error {
  override readonly name = 'NoSuchMedia';
}

/** An object on its way into the store. */
export interface NewMedia {
  /** Slashes between ids: whoever makes keys makes them of nothing else. */
  readonly key: string;
  /** Bytes, exactly. */
  readonly size: number;
  readonly mimeType: string;
}

const keyForm = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;

function nothing(): void {
  return;
}

// No retries of a put: its stream is gone. An idle connection to the store is given up.
const s3Settings = {
  visibility: 'private',
  supportsACL: false,
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
  // Checksums in trailers are what servers of one's own do not all understand.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // What fails is told by who asked; the SDK would tell the console.
  logger: { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
} as const;

export class Media {
  readonly #disk: Disk;
  readonly #prefix: string;
  /** On the local disk. */
  readonly #folder: string | undefined;

  constructor(place: MediaPlace) {
    if (place.kind === 'folder') {
      this.#disk = new Disk(new FSDriver({ location: place.folder, visibility: 'private' }));
      this.#prefix = '';
      this.#folder = place.folder;
    } else {
      const { bucket, prefix, pathStyle } = place;
      this.#disk = new Disk(new S3Driver({ ...s3Settings, bucket, forcePathStyle: pathStyle }));
      this.#prefix = prefix;
    }
  }

  /**
   * Stores the object and resolves to the SHA-256 of its bytes once they are safe; one of the same key is replaced. Rejects with
   * {@link WrongSize}, with the stream's own error, or with the store's. After a rejection a part of it may lie there: remove it,
   * or put it again.
   */
  async put({ key, size, mimeType }: NewMedia, source: Readable): Promise<Buffer> {
    const hash = createHash('sha256');
    let length = 0;
    const measured = new Transform({
      transform(piece: Buffer, _encoding, done) {
        length += piece.length;
        hash.update(piece);
        if (length > size) done(new WrongSize(`more than ${size} bytes`));
        else done(null, piece);
      },
      flush(done) {
        done(length === size ? null : new WrongSize(`${length} bytes instead of ${size}`));
      },
    });
    // A failure of the source reaches the store by the stream that it reads, with the reason.
    pipeline(source, measured, () => undefined);
    const path = this.#pathOf(key);
    try {
      await this.#disk.putStream(path, measured, { contentLength: size, contentType: mimeType });
    } catch (error) {
      throw measured.errored ?? error;
    }
    if (this.#folder !== undefined) await flush(join(this.#folder, path));
    return hash.digest();
  }

  /** The object's bytes. Rejects with {@link NoSuchMedia}. */
  async open(key: string): Promise<Readable> {
    const path = this.#pathOf(key);
    try {
      const stream = await this.#disk.getStream(path);
      // A file is opened after its stream was made: whether it is there has to be known now.
      if (stream instanceof ReadStream && stream.pending) await once(stream, 'open');
      return stream;
    } catch (error) {
      if (isAbsent(error)) throw new NoSuchMedia(key, { cause: error });
      throw error;
    }
  }

  /** Idempotent. */
  async remove(key: string): Promise<void> {
    try {
      await this.#disk.delete(this.#pathOf(key));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  #pathOf(key: string): string {
    if (!keyForm.test(key)) throw new Error('a key of media is made of ids');
    return this.#prefix + key;
  }
}

/** File and folder reach the disk: what is acknowledged survives the machine. */
async function flush(path: string): Promise<void> {
  for (const each of [path, dirname(path)]) {
    const handle = await open(each, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/** The driver's error, or what it was made of. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'ENOENT') return true;
  if (error.name === 'NoSuchKey' || error.name === 'NotFound') return true;
  return isAbsent(error.cause);
}
