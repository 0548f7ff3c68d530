/**
 * Bytes that are the same for everybody until the node's next release. They have strong ETags (RFC 9110 section 8.8.3), by which browsers and
 * generators of clients ask whether they have changed, and are compressed once, when somebody first takes them so.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { hashEtag, matchesIfNoneMatch } from '../../protocol/etag.ts';

const compress = promisify(gzip);

type Headers = Readonly<Record<string, string>>;

/** What of an answer the content decides. */
export interface StaticAnswer {
  readonly status: 200 | 304;
  readonly body?: Uint8Array;
  readonly headers: Headers;
}

export class StaticContent {
  readonly #load: () => Uint8Array | Promise<Uint8Array>;
  readonly #headers: Headers;
  #loaded: Promise<{ readonly bytes: Uint8Array; readonly etag: string }> | undefined;
  #compressed: Promise<Uint8Array> | undefined;

  /**
   * @param load called when the content is first asked for
   * @param headers of every answer: Cache-Control above all
   */
  constructor(load: () => Uint8Array | Promise<Uint8Array>, headers: Headers) {
    this.#load = load;
    this.#headers = { ...headers, Vary: 'Accept-Encoding' };
  }

  async answer(request: { header(name: string): string }): Promise<StaticAnswer> {
    this.#loaded ??= this.#read();
    const { bytes, etag: plainTag } = await this.#loaded;
    const isCompressed = acceptsEncoding(request.header('accept-encoding'), 'gzip');
    // Other bytes have another strong tag.
    const etag = isCompressed ? plainTag.replace(/"$/, '-gzip"') : plainTag;
    const headers = { ...this.#headers, ETag: etag };
    if (matchesIfNoneMatch(request.header('if-none-match'), etag)) return { status: 304, headers };
    if (!isCompressed) return { status: 200, body: bytes, headers };
    this.#compressed ??= compress(bytes);
    return {
      status: 200,
      body: await this.#compressed,
      headers: { ...headers, 'Content-Encoding': 'gzip' },
    };
  }

  async #read() {
    const bytes = await this.#load();
    return { bytes, etag: hashEtag(bytes) };
  }
}

/** Whether Accept-Encoding names the coding, or anything, with a weight above zero (RFC 9110 section 12.5.3). */
export function acceptsEncoding(acceptEncoding: string, coding: 'br' | 'gzip'): boolean {
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map(each => each.trim());
    const weight = parameters.find(each => each.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, Number(weight));
  }
  return (weights.get(coding) ?? weights.get('*') ?? 0) > 0;
}
