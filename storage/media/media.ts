/**
 * The media store: the bytes of attachments, on the local disk or in S3, through flydrive. What an object is, who may have it and
 * whether it counts stands in the table `attachments`; here are keys and bytes only.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, ReadStream } from 'node:fs';
import { mkdir, open, statfs, writeFile } from 'node:fs/promises';
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

/** Times are milliseconds; an idle connection to the store is closed. */
const s3Timeouts = { connectionTimeout: 5_000, socketTimeout: 30_000 };

/**
 * Connections to S3 by what they are for, so that files that are read slowly hold up no upload and no removal. Beyond them a request waits,
 * and fails after `connectionTimeout`. Reads are the downloads of gateway/http (512), and files that go to a chat provider; writes its
 * uploads (64), and files that come from a chat provider (8).
 */
const s3Connections = { reads: 1_024, writes: 128, removals: 32 } as const;

// A put is not retried, since its stream is consumed.
const s3Settings = {
  maxAttempts: 1,
  // Not every self-hosted server understands checksums in trailers.
  requestChecksumCalculation: 'WHEN_REQUIRED',
  responseChecksumValidation: 'WHEN_REQUIRED',
  // The caller reports failures; the SDK would write them to the console.
  logger: { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing },
} as const;

/** Where the bytes are; of a folder it is one disk three times. */
type Disks = Readonly<Record<keyof typeof s3Connections, Disk>>;

export class Media {
  readonly #disks: Disks;
  readonly #prefix: string;
  /** Undefined for S3. */
  readonly #folder: string | undefined;
  /** For reads; undefined for a folder. */
  readonly #s3: { readonly client: S3Client; readonly bucket: string } | undefined;
  readonly #freeDiskBytes: number;

  /** @param freeDiskBytes bytes of the folder's disk that stay free */
  constructor(location: MediaLocation, freeDiskBytes = 0) {
    this.#freeDiskBytes = freeDiskBytes;
    if (location.kind === 'folder') {
      const disk = new Disk(new FSDriver({ location: location.folder, visibility: 'private' }));
      this.#disks = { reads: disk, writes: disk, removals: disk };
      this.#prefix = '';
      this.#folder = location.folder;
    } else {
      const { bucket, prefix, pathStyle } = location;
      const connect = (use: keyof typeof s3Connections): S3Client => {
        const agent = { maxSockets: s3Connections[use] };
        const requestHandler = { ...s3Timeouts, httpAgent: agent, httpsAgent: agent };
        return new S3Client({ ...s3Settings, requestHandler, forcePathStyle: pathStyle });
      };
      const open = (client: S3Client): Disk =>
        new Disk(new S3Driver({ client, bucket, visibility: 'private', supportsACL: false }));
      const client = connect('reads');
      this.#disks = {
        reads: open(client),
        writes: open(connect('writes')),
        removals: open(connect('removals')),
      };
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
      if (this.#folder === undefined) {
        await this.#disks.writes.putStream(path, measured, { contentLength: size, contentType: mimeType });
      } else {
        await writeWhole(join(this.#folder, path), measured);
      }
    } catch (error) {
      throw measured.errored ?? error;
    }
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
    if (range === undefined) return this.#disks.reads.getStream(path);
    if (this.#s3 === undefined) return createReadStream(join(this.#folder ?? '', path), range);
    const { client, bucket: Bucket } = this.#s3;
    const Range = `bytes=${range.start}-${range.end}`;
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: path, Range }));
    return Body as Readable;
  }

  /** Idempotent. */
  async remove(key: string): Promise<void> {
    try {
      await this.#disks.removals.delete(this.#toPath(key));
    } catch (error) {
      if (!isAbsent(error)) throw error;
    }
  }

  #toPath(key: string): string {
    if (!keyForm.test(key)) throw new Error('the key of a media object consists of ids');
    return this.#prefix + key;
  }
}

/**
 * Writes file and folder to the disk: what is acknowledged survives a crash of the machine. Settles once nothing touches the file any more: the
 * driver rejects at once where the stream fails, and empties the file later, when it may have been put again.
 */
async function writeWhole(path: string, bytes: Readable): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
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
