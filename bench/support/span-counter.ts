/** A collector of traces that keeps nothing but numbers: a real HTTP server that takes OTLP in protobuf. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export class SpanCounter {
  /** Spans, requests and bytes of their bodies so far. */
  spans = 0;
  requests = 0;
  bytes = 0;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      this.requests++;
      this.bytes += body.length;
      this.spans += countSpans(body);
      response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  /** On a free port of the loopback address. */
  static async listen(): Promise<SpanCounter> {
    const counter = new SpanCounter();
    counter.#server.listen(0, '127.0.0.1');
    await once(counter.#server, 'listening');
    return counter;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

/** Field 1 of the request are its resources, 2 of these their scopes, 2 of these their spans (opentelemetry-proto, `ExportTraceServiceRequest`). */
const pathToSpans = [1, 2, 2];

function countSpans(bytes: Buffer, depth = 0): number {
  let count = 0;
  for (const part of listParts(bytes, pathToSpans[depth] ?? 0)) {
    count += depth === pathToSpans.length - 1 ? 1 : countSpans(part, depth + 1);
  }
  return count;
}

/** The parts of a message that are texts, bytes or messages and have that number (https://protobuf.dev/programming-guides/encoding/). */
function* listParts(bytes: Buffer, wanted: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const [tag, start] = readVarint(bytes, at);
    switch (tag & 7) {
      case 0:
        [, at] = readVarint(bytes, start);
        break;
      case 1:
        at = start + 8;
        break;
      case 2: {
        const [length, begin] = readVarint(bytes, start);
        at = begin + length;
        if (tag >> 3 === wanted) yield bytes.subarray(begin, at);
        break;
      }
      case 5:
        at = start + 4;
        break;
      default:
        throw new Error(`wire type ${tag & 7} at ${at}`);
    }
  }
}

/** Exact up to 2^53. */
function readVarint(bytes: Buffer, from: number): readonly [value: number, next: number] {
  let value = 0;
  for (let at = from, factor = 1; ; at++, factor *= 128) {
    const byte = bytes[at] ?? 0;
    value += (byte & 0x7f) * factor;
    if (byte < 0x80) return [value, at + 1];
  }
}
