/**
 * The bytes of attachments over HTTP, at the addresses that links.ts makes: no credential, no JSON, no part of the API. Bytes go
 * through in pieces and are nowhere held whole.
 *
 * A file is whatever somebody has sent us. It is given as a download, of the type that was announced, and never to be sniffed: opened
 * in a browser it is nothing of this site.
 */
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import { isId } from '../../protocol/ids.ts';
import { maxFileBytes } from '../../protocol/resources/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  claimUpload,
  completeUpload,
  findAttachments,
  type Media,
  NoSuchMedia,
  releaseUpload,
  type StoredAttachment,
  type Upload,
  WrongSize,
} from '../../storage/media/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { BodyCut, errorAnswer, type HttpAnswer, type HttpRequest, type HttpServer } from '../http/index.ts';
import { toRefusal } from '../pipeline/index.ts';
import { toDisposition } from './disposition.ts';
import type { MediaLinks } from './links.ts';

export interface MediaFaceOptions {
  readonly server: HttpServer;
  readonly database: Pick<Database, 'query'>;
  readonly media: Pick<Media, 'put' | 'open' | 'remove'>;
  readonly links: MediaLinks;
  readonly clock: Clock;
  readonly log: Log;
  readonly docsUrl: string;
}

const path = '/media/{attachmentId}';

/** Registers PUT and GET of the files. */
export function serveMedia(options: MediaFaceOptions): void {
  const { server, docsUrl } = options;
  const face = new MediaFace(options);
  const answered = async (request: HttpRequest, work: Promise<HttpAnswer>): Promise<HttpAnswer> => {
    try {
      return await work;
    } catch (error) {
      const refusal = toRefusal(error);
      if (refusal === undefined) throw error;
      return errorAnswer(refusal, request.requestId, docsUrl);
    }
  };
  server.route('PUT', path, request => answered(request, face.upload(request)), {
    streamsBody: true,
    maxBodyBytes: maxFileBytes,
  });
  server.route('GET', path, request => answered(request, face.read(request)));
}

class MediaFace {
  readonly #options: MediaFaceOptions;

  constructor(options: MediaFaceOptions) {
    this.#options = options;
  }

  /** 204. 401 for the address, 404, 409 for a file that is there or on its way already, 422 for another size, 503 for the store. */
  async upload(request: HttpRequest): Promise<HttpAnswer> {
    const { database, clock } = this.#options;
    const attachment = await this.#named('upload', request);
    const { attachmentId, status, sizeBytes } = attachment;
    if (status === 'stored') throw taken('The file has been uploaded.');
    const announced = request.header('content-length');
    if (announced !== '' && Number(announced) !== sizeBytes) throw wrongSize(sizeBytes);
    const upload = await claimUpload(database, attachmentId, clock.now());
    if (upload === undefined) throw taken('The file is being uploaded.');
    const sha256 = await this.#store(upload, attachment, request);
    if (!(await completeUpload(database, upload, sha256, clock.now()))) {
      // It was removed for its age meanwhile: what has no row may not stay.
      await this.#options.media.remove(upload.storageKey);
      throw notFound();
    }
    return { status: 204 };
  }

  /** 200 with the bytes. 401 for the address, 404. */
  async read(request: HttpRequest): Promise<HttpAnswer> {
    const { media, log } = this.#options;
    const { attachmentId, status, storageKey, sizeBytes, mimeType, filename } = await this.#named(
      'read',
      request,
    );
    if (status !== 'stored') throw notFound();
    try {
      const stream = await media.open(storageKey);
      return {
        status: 200,
        contentType: mimeType,
        outgoing: { stream, size: sizeBytes },
        headers: {
          'Content-Disposition': toDisposition(filename),
          'Content-Security-Policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
        },
      };
    } catch (err) {
      log.error({ err, attachmentId, requestId: request.requestId }, 'a stored file could not be read');
      throw err instanceof NoSuchMedia ? notFound() : unavailable();
    }
  }

  /** The attachment that the request's address is for. */
  async #named(use: 'upload' | 'read', request: HttpRequest): Promise<StoredAttachment> {
    const { links, clock, database } = this.#options;
    const [attachmentId = ''] = request.params;
    links.check(use, attachmentId, request.query, clock.now());
    // A signed id is one of ours: this holds the rule where it is used, as a key of the store.
    if (!isId('attachment', attachmentId)) throw notFound();
    const [found] = await findAttachments(database, [attachmentId]);
    if (found === undefined || found.status === 'erased') throw notFound();
    return found;
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
      // Nobody hears it, and the row is as it was.
      if (err instanceof BodyCut) throw unavailable();
      log.error({ err, attachmentId: upload.attachmentId }, 'a file could not be stored');
      throw unavailable();
    }
  }
}

function taken(message: string): ServiceError {
  return new ServiceError('svc/runtime/conflict', { message });
}

function wrongSize(size: number): ServiceError {
  return invalid([{ path: '/body', message: `must be the ${size} bytes that were announced`, code: 'size' }]);
}

function unavailable(): ServiceError {
  return new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 5 });
}
