/**
 * Files at the provider. One that it has is asked for by its id, which gives an address that lives for minutes and wants the token, too. One
 * of ours is uploaded, and is known by an id from then on.
 */
import { open } from 'node:fs/promises';
import { type AttachmentKind, maxFileBytes } from '../../protocol/resources/index.ts';
import type { OutboundRequest, OutboundResult } from '../../runtime/outbound/index.ts';
import { mayBeOfType, headBytes } from './file-types.ts';
import type { FormFile } from './form.ts';
import { type Graph, type GraphCredentials, GraphError, readText } from './graph.ts';
import { classifySendError } from './send-errors.ts';

/** Uploads a file; resolves to the provider's id of it. Rejects with {@link GraphError}. */
export async function uploadMedia(
  graph: Graph,
  as: GraphCredentials,
  phoneNumberId: string,
  file: FormFile,
  signal: AbortSignal,
): Promise<string> {
  const form = { fields: { messaging_product: 'whatsapp', type: file.mimeType }, file };
  try {
    const answer = await graph.call({ method: 'POST', path: `${phoneNumberId}/media`, as, form }, signal);
    const id = readText(answer, 'id');
    if (id !== '') return id;
    throw new GraphError('The provider answered without the id of the file.', { isTransient: true });
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    // A file that was uploaded twice does no harm: nobody gets a message by it.
    const { message, code, subcode, isTransient } = error;
    throw new GraphError(message, {
      ...(code === undefined ? {} : { code }),
      ...(subcode === undefined ? {} : { subcode }),
      isTransient,
    });
  }
}

/** A queue of runtime/pool, as far as it is needed here. */
export interface FileRequests {
  send(request: OutboundRequest, owner: string, signal?: AbortSignal): Promise<OutboundResult>;
}

/** A file that the provider has. */
export interface ProviderFile {
  readonly projectId: string;
  readonly providerMediaId: string;
  /** As what it was sent. */
  readonly kind: AttachmentKind | null;
  /** As the provider's webhook has it. */
  readonly mimeType: string;
  /** Of its bytes, in hexadecimal or base64; null: the provider did not tell. */
  readonly sha256: string | null;
}

/** A file that is here. */
export interface FetchedBytes {
  readonly sizeBytes: number;
  readonly mimeType: string;
}

/** How often it is worth trying to fetch a file. */
export type Tries = 'once' | 'few' | 'many';

/** The file could not be fetched, or is not what it should be. The message is for the owner of the channel. */
export class MediaFailed extends Error {
  override readonly name = 'MediaFailed';
  readonly tries: Tries;

  constructor(message: string, tries: Tries) {
    super(message);
    this.tries = tries;
  }
}

/** Milliseconds for all bytes of a file. */
const downloadMs = 90_000;

/** Ids that can be a part of an address. */
const idForm = /^[A-Za-z0-9_-]+$/;

/**
 * Fetches a file into a new one of ours and checks its bytes; resolves to what they are. Rejects with {@link MediaFailed}, with
 * {@link GraphError} where the provider takes nothing with this token, and with the pool's errors. Redirects are failures.
 *
 * @param path of a file that does not exist yet. The caller removes it
 */
export async function downloadMedia(
  { graph, pool }: { readonly graph: Graph; readonly pool: FileRequests },
  as: GraphCredentials,
  phoneNumberId: string,
  file: ProviderFile,
  path: string,
  signal: AbortSignal,
): Promise<FetchedBytes> {
  const { url, sha256, sizeBytes } = await describeMedia(graph, as, phoneNumberId, file, signal);
  if (sizeBytes > maxFileBytes) throw tooLarge();
  // An address that the provider names is no reason to reach into this network, or to show the token to whoever listens: only the
  // configured server itself may be there.
  const reach = graph.hasOrigin(url) ? ({ reach: 'any' } as const) : ({ httpsOnly: true } as const);
  const headers = { authorization: `Bearer ${as.token}`, 'user-agent': 'skein' };
  const limits = { timeoutMs: downloadMs, keepBytes: maxFileBytes };
  const request = { method: 'GET', url, headers, saveTo: path, ...limits, ...reach } as const;
  const result = await pool.send(request, file.projectId, signal);
  return checkBytes(result, [file.sha256, sha256], file, path);
}

interface MediaDescription {
  readonly url: string;
  readonly sha256: string;
  /** 0: the provider did not tell. */
  readonly sizeBytes: number;
}

async function describeMedia(
  graph: Graph,
  as: GraphCredentials,
  phoneNumberId: string,
  { providerMediaId }: ProviderFile,
  signal: AbortSignal,
): Promise<MediaDescription> {
  if (!idForm.test(providerMediaId)) throw gone();
  const query = { phone_number_id: phoneNumberId };
  let answer: unknown;
  try {
    answer = await graph.call({ path: providerMediaId, as, query }, signal);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (error.code === 100 && error.subcode === 33) throw gone();
    const failure = classifySendError(error);
    if (failure === 'connection') throw error;
    throw new MediaFailed(error.message, failure === 'refused' ? 'few' : 'many');
  }
  return {
    url: readText(answer, 'url'),
    sha256: readText(answer, 'sha256'),
    sizeBytes: Number(readText(answer, 'file_size')) || 0,
  };
}

/** Not now, or not so fast. */
const passingStatuses: ReadonlySet<number> = new Set([401, 403, 408, 425, 429]);

async function checkBytes(
  { status = 0, failure, error, truncated, saved }: OutboundResult,
  digests: readonly (string | null)[],
  { kind, mimeType }: ProviderFile,
  path: string,
): Promise<FetchedBytes> {
  if (failure !== undefined) {
    const message = `The file could not be fetched: ${error ?? failure}.`;
    throw new MediaFailed(message, failure === 'blocked_address' ? 'once' : 'many');
  }
  if (status >= 300 && status < 400)
    throw new MediaFailed('The address of the file leads elsewhere.', 'once');
  if (status !== 200) {
    const mayPass = status >= 500 || passingStatuses.has(status);
    throw new MediaFailed(`The address of the file answered ${status}.`, mayPass ? 'many' : 'few');
  }
  if (truncated === true) throw tooLarge();
  if (saved === undefined) throw new MediaFailed('The file could not be kept.', 'many');
  if (saved.bytes === 0) throw new MediaFailed('The file is empty.', 'few');
  const told = digests.map(digest => toHex(digest ?? '')).filter(digest => digest !== '');
  if (told.some(digest => digest !== saved.sha256)) {
    throw new MediaFailed('The bytes of the file are not those that the provider has told of.', 'few');
  }
  const sizeBytes = saved.bytes;
  if (mayBeOfType(await readHead(path), mimeType)) return { sizeBytes, mimeType };
  // The type of a document is what the participant's own file is called. Nobody shows it as something that it is not.
  if (kind === 'document') return { sizeBytes, mimeType: 'application/octet-stream' };
  throw new MediaFailed(`The file is not what the provider says: ${mimeType}.`, 'once');
}

/** A digest in hexadecimal, whichever way the provider has written it. */
function toHex(digest: string): string {
  return /^[0-9a-f]{64}$/i.test(digest)
    ? digest.toLowerCase()
    : Buffer.from(digest, 'base64').toString('hex');
}

async function readHead(path: string): Promise<Buffer> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

function gone(): MediaFailed {
  return new MediaFailed('The provider does not have the file any more.', 'once');
}

function tooLarge(): MediaFailed {
  return new MediaFailed(`The file has more than ${maxFileBytes} bytes.`, 'once');
}
