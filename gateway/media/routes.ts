/**
 * The bytes of attachments over HTTP, at the signed addresses that links.ts makes. These routes take no credential and no JSON, and
 * are not part of the API. Bytes are streamed and never held as a whole.
 *
 * A file is untrusted. It is served as a download, with the type that was announced and without sniffing, so that a browser never
 * runs it as part of this site.
 */
import { conflict, invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import { matchesIfNoneMatch } from '../../protocol/etag.ts';
import { isId } from '../../protocol/ids.ts';
import { maxFileBytes } from '../../protocol/resources/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  claimUpload,
  completeUpload,
  findAttachments,
  findAttachmentTenant,
  type Media,
  NoSuchMedia,
  releaseUpload,
  type StoredAttachment,
  type Upload,
  WrongSize,
} from '../../storage/media/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { BodyCut, errorAnswer, type HttpAnswer, type HttpRequest, type HttpServer } from '../http/index.ts';
import { refuseEncoding, toRefusal } from '../pipeline/index.ts';
import { toDisposition } from './disposition.ts';
import type { MediaLinks } from './links.ts';
import { parseRange } from './range.ts';

export interface MediaOptions {
  readonly server: HttpServer;
  readonly database: Pick<Database, 'query'>;
  readonly media: Pick<Media, 'requireRoom' | 'put' | 'open' | 'remove'>;
  readonly links: MediaLinks;
  readonly clock: Clock;
  readonly log: Log;
  readonly docsUrl: string;
}

const path = '/media/{attachmentId}';

/** Registers PUT and GET of files. */
export function serveMedia(options: MediaOptions): void {
  const { server, docsUrl } = options;
  const routes = new MediaRoutes(options);
  const answer = (request: HttpRequest, work: Promise<HttpAnswer>): Promise<HttpAnswer> =>
    work.catch((error: unknown) => toAnswer(error, request, docsUrl));
  server.route('PUT', path, request => answer(request, routes.upload(request)), {
    streamsBody: true,
    admitBody: request => routes.refuseUpload(request),
    maxBodyBytes: maxFileBytes,
  });
  server.route('GET', path, request => answer(request, routes.read(request)), { streamsAnswer: true });
}

class MediaRoutes {
  readonly #options: MediaOptions;

  constructor(options: MediaOptions) {
    this.#options = options;
  }

  /** 401 for a bad address: an upload that was not announced takes no slot. 415 for encoded bytes, which would be stored so. */
  refuseUpload(request: HttpRequest): HttpAnswer | undefined {
    const { links, clock, docsUrl } = this.#options;
    const [attachmentId = ''] = request.params;
    try {
      links.check('upload', attachmentId, request.query, clock.now());
      refuseEncoding(request.header('content-encoding'));
      return undefined;
    } catch (error) {
      return toAnswer(error, request, docsUrl);
    }
  }

  /** 204; or 401 for a bad address, 404, 409 for a file that is or is being uploaded, 422 for another size, 503 where the store fails. */
  async upload(request: HttpRequest): Promise<HttpAnswer> {
    const { database, media, clock } = this.#options;
    const attachment = await this.#findAddressed('upload', request);
    const { status, sizeBytes } = attachment;
    if (status === 'stored') throw conflict('The file has been uploaded.', { reason: 'uploaded' });
    const announced = request.header('content-length');
    if (announced !== '' && Number(announced) !== sizeBytes) throw wrongSize(sizeBytes);
    await this.#requireRoom(sizeBytes);
    const upload = await claimUpload(database, attachment, clock.now());
    if (upload === undefined) throw conflict('The file is being uploaded.', { reason: 'uploading' });
    const sha256 = await this.#store(upload, attachment, request);
    switch (await completeUpload(database, media, upload, sha256, clock.now())) {
      case 'stored':
        return { status: 204 };
      case 'taken':
        throw conflict('The file is being uploaded.', { reason: 'uploading' });
      case 'erased':
        throw notFound();
    }
  }

  /** 200 with the bytes, 206 with a range of them; or 401 for a bad address, 404, 416 for a range beyond them. */
  async read(request: HttpRequest): Promise<HttpAnswer> {
    const { media, log, docsUrl } = this.#options;
    const { attachmentId, status, storageKey, sizeBytes, mimeType, filename } = await this.#findAddressed(
      'read',
      request,
    );
    if (status !== 'stored') throw notFound();
    // The bytes of an id never change.
    const etag = `"${attachmentId}"`;
    if (matchesIfNoneMatch(request.header('if-none-match'), etag))
      return { status: 304, headers: { ETag: etag } };
    const ifRange = request.header('if-range');
    const range = parseRange(ifRange === '' || ifRange === etag ? request.header('range') : '', sizeBytes);
    if (range === 'unsatisfiable') {
      const headers = { 'Content-Range': `bytes */${sizeBytes}` };
      return errorAnswer(notSatisfiable(sizeBytes), request.requestId, docsUrl, headers);
    }
    const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
    try {
      const stream = await media.open(storageKey, range);
      return {
        status: range === undefined ? 200 : 206,
        contentType: mimeType,
        outgoing: { stream, size: end - start + 1 },
        headers: {
          ETag: etag,
          'Accept-Ranges': 'bytes',
          ...(range === undefined ? {} : { 'Content-Range': `bytes ${start}-${end}/${sizeBytes}` }),
          'Content-Disposition': toDisposition(filename),
          'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        },
      };
    } catch (err) {
      log.error({ err, attachmentId, requestId: request.requestId }, 'could not read a stored file');
      throw err instanceof NoSuchMedia ? notFound() : unavailable();
    }
  }

  /** The attachment that the request's signed address names. */
  async #findAddressed(use: 'upload' | 'read', request: HttpRequest): Promise<StoredAttachment> {
    const { links, clock, database } = this.#options;
    const [attachmentId = ''] = request.params;
    links.check(use, attachmentId, request.query, clock.now());
    // A signed id is always valid. Checked again here, because the id becomes a key of the store.
    if (!isId('attachment', attachmentId)) throw notFound();
    const tenant = await findAttachmentTenant(database, attachmentId);
    const [found] = tenant === undefined ? [] : await findAttachments(database, tenant, [attachmentId]);
    if (found === undefined || found.status === 'erased') throw notFound();
    return found;
  }

  /** 503 where the disk is nearly full. */
  async #requireRoom(sizeBytes: number): Promise<void> {
    try {
      await this.#options.media.requireRoom(sizeBytes);
    } catch (err) {
      this.#options.log.warn({ err }, 'no room for a file: too little of the disk is free');
      throw unavailable();
    }
  }

  async #store(upload: Upload, attachment: StoredAttachment, request: HttpRequest): Promise<Buffer> {
    const { media, database, log } = this.#options;
    const { sizeBytes: size, mimeType } = attachment;
    try {
      if (request.incoming === undefined) throw new Error('the body of an upload is not streamed');
      return await media.put({ key: upload.storageKey, size, mimeType }, request.incoming);
    } catch (err) {
      await releaseUpload(database, upload);
      if (err instanceof WrongSize) throw wrongSize(size);
      // The client is gone, and the row is as it was.
      if (err instanceof BodyCut) throw unavailable();
      log.error({ err, attachmentId: upload.attachmentId }, 'could not store a file');
      throw unavailable();
    }
  }
}

/** Throws what is no refusal. */
function toAnswer(error: unknown, { requestId }: HttpRequest, docsUrl: string): HttpAnswer {
  const refusal = toRefusal(error);
  if (refusal === undefined) throw error;
  return errorAnswer(refusal, requestId, docsUrl);
}

function wrongSize(size: number): ServiceError {
  return invalid([{ path: '/body', message: `must be the ${size} bytes that were announced`, code: 'size' }]);
}

function notSatisfiable(size: number): ServiceError {
  const issue = { path: '/header/range', message: `must begin before byte ${size}`, code: 'range' };
  return new ServiceError('svc/validation/invalid_request', { http: 416, details: { issues: [issue] } });
}

function unavailable(): ServiceError {
  return new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 5 });
}
