/**
 * The media store: the bytes of attachments, on the local disk or in S3, through flydrive. What an object is, who may have it and
 * whether it counts stands in the table `attachments`; here are keys and bytes only.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, ReadStream } from 'node:fs';
import { mkdir, open, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform, pipeline, type Readable } from 'node:stream';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { S3Driver } from 'flydrive/drivers/s3';
import type { MediaLocation } from './media-location.ts';

/** The bytes do not have the announced size. */
export class WrongSize extends Error {
  override readonly name = 'WrongSize';
}

/** The disk has no room for the object. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** The store has no such object. */
export class NoSuchMedia extends Error {
  override readonly name = 'NoSuchMedia';
}

/** An object to be stored. */
export interface NewMedia {
  /** Ids with slashes between them, and nothing else. */
  readonly key: string;
  /** The exact number of bytes. */
  readonly size: number;
  readonly mimeType: string;
}

const keyForm = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-]+)*$/;

function nothing(): void {
  return;
}

// A put is not retried, since its stream is consumed. An idle connection to the store is closed.
const s3Settings = {
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
  // Not every self-hosted server understands checksums in trailers.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // The caller reports failures; the SDK would write them to the console.
  logger: { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
} as const;

export class Media {
  readonly #disk: Disk;
  readonly #prefix: string;
  /** Undefined for S3. */
  readonly #folder: string | undefined;
  /** Undefined for a folder. */
  readonly #s3: { readonly client: S3Client; readonly bucket: string } | undefined;
  readonly #freeDiskBytes: number;

  /** @param freeDiskBytes bytes of the folder's disk that stay free */
  constructor(location: MediaLocation, freeDiskBytes = 0) {
    this.#freeDiskBytes = freeDiskBytes;
    if (location.kind === 'folder') {
      this.#disk = new Disk(new FSDriver({ location: location.folder, visibility: 'private' }));
      this.#prefix = '';
      this.#folder = location.folder;
    } else {
      const { bucket, prefix, pathStyle } = location;
      const client = new S3Client({ ...s3Settings, forcePathStyle: pathStyle });
      this.#disk = new Disk(new S3Driver({ client, bucket, visibility: 'private', supportsACL: false }));
      this.#s3 = { client, bucket };
      this.#prefix = prefix;
    }
  }

  /**
   * Rejects with {@link DiskFull} where too little of the folder's disk would stay free. Uploads that run at the same time may take the floor
   * below its mark by their own sizes: it is far above zero for them.
   */
  async requireRoom(size: number): Promise<void> {
    if (this.#folder === undefined) return;
    // The first file makes the folder.
    await mkdir(this.#folder, { recursive: true });
    const { bavail, bsize } = await statfs(this.#folder);
    if (bavail * bsize - size < this.#freeDiskBytes) throw new DiskFull(`${bavail * bsize} bytes are free`);
  }

  /**
   * Stores the object and resolves to the SHA-256 of its bytes once they are safe; an object with the same key is replaced. Rejects with
   * {@link WrongSize}, with the stream's own error, or with the store's. After a rejection a part of the object may remain: remove it, or
   * put it again.
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
    // A failure of the source reaches the store through the stream that it reads, with the reason.
    pipeline(source, measured, () => undefined);
    const path = this.#toPath(key);
    try {
      await this.#disk.putStream(path, measured, { contentLength: size, contentType: mimeType });
    } catch (error) {
      throw measured.errored ?? error;
    }
    if (this.#folder !== undefined) await flush(join(this.#folder, path));
    return hash.digest();
  }

  /** The object's bytes, or those of a range, both ends included. Rejects with {@link NoSuchMedia}. */
  async open(key: string, range?: { readonly start: number; readonly end: number }): Promise<Readable> {
    const path = this.#toPath(key);
    try {
      const stream = await this.#read(path, range);
      // A stream of a file opens it later, but whether it is there must be known now.
      if (stream instanceof ReadStream && stream.pending) await once(stream, 'open');
      return stream;
    } catch (error) {
      if (isAbsent(error)) throw new NoSuchMedia(key, { cause: error });
      throw error;
    }
  }

  // Of a range the driver knows nothing.
  async #read(
    path: string,
    range: { readonly start: number; readonly end: number } | undefined,
  ): Promise<Readable> {
    if (range === undefined) return this.#disk.getStream(path);
    if (this.#s3 === undefined) return createReadStream(join(this.#folder ?? '', path), range);
    const { client, bucket: Bucket } = this.#s3;
    const Range = `bytes=${range.start}-${range.end}`;
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: path, Range }));
    return Body as Readable;
  }

  /** Idempotent. */
  async remove(key: string): Promise<void> {
    try {
      await this.#disk.delete(this.#toPath(key));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  #toPath(key: string): string {
    if (!keyForm.test(key)) throw new Error('the key of a media object consists of ids');
    return this.#prefix + key;
  }
}

/** Writes file and folder to the disk: what is acknowledged survives a crash of the machine. */
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

/** By the driver's error or its cause. */
function isAbsent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && error.code === 'ENOENT') return true;
  if (error.name === 'NoSuchKey' || error.name === 'NotFound') return true;
  return isAbsent(error.cause);
}
