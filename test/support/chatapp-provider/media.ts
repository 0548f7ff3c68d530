/** Files: those of participants, fetched by an address that lives five minutes, and those that a business uploads. */
import { createHash } from 'node:crypto';
import { type Accounts, messagingScope } from './accounts.ts';
import { noSuchObject, ProviderError } from './errors.ts';
import type { ProviderAnswer, ProviderRequest, Route } from './requests.ts';

interface MediaFile {
  readonly id: string;
  readonly bytes: Buffer;
  readonly mimeType: string;
  /** By a participant: 7 days. By an upload: 30. */
  readonly expiresAt: number;
  readonly uploaded: boolean;
}

const day = 86_400_000;
const addressMs = 5 * 60_000;
const megabyte = 1_048_576;

/** The greatest sizes in bytes, and the types, that the provider takes for each kind of message. */
const limits: Readonly<Record<string, { readonly bytes: number; readonly types: RegExp }>> = {
  audio: { bytes: 16 * megabyte, types: /^audio\/(aac|amr|mpeg|mp4|ogg)/ },
  image: { bytes: 5 * megabyte, types: /^image\/(jpeg|png)$/ },
  video: { bytes: 16 * megabyte, types: /^video\/(mp4|3gpp)$/ },
  document: { bytes: 100 * megabyte, types: /./ },
  sticker: { bytes: 500 * 1_024, types: /^image\/webp$/ },
};

/** The fields and the file of a multipart body. */
async function parseForm({ headers, body }: ProviderRequest): Promise<FormData> {
  const type = headers['content-type'] ?? '';
  return new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
}

export class MediaFiles {
  /** Where addresses of files point: set once the server listens. */
  baseUrl = '';
  readonly #accounts: Accounts;
  readonly #now: () => number;
  readonly #files = new Map<string, MediaFile>();
  #ids = 0;

  constructor(accounts: Accounts, now: () => number) {
    this.#accounts = accounts;
    this.#now = now;
  }

  /** A file that a participant sends; gives what the webhook says of it. */
  add(
    bytes: Buffer,
    mimeType: string,
  ): { readonly id: string; readonly mime_type: string; readonly sha256: string } {
    const { id } = this.#keep(bytes, mimeType, false);
    return { id, mime_type: mimeType, sha256: createHash('sha256').update(bytes).digest('base64') };
  }

  /** Refuses a file that was not uploaded, has expired, or does not fit the kind of message. */
  requireUploaded(id: string, kind: string): void {
    const file = this.#files.get(id);
    const limit = limits[kind];
    if (file?.uploaded !== true || file.expiresAt <= this.#now()) {
      throw new ProviderError(131009, { details: 'Media id is not valid' });
    }
    if (limit !== undefined && (file.bytes.length > limit.bytes || !limit.types.test(file.mimeType))) {
      throw new ProviderError(131053);
    }
  }

  readonly route: Route = request => {
    const [first = '', second] = request.path;
    if (first === 'lookaside') return this.#download(request);
    if (second === 'media' && request.method === 'POST') return this.#upload(first, request);
    const file = this.#files.get(first);
    if (second !== undefined || file === undefined) return undefined;
    this.#accounts.requireToken(request.token, messagingScope);
    if (file.expiresAt <= this.#now()) throw noSuchObject(first);
    if (request.method === 'DELETE') {
      this.#files.delete(first);
      return { body: { success: true } };
    }
    return this.#describe(file);
  };

  #describe({ id, bytes, mimeType }: MediaFile): ProviderAnswer {
    const expires = this.#now() + addressMs;
    const body = {
      messaging_product: 'whatsapp',
      url: `${this.baseUrl}/lookaside/${id}?ext=${expires}`,
      mime_type: mimeType,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      file_size: bytes.length,
      id,
    };
    return { body };
  }

  #download({ path, query, token }: ProviderRequest): ProviderAnswer {
    const file = this.#files.get(path[1] ?? '');
    const isCurrent = Number(query.get('ext')) > this.#now();
    if (file === undefined || !isCurrent) return { status: 404, body: Buffer.from('') };
    if (token === undefined || this.#accounts.findToken(token) === undefined) {
      return { status: 401, body: Buffer.from('<html></html>'), contentType: 'text/html' };
    }
    return { body: file.bytes, contentType: file.mimeType };
  }

  async #upload(numberId: string, request: ProviderRequest): Promise<ProviderAnswer> {
    const token = this.#accounts.requireToken(request.token, messagingScope);
    this.#accounts.requireNumber(token, numberId);
    const form = await parseForm(request);
    const file = form.get('file');
    if (form.get('messaging_product') !== 'whatsapp' || !(file instanceof Blob)) throw new ProviderError(100);
    const bytes = Buffer.from(await file.arrayBuffer());
    const type = form.get('type');
    if (bytes.length > 100 * megabyte) throw new ProviderError(131053);
    return { body: { id: this.#keep(bytes, typeof type === 'string' ? type : file.type, true).id } };
  }

  #keep(bytes: Buffer, mimeType: string, uploaded: boolean): MediaFile {
    const id = `20${String(++this.#ids).padStart(13, '0')}`;
    const expiresAt = this.#now() + (uploaded ? 30 : 7) * day;
    const file: MediaFile = { id, bytes, mimeType, expiresAt, uploaded };
    this.#files.set(id, file);
    return file;
  }
}
