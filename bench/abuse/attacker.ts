/**
 * The attacker: a process of its own. Every attack has a bounded rate, so that it leaves the node its share of the processors, and goes on
 * whatever the node answers.
 */
import { randomBytes } from 'node:crypto';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { Api } from '../demo/api.ts';
import { Endpoint } from '../demo/endpoint.ts';
import { serveParent } from '../support/child.ts';

/** A project of the attacker. */
export interface Attacked {
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  /** Quotas by credential would multiply with them. */
  readonly apiKeys: readonly string[];
}

export interface AttackTask {
  readonly port: number;
  readonly grpcPort: number;
  /** Has large rows, and many keys. */
  readonly reader: Attacked;
  /** Writes, has webhooks, and an agent on its channel. */
  readonly writer: Attacked;
  readonly externalMessageId: string;
  readonly messageIds: readonly string[];
}

/** Connections that read pages and do not take the answer. */
const slowReaders = 20;
/** Webhooks to one host for each message. */
const stitches = 50;
/** Connections to gRPC without a token, and calls of each, which send most of a message. */
const grpcConnections = 8;
const grpcCalls = 20;
const grpcBytes = 900_000;
/** Conversations in which the attacker answers the agent. */
const loops = 10;
/** Requests a second of each attack that repeats itself. */
const perSecond = 40;
/** Uploads, and as many requests, whose bodies come slowly. */
const slowRequests = 200;
const counted: Record<string, number> = {};
const sockets = new Set<Socket>();
/** Idempotency keys of the process begin with it. */
const run = randomBytes(6).toString('hex');
let stopped = false;

function add(name: string): void {
  counted[name] = (counted[name] ?? 0) + 1;
}

/** Begins a request, sends no more of it, and begins again when it is cut off. `reads` false: takes no answer either. */
function holdOpen(port: number, name: string, head: string, body: string, reads = true): void {
  if (stopped) return;
  const socket = connect(port, '127.0.0.1', () => {
    add(name);
    socket.write(`${head}\r\nHost: a\r\nContent-Type: application/json\r\n\r\n${body}`);
  });
  sockets.add(socket);
  if (reads) socket.resume();
  else socket.pause();
  socket.on('error', () => undefined);
  socket.on('close', () => {
    sockets.delete(socket);
    setTimeout(() => holdOpen(port, name, head, body, reads), 100);
  });
}

/** Repeats a request at the rate, whatever becomes of it. */
function repeat(name: string, send: () => Promise<Response>): void {
  const timer = setInterval(() => {
    if (stopped) return clearInterval(timer);
    send()
      .then(async answer => {
        await answer.arrayBuffer();
        add(`${name}: ${answer.status}`);
      })
      .catch(() => add(`${name}: no answer`));
  }, 1_000 / perSecond);
}

/** Pages of 100 large rows: some readers take none of their answer, others all. */
function readPages({ port, reader }: AttackTask): void {
  const { projectId, environmentId, apiKeys } = reader;
  const path = `/v1/threads?projectId=${projectId}&environmentId=${environmentId}&limit=100`;
  const authorization = `Bearer ${apiKeys[0]}`;
  for (let i = 0; i < slowReaders; i++) {
    holdOpen(port, 'slow page', `GET ${path} HTTP/1.1\r\nAuthorization: ${authorization}`, '', false);
  }
  repeat('page of large rows', () =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { Authorization: authorization } }),
  );
}

/** The account is new: it writes messages of the largest size, each of which goes to all webhooks, and answers its agent. */
async function write({ port, writer }: AttackTask): Promise<void> {
  const { projectId, channelId, apiKeys } = writer;
  const base = `http://127.0.0.1:${port}/v1`;
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${apiKeys[0]}` };
  const inbound = (externalParticipantRef: string | undefined, more: object): Promise<Response> =>
    fetch(`${base}/channels/${channelId}/inbound-messages`, {
      method: 'POST',
      headers: { ...headers, 'Idempotency-Key': `${run}-${turn++}` },
      body: JSON.stringify({ projectId, externalParticipantRef, ...more }),
    });
  let turn = 0;
  let participant = 0;
  const endpoint = new Endpoint((request, body, response) => {
    response.writeHead(200).end();
    if (request.url !== '/loop') return add('webhook');
    const { data } = JSON.parse(body.toString()) as {
      readonly data: { readonly message?: { readonly direction: string }; readonly threadId: string };
    };
    if (stopped || data.message?.direction !== 'outbound') return;
    add('answer of an agent');
    inbound(undefined, { threadId: data.threadId, body: 'And then?' })
      .then(answer => answer.arrayBuffer())
      .catch(() => undefined);
  });
  const url = await endpoint.listen('');
  const api = new Api(`http://127.0.0.1:${port}`, apiKeys[0]);
  const addStitch = (path: string, eventNames: readonly string[]): Promise<unknown> =>
    api
      .post('/stitches', { projectId, name: path, webhookUrl: `${url}${path}`, eventNames })
      .catch(() => add('stitch refused'));
  for (let i = 0; i < stitches; i++) await addStitch(`/${i}`, ['thread.message.received']);
  await addStitch('/loop', ['thread.message.created']);
  for (let i = 0; i < loops; i++) {
    inbound(`loop ${i}`, { body: 'Say something.' })
      .then(answer => answer.arrayBuffer())
      .catch(() => undefined);
  }
  const large = { body: '\u{1F4A3}'.repeat(16_000), metadata: { a: 'x'.repeat(16_000) } };
  repeat('large message', () => inbound(`participant ${participant++}`, large));
}

/** Calls that send most of a message, and no token. */
function callGrpc({ grpcPort }: AttackTask): void {
  if (stopped) return;
  const session = connectHttp2(`http://127.0.0.1:${grpcPort}`, { maxSessionMemory: 1_000 });
  session.on('error', () => undefined);
  session.on('close', () => setTimeout(() => callGrpc({ grpcPort } as AttackTask), 500));
  const begun = Buffer.alloc(grpcBytes);
  begun.writeUInt32BE(1_000_000, 1);
  for (let i = 0; i < grpcCalls; i++) {
    const stream = session.request({
      ':method': 'POST',
      ':path': '/skein.internal.v1.Conversations/IngestMessage',
      'content-type': 'application/grpc',
    });
    stream.on('error', () => undefined);
    stream.on('response', headers => add(`gRPC call: ${String(headers['grpc-status'])}`));
    stream.resume();
    stream.write(begun);
  }
}

/** Requests that are cheap to send and costly to refuse. */
function bother(task: AttackTask): void {
  const { port, externalMessageId, messageIds } = task;
  const { projectId, channelId, apiKeys } = task.reader;
  const base = `http://127.0.0.1:${port}`;
  const post = (path: string, body: string, apiKey = ''): Promise<Response> =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        ...(apiKey === '' ? undefined : { Authorization: `Bearer ${apiKey}` }),
      },
      body,
    });

  for (let i = 0; i < slowRequests; i++) {
    holdOpen(port, 'slow upload', 'PUT /media/x HTTP/1.1\r\nContent-Length: 4000000', 'a');
    const head = 'POST /v1/workspaces HTTP/1.1\r\nContent-Length: 1000000';
    holdOpen(port, 'slow body', head, 'a'.repeat(15_000));
  }

  const fields = (length: number): string => `{${Array.from({ length }, (_, i) => `"a${i}":1`).join()}}`;
  const [small, large, huge] = [fields(800), fields(4_900), fields(90_000)];
  let turn = 0;
  const nextKey = (): string => apiKeys[turn++ % apiKeys.length] ?? '';
  repeat('login with unknown fields', () => post('/v1/studio/auth/login', small));
  repeat('thread with unknown fields', () => post('/v1/threads', large, nextKey()));
  repeat('0.9 MB of unknown fields', () => post('/v1/threads', huge, nextKey()));
  repeat('wrong receipt', () => {
    const body = {
      projectId,
      messageId: messageIds[turn % messageIds.length],
      externalMessageId,
      status: 'delivered',
      occurredAt: new Date().toISOString(),
    };
    return post(`/v1/channels/${channelId}/receipts`, JSON.stringify(body), nextKey());
  });
  repeat('read with many keys', () =>
    fetch(`${base}/v1/threads?projectId=${projectId}`, { headers: { Authorization: `Bearer ${nextKey()}` } }),
  );
  repeat('/readyz', () => fetch(`${base}/readyz`));
  repeat('/metrics by a proxy', () =>
    fetch(`${base}/metrics`, { headers: { 'X-Forwarded-For': '192.0.2.1' } }),
  );
}

serveParent(async (order: AttackTask | { readonly stop: true }) => {
  if (!('stop' in order)) {
    // Its webhooks are made first, while the node has time for them.
    await write(order);
    readPages(order);
    for (let i = 0; i < grpcConnections; i++) callGrpc(order);
    bother(order);
    return undefined;
  }
  stopped = true;
  for (const socket of sockets) socket.destroy();
  return counted;
});
