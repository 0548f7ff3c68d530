/** Files: announced over the API, then sent to the address that it gives, which is the service's own or that of its object store. */
import type { CallOptions } from './call.ts';
import { ApiError, createApiError, TimeoutError } from './errors.ts';
import type { AttachmentUpload, CreateAttachmentBody } from './generated/types.ts';
import { RetryPolicy } from './retry.ts';
import { exchange, type FetchFunction, type Transport } from './transport.ts';
import { sleep } from './waiting.ts';

/** How long the address is good, and so how long sending may take. */
const addressLifetimeMs = 300_000;
/** Between two calls of onProgress. */
const chunkBytes = 65_536;

export interface UploadOptions extends CallOptions {
  /** Default: the File's own name, else `file`. */
  readonly filename?: string | undefined;
  /** Default: the Blob's own type, else `application/octet-stream`. */
  readonly mimeType?: string | undefined;
  readonly projectId?: string | undefined;
  readonly environmentId?: string | undefined;
  /**
   * Called with the bytes that were sent and those there are, while they are sent; in browsers, which do not tell, before and after. A
   * second try begins at 0 again.
   */
  readonly onProgress?: ((sentBytes: number, totalBytes: number) => void) | undefined;
}

/** @param announce asks for the address */
export async function upload(
  transport: Transport,
  announce: (body: CreateAttachmentBody, options: CallOptions) => Promise<AttachmentUpload>,
  file: Blob | Uint8Array<ArrayBuffer>,
  options: UploadOptions = {},
): Promise<string> {
  const blob = file instanceof Blob ? file : new Blob([file]);
  const { filename = getOwnName(blob), mimeType = blob.type, projectId, environmentId } = options;
  const body = {
    projectId,
    environmentId,
    filename,
    mimeType: mimeType === '' ? 'application/octet-stream' : mimeType,
    sizeBytes: blob.size,
  };
  const { maxRetries = transport.maxRetries, signal } = options;
  const policy = new RetryPolicy({ maxRetries, maxWaitMs: transport.maxWaitMs, isRepeatable: true });
  let announcement: CallOptions = options;
  for (;;) {
    const { attachmentId, uploadUrl } = await announce(body, announcement);
    try {
      await put(transport, uploadUrl, blob, { options, policy });
      return attachmentId;
    } catch (error) {
      // What hangs keeps the address to itself, whose time may be over as well: another one is asked for, which the same key would not give.
      const waitMs = error instanceof TimeoutError ? policy.next(error) : undefined;
      if (waitMs === undefined) throw error;
      await sleep(waitMs, signal);
      announcement = { ...options, idempotencyKey: undefined };
    }
  }
}

function getOwnName(blob: Blob): string {
  const { name } = blob as { readonly name?: unknown };
  return typeof name === 'string' && name !== '' ? name : 'file';
}

interface PutOptions {
  readonly options: UploadOptions;
  readonly policy: RetryPolicy;
}

/** Sends the bytes; without the credential, since the address has its own. A try that has no answer in time is the last to this address. */
async function put(
  transport: Transport,
  url: string,
  blob: Blob,
  { options, policy }: PutOptions,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await putOnce(transport.fetch, url, blob, options);
    } catch (error) {
      // An earlier try came through, though its answer did not.
      if (!isFirst && error instanceof ApiError && error.status === 409) return;
      const waitMs = error instanceof TimeoutError ? undefined : policy.next(error);
      if (waitMs === undefined) throw error;
      await sleep(waitMs, options.signal);
    }
  }
}

async function putOnce(
  fetch: FetchFunction,
  url: string,
  blob: Blob,
  { onProgress, signal, timeoutMs = addressLifetimeMs }: UploadOptions,
): Promise<void> {
  onProgress?.(0, blob.size);
  const isCounted = onProgress !== undefined && canStream();
  const init = isCounted ? createCountedBody(blob, onProgress) : { body: blob };
  const { response, text } = await exchange(fetch, url, { method: 'PUT', ...init }, timeoutMs, signal);
  if (!response.ok) throw createApiError(response, text);
  if (!isCounted) onProgress?.(blob.size, blob.size);
}

/** Browsers stream requests over HTTP/2 alone, or not at all, and let nobody name their length. */
function canStream(): boolean {
  return !('document' in globalThis) && !('importScripts' in globalThis);
}

/** A body that says how much of it was taken. Object stores want the length before it. */
function createCountedBody(
  blob: Blob,
  onProgress: (sentBytes: number, totalBytes: number) => void,
): RequestInit {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = await blob.slice(sent, sent + chunkBytes).arrayBuffer();
      if (chunk.byteLength === 0) return controller.close();
      controller.enqueue(new Uint8Array(chunk));
      onProgress((sent += chunk.byteLength), blob.size);
    },
  });
  const streamed: RequestInit & { readonly duplex: 'half' } = {
    body,
    headers: { 'content-length': String(blob.size) },
    duplex: 'half',
  };
  return streamed;
}
