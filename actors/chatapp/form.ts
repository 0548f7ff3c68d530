/** A form with a file in it (RFC 7578), whose bytes are never in memory together. */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

export interface FileForm {
  readonly fields: Readonly<Record<string, string>>;
  /** Its part is called `file`. */
  readonly file: FormFile;
}

export interface FormFile {
  readonly filename: string;
  readonly mimeType: string;
  /** The exact number of bytes. */
  readonly sizeBytes: number;
  /** Destroyed with the request. */
  readonly bytes: Readable;
}

export interface EncodedForm {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

export function encodeForm({ fields, file }: FileForm): EncodedForm {
  const boundary = `form-${randomUUID()}`;
  const part = (disposition: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(`name="${name}"`)}\r\n${value}\r\n`);
  const opening = `${part(`name="file"; filename="${escapeQuotes(file.filename)}"`)}Content-Type: ${file.mimeType}\r\n\r\n`;
  const start = Buffer.from(texts.join('') + opening);
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(start.length + file.sizeBytes + end.length),
    },
    body: Readable.from(join(start, file.bytes, end)),
  };
}

async function* join(start: Buffer, bytes: Readable, end: Buffer): AsyncGenerator<Buffer> {
  yield start;
  yield* bytes as AsyncIterable<Buffer>;
  yield end;
}

/** As browsers write a name: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
function escapeQuotes(filename: string): string {
  return filename.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
