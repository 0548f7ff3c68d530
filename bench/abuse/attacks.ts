/**
 * The attacker, in a process of its own: every attack has a bounded rate, so that the benchmark measures the node and not
 * the attacker's share of the processors. Answers with the counts when it is told to stop.
 */
import { connect, type Socket } from 'node:net';
import { serveParent } from '../support/child.ts';

export interface AttackTask {
  readonly port: number;
  readonly projectId: string;
  readonly channelId: string;
  /** Keys of the attacker's own project: quotas by credential would multiply with them. */
  readonly apiKeys: readonly string[];
  readonly externalMessageId: string;
  readonly messageIds: readonly string[];
}

/** Requests a second of each attack that repeats itself. */
const perSecond = 40;
const slowUploads = 200;
const slowBodies = 200;
const counts: Record<string, number> = {};
const sockets = new Set<Socket>();
let stopped = false;

function count(name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

/** Begins a request, sends no more of it, and begins again when it is cut off. */
function holdOpen(port: number, name: string, head: string, body: string): void {
  if (stopped) return;
  const socket = connect(port, '127.0.0.1', () => {
    count(name);
    socket.write(`${head}\r\nHost: a\r\nContent-Type: application/json\r\n\r\n${body}`);
  });
  sockets.add(socket);
  socket.resume();
  socket.on('error', () => undefined);
  socket.on('close', () => {
    sockets.delete(socket);
    setTimeout(() => holdOpen(port, name, head, body), 100);
  });
}

/** Repeats a request at the rate, whatever becomes of it. */
function repeat(name: string, send: () => Promise<Response>): void {
  const timer = setInterval(() => {
    if (stopped) return clearInterval(timer);
    send()
      .then(async answer => {
        await answer.arrayBuffer();
        count(`${name}: ${answer.status}`);
      })
      .catch(() => count(`${name}: no answer`));
  }, 1_000 / perSecond);
}

function attack(task: AttackTask): void {
  const { port, projectId, channelId, apiKeys, externalMessageId, messageIds } = task;
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

  for (let i = 0; i < slowUploads; i++) {
    holdOpen(port, 'slow upload', 'PUT /media/x HTTP/1.1\r\nContent-Length: 4000000', 'a');
  }
  const slow = 'POST /v1/workspaces HTTP/1.1\r\nContent-Length: 1000000';
  for (let i = 0; i < slowBodies; i++) holdOpen(port, 'slow body', slow, 'a'.repeat(15_000));

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

serveParent((order: AttackTask | { readonly stop: true }) => {
  if (!('stop' in order)) {
    attack(order);
    return Promise.resolve({});
  }
  stopped = true;
  for (const socket of sockets) socket.destroy();
  return Promise.resolve(counts);
});
