/**
 * The files that are attached to what is being written, by threads. Each is sent as soon as it is chosen; the message waits for them. They
 * stay while other threads are looked at; those that have arrived are kept with the draft, also for another page.
 */
import type { AttachmentInput, Skein } from '../../sdk/index.ts';
import type { KeptFile } from './drafts.ts';

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** Its MIME type. */
  readonly type: string;
  readonly size: number;
  /** Missing where another page has uploaded it. */
  readonly file?: File;
  readonly state: 'uploading' | 'ready' | 'failed';
  /** 0 to 1. */
  readonly progress: number;
  readonly attachmentId?: string;
  readonly problem?: string;
}

function toKind(mimeType: string): AttachmentInput['kind'] {
  const family = mimeType.split('/')[0];
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document';
}

export function toAttachment({ name, type, attachmentId }: Upload): AttachmentInput {
  return { kind: toKind(type), attachmentId, filename: name };
}

/** What the uploads need of their surroundings. */
export interface UploadPort {
  createKey(): string;
  /** Those of a thread that have arrived before. */
  load(threadId: string): readonly KeptFile[];
  keep(threadId: string, files: readonly KeptFile[]): void;
  /** In words, why one has failed. */
  describeError(error: unknown): Promise<string>;
}

const toKept = ({ attachmentId, name, type, size }: Upload): KeptFile[] =>
  attachmentId === undefined ? [] : [{ attachmentId, name, type, size }];

const nothing: readonly Upload[] = [];

export class Uploads {
  readonly #client: Pick<Skein, 'attachments'>;
  readonly #port: UploadPort;
  /** The threads whose kept files were taken up. */
  readonly #loaded = new Set<string>();
  readonly #threads = new Map<string, readonly Upload[]>();
  readonly #aborts = new Map<string, AbortController>();
  readonly #listeners = new Set<() => void>();

  constructor(client: Pick<Skein, 'attachments'>, port: UploadPort) {
    this.#client = client;
    this.#port = port;
  }

  onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The same array until something changes. */
  getUploads(threadId: string): readonly Upload[] {
    if (!this.#loaded.has(threadId)) this.#load(threadId);
    return this.#threads.get(threadId) ?? nothing;
  }

  add(threadId: string, files: Iterable<File>): void {
    for (const file of files) {
      const id = this.#port.createKey();
      const { name, type, size } = file;
      const upload: Upload = { id, name, type, size, file, state: 'uploading', progress: 0 };
      this.#set(threadId, [...this.getUploads(threadId), upload]);
      this.#start(threadId, id, file);
    }
  }

  /** One that has failed. */
  retry(threadId: string, { id, file }: Upload): void {
    if (file === undefined) return;
    this.#change(threadId, id, { state: 'uploading', progress: 0 });
    this.#start(threadId, id, file);
  }

  remove(threadId: string, id: string): void {
    this.#aborts.get(id)?.abort();
    this.#aborts.delete(id);
    const rest = this.getUploads(threadId).filter(each => each.id !== id);
    this.#set(threadId, rest);
  }

  /** Whether there are files that no page but this one has: they are on their way, or have failed. */
  get holdsFiles(): boolean {
    return [...this.#threads.values()].some(uploads => uploads.some(({ state }) => state !== 'ready'));
  }

  /** The message has them now. */
  clear(threadId: string): void {
    for (const { id } of this.getUploads(threadId)) this.#aborts.delete(id);
    this.#set(threadId, nothing);
  }

  stop(): void {
    for (const abort of this.#aborts.values()) abort.abort();
    this.#aborts.clear();
  }

  #load(threadId: string): void {
    this.#loaded.add(threadId);
    const kept = this.#port.load(threadId);
    if (kept.length === 0) return;
    this.#threads.set(
      threadId,
      kept.map(file => ({ id: this.#port.createKey(), ...file, state: 'ready', progress: 1 })),
    );
  }

  #start(threadId: string, id: string, file: File): void {
    const abort = new AbortController();
    this.#aborts.set(id, abort);
    const onProgress = (sent: number, total: number): void =>
      this.#change(threadId, id, { progress: total === 0 ? 0 : sent / total });
    // Each attempt has a key of its own: the address that the last one was given may have ended.
    const idempotencyKey = this.#port.createKey();
    this.#client.attachments.upload(file, { signal: abort.signal, onProgress, idempotencyKey }).then(
      attachmentId => this.#change(threadId, id, { state: 'ready', progress: 1, attachmentId }),
      async (error: unknown) =>
        this.#change(threadId, id, { state: 'failed', problem: await this.#port.describeError(error) }),
    );
  }

  #change(threadId: string, id: string, update: Partial<Upload>): void {
    const before = this.getUploads(threadId);
    if (!before.some(each => each.id === id)) return;
    this.#set(
      threadId,
      before.map(each => (each.id === id ? { ...each, ...update } : each)),
    );
  }

  #set(threadId: string, uploads: readonly Upload[]): void {
    const [before, after] = [this.#threads.get(threadId) ?? nothing, uploads].map(each =>
      each.flatMap(toKept),
    );
    if (uploads.length === 0) this.#threads.delete(threadId);
    else this.#threads.set(threadId, uploads);
    // Not for each step of a progress.
    if (after !== undefined && before?.length !== after.length) this.#port.keep(threadId, after);
    for (const listener of this.#listeners) listener();
  }
}
