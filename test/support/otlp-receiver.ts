/** A collector of traces: a real HTTP server that takes OTLP in protobuf, decodes it with code of its own, and keeps the spans. */
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from './node-process.ts';
import { eventually } from './eventually.ts';

type Scalar = string | number | boolean;

export interface CollectedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: it has none. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly attributes: Readonly<Record<string, Scalar>>;
  readonly events: readonly string[];
  /** The ids of the spans that it is linked to. */
  readonly links: readonly string[];
  readonly failed: boolean;
  /** What its node says of itself. */
  readonly resource: Readonly<Record<string, Scalar>>;
}

export class OtlpReceiver {
  readonly spans: CollectedSpan[] = [];
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = [];
  /** The status that it answers with. */
  status = 200;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      this.requests.push({ path: request.url ?? '', headers: request.headers });
      if (this.status === 200) this.spans.push(...decodeRequest(Buffer.concat(chunks)));
      response.writeHead(this.status, { 'content-type': 'application/x-protobuf' }).end();
    });
  });

  /** Ends with the test. */
  static async start(t: Ending): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await new Promise<void>(resolve => receiver.#server.listen(0, '127.0.0.1', resolve));
    t.teardown(async () => {
      receiver.#server.closeAllConnections();
      await new Promise(resolve => receiver.#server.close(resolve));
    });
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The spans of a trace, once those with all of these names have come. */
  async trace(traceId: string, ...names: readonly string[]): Promise<CollectedSpan[]> {
    const find = (): CollectedSpan[] => this.spans.filter(span => span.traceId === traceId);
    await eventually(`spans ${names.join(', ')} of ${traceId}`, () =>
      Promise.resolve(names.every(name => find().some(span => span.name === name))),
    );
    return find();
  }
}

/** A field of a message in the protobuf encoding: its number, and its bytes or its number. */
type Field = readonly [number: number, value: Buffer | number];

/** https://protobuf.dev/programming-guides/encoding/ */
function* fields(bytes: Buffer): Generator<Field> {
  for (let at = 0; at < bytes.length;) {
    const [tag, afterTag] = varint(bytes, at);
    const number = tag >> 3;
    switch (tag & 7) {
      case 0: {
        const [value, next] = varint(bytes, afterTag);
        yield [number, value];
        at = next;
        break;
      }
      case 1:
        yield [number, bytes.readDoubleLE(afterTag)];
        at = afterTag + 8;
        break;
      case 2: {
        const [length, start] = varint(bytes, afterTag);
        yield [number, bytes.subarray(start, start + length)];
        at = start + length;
        break;
      }
      case 5:
        yield [number, bytes.readUInt32LE(afterTag)];
        at = afterTag + 4;
        break;
      default:
        throw new Error(`wire type ${tag & 7} at ${at}`);
    }
  }
}

function varint(bytes: Buffer, from: number): [value: number, next: number] {
  let value = 0n;
  for (let at = from; ; at++) {
    const byte = bytes[at] ?? 0;
    value |= BigInt(byte & 0x7f) << BigInt((at - from) * 7);
    if (byte < 0x80) return [Number(BigInt.asIntN(64, value)), at + 1];
  }
}

function messages(bytes: Buffer, number: number): Buffer[] {
  return [...fields(bytes)].flatMap(([n, value]) => (n === number && Buffer.isBuffer(value) ? [value] : []));
}

const text = (bytes: Buffer, number: number): string => messages(bytes, number)[0]?.toString() ?? '';
const hex = (bytes: Buffer, number: number): string => messages(bytes, number)[0]?.toString('hex') ?? '';

/** `ExportTraceServiceRequest` of opentelemetry-proto. */
function decodeRequest(bytes: Buffer): CollectedSpan[] {
  return messages(bytes, 1).flatMap(resourceSpans => {
    const resource = toAttributes(messages(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1);
    const spans = messages(resourceSpans, 2).flatMap(scopeSpans => messages(scopeSpans, 2));
    return spans.map(span => decodeSpan(span, resource));
  });
}

function decodeSpan(span: Buffer, resource: CollectedSpan['resource']): CollectedSpan {
  const [status = Buffer.alloc(0)] = messages(span, 15);
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    attributes: toAttributes(span, 9),
    events: messages(span, 11).map(event => text(event, 2)),
    links: messages(span, 13).map(link => hex(link, 2)),
    failed: [...fields(status)].some(([number, value]) => number === 3 && value === 2),
    resource,
  };
}

function toAttributes(bytes: Buffer, number: number): Record<string, Scalar> {
  return Object.fromEntries(
    messages(bytes, number).map(pair => [text(pair, 1), scalar(messages(pair, 2)[0] ?? Buffer.alloc(0))]),
  );
}

/** `AnyValue`, as far as spans have it. */
function scalar(bytes: Buffer): Scalar {
  for (const [number, value] of fields(bytes)) {
    if (number === 1) return String(value);
    if (number === 2) return value === 1;
    if (typeof value === 'number') return value;
  }
  return '';
}
