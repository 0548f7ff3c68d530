/**
 * The cost of an attacker for honest callers, on one node with its rate limits on: slow uploads and bodies without a credential, bodies full
 * of unknown fields, wrong receipts, reads with many keys, and polls of what is public, all at once. Quiet rounds and rounds under attack
 * take turns.
 */
import { connect, type Socket } from 'node:net';
import { createApiKey, createChannel, signUp } from './demo/account.ts';
import { Api } from './demo/api.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { Child, serveParent } from './support/child.ts';
import { tryLoad, type LoadResult } from './support/load.ts';
import { startSkein, type Skein } from './support/skein.ts';
import { count, fixed, table, times } from './support/table.ts';
import { compare, middle, quick, show } from './support/turns.ts';

const rounds = quick(3, 1);
const setting = { connections: 16, threads: 1_000, warmupMs: 1_000, measuredMs: quick(8_000, 1_000) };
const apiKeys = 20;
/** The p99 under attack against the quiet one. */
const target = 3;

/** Creates the attacker's own account: messages, one of which has an external id, and keys. */
async function prepareAttack({ server, port }: Skein): Promise<AttackTask> {
  const { api, projectId, environmentId } = await signUp(server.url);
  const channelId = await createChannel(api, { projectId, environmentId }, 'Attack');
  const secrets: string[] = [];
  for (let i = 0; i < apiKeys; i++) secrets.push(await createApiKey(api, projectId, `Key ${i}`));
  const own = new Api(server.url, secrets[0] ?? '');
  const inbound = { projectId, externalParticipantRef: 'attacker', body: 'hello' };
  const path = `/channels/${channelId}`;
  const { threadId } = await own.post<{ threadId: string }>(`${path}/inbound-messages`, inbound, 'inbound');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const message = { projectId, body: `answer ${i}` };
    const answer = `/threads/${threadId}/messages`;
    ids.push((await own.post<{ messageId: string }>(answer, message, `answer-${i}`)).messageId);
  }
  const [messageId, ...messageIds] = ids;
  const externalMessageId = 'provider-1';
  const receipt = { messageId, externalMessageId, status: 'sent', occurredAt: new Date().toISOString() };
  await own.post(`${path}/receipts`, { projectId, ...receipt }, 'receipt');
  return { port, projectId, channelId, apiKeys: secrets, externalMessageId, messageIds };
}

type Counts = Readonly<Record<string, number>>;

export async function run(database: BenchDatabase): Promise<void> {
  const skein = await startSkein(database, 'skein_abuse', {
    // The honest load is one project with one address, so its own limits are raised.
    RATE_LIMITS: JSON.stringify({
      messageProject: { limit: 1_000_000, windowSeconds: 1 },
      messageThread: { limit: 1_000_000, windowSeconds: 1 },
    }),
    // Its address is not verified.
    LIMITS: JSON.stringify({ unverifiedRowBytes: 2 ** 40 }),
  });
  const task = await prepareAttack(skein);
  const quiet: LoadResult[] = [];
  const attacked: LoadResult[] = [];
  let counts: Counts = {};
  for (let round = 0; round < rounds; round++) {
    quiet.push(await tryLoad({ ...skein.target, ...setting }));
    const attacker = new Child(new URL(import.meta.url), { arguments: ['attacker'] });
    database.endings.teardown(() => attacker.stop());
    await attacker.ask(task);
    attacked.push(await tryLoad({ ...skein.target, ...setting }));
    counts = await attacker.ask<Counts>({ stop: true });
    await attacker.stop();
  }
  console.log(
    `\n${setting.connections} honest connections (medians of ${rounds} rounds of ${setting.measuredMs / 1_000} s)\n`,
  );
  const samples = new Map([
    [{ name: 'quiet' }, quiet],
    [{ name: 'under attack' }, attacked],
  ]);
  const columns = {
    'msgs/s': show('perSecond', count),
    'p50 ms': show('p50Ms', fixed),
    'p99 ms': show('p99Ms', fixed),
    errors: (of: readonly LoadResult[]) => String(of.reduce((sum, { errors }) => sum + errors, 0)),
    [`p99 against quiet (target: under ${target})`]: (
      of: readonly LoadResult[],
      first: readonly LoadResult[],
    ) => (of === first ? '' : times(middle(of, 'p99Ms') / middle(first, 'p99Ms'))),
  };
  console.log(compare(samples, columns));
  console.log('\nWhat the attacker got in the last round\n');
  const rows = Object.entries(counts).map(([name, number]) => [name, count(number)]);
  console.log(table(['', 'times'], rows));
}

// The attacker is a process of its own. Every attack has a bounded rate, so that it leaves the node its share of the processors.

interface AttackTask {
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
/** Uploads, and as many requests, whose bodies come slowly. */
const slowRequests = 200;
const counted: Record<string, number> = {};
const sockets = new Set<Socket>();
let stopped = false;

function add(name: string): void {
  counted[name] = (counted[name] ?? 0) + 1;
}

/** Begins a request, sends no more of it, and begins again when it is cut off. */
function holdOpen(port: number, name: string, head: string, body: string): void {
  if (stopped) return;
  const socket = connect(port, '127.0.0.1', () => {
    add(name);
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
        add(`${name}: ${answer.status}`);
      })
      .catch(() => add(`${name}: no answer`));
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

if (process.argv[2] === 'attacker') {
  serveParent((order: AttackTask | { readonly stop: true }) => {
    if (!('stop' in order)) return attack(order);
    stopped = true;
    for (const socket of sockets) socket.destroy();
    return counted;
  });
}
