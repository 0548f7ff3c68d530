/**
 * The customer's end in a process of its own: raw HTTP/1.1 over kept-alive sockets, 200 at once, every request kept as it came.
 * What it keeps is looked at only when the run is over, so that looking costs the systems under measurement nothing.
 *
 * Started by `startReceiver`; takes `ReceiverOrder`s as messages, answers with `ReceiverNews`.
 */
import { verifyService } from '../../protocol/signature.ts';
import { serveRaw, type RawRequest } from './raw-server.ts';

export type ReceiverOrder =
  /** Forgets what came and waits for that many requests. */
  | { readonly do: 'expect'; readonly requests: number }
  /** Looks at what came; with secrets, verifies the signature of every `sample`th request: the one to `.../<n>` with the nth. */
  | { readonly do: 'report'; readonly secrets: readonly string[]; readonly sample: number };

export interface ReceiverReport {
  readonly requests: number;
  readonly distinct: number;
  /** Requests that came after a later one of their thread. */
  readonly outOfOrder: number;
  readonly verified: number;
  readonly refused: number;
}

export type ReceiverMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'begun' }
  /** From the first to the last of the expected requests. */
  | { readonly kind: 'arrived'; readonly seconds: number }
  | { readonly kind: 'report'; readonly report: ReceiverReport };

interface Event {
  readonly eventId: string;
  readonly data: { readonly threadId: string; readonly sequence: number };
}

const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
let requests: RawRequest[] = [];
let expected = Infinity;
let firstAt = 0;

function tell(message: ReceiverMessage): void {
  process.send?.(message);
}

function take(request: RawRequest): void {
  if (requests.length === 0) {
    firstAt = performance.now();
    tell({ kind: 'begun' });
  }
  requests.push(request);
  if (requests.length === expected) tell({ kind: 'arrived', seconds: (performance.now() - firstAt) / 1_000 });
}

function report(secrets: readonly string[], sample: number): ReceiverReport {
  const ids = new Set<string>();
  const sequences = new Map<string, number>();
  let outOfOrder = 0;
  let verified = 0;
  let refused = 0;
  requests.forEach(({ head, body }, index) => {
    const { eventId, data } = JSON.parse(body.toString()) as Event;
    ids.add(eventId);
    if ((sequences.get(data.threadId) ?? 0) > data.sequence) outOfOrder++;
    sequences.set(data.threadId, data.sequence);
    if (secrets.length === 0 || index % sample !== 0) return;
    const secret = secrets[Number(/^POST \S*\/(\d+) /.exec(head)?.[1])] ?? '';
    const signature = /^service-signature: *(.*)$/im.exec(head)?.[1] ?? '';
    if (verifyService(secret, signature, body).ok) verified++;
    else refused++;
  });
  return { requests: requests.length, distinct: ids.size, outOfOrder, verified, refused };
}

process.on('message', (order: ReceiverOrder) => {
  if (order.do === 'report') {
    tell({ kind: 'report', report: report(order.secrets, order.sample) });
  } else {
    requests = [];
    expected = order.requests;
  }
});
process.once('disconnect', () => process.exit());

serveRaw(answer, take, port => tell({ kind: 'listening', port }));
