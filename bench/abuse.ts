/**
 * What honest callers notice of an attacker, on one node with its rate limits on: slow uploads and bodies without a credential, bodies full
 * of unknown fields, wrong receipts, reads with many keys, and polls of what is public, all at once. Quiet rounds and rounds under attack
 * take turns.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { signUp } from './demo/account.ts';
import { Api } from './demo/api.ts';
import type { AttackTask } from './support/attacks.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import type { LoadResult } from './support/load.ts';
import { runLoad } from './support/run-load.ts';
import { startSkein, type Skein } from './support/skein.ts';
import { count, fixed, median, table, times } from './support/table.ts';

const rounds = 3;
const measuredMs = 8_000;
/** Honest connections, each with one message in flight. */
const connections = 16;
const apiKeys = 20;
/** Of the p99 under attack against the quiet one. */
const target = 3;

/** The attacker's own account: messages, one of which has an external id, and keys. */
async function prepareAttack(skein: Skein): Promise<AttackTask> {
  const { api, projectId, environmentId } = await signUp(skein.server.url);
  const { channelId } = await api.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Attack',
    kind: 'custom',
  });
  const secrets: string[] = [];
  for (let i = 0; i < apiKeys; i++) {
    const scopes = ['*'];
    const key = { projectId, name: `Key ${i}`, environment: 'test', scopes };
    secrets.push((await api.post<{ secret: string }>('/api-keys', key)).secret);
  }
  const own = new Api(skein.server.url, secrets[0] ?? '');
  const inbound = { projectId, externalParticipantRef: 'attacker', body: 'hello' };
  const { threadId } = await own.post<{ threadId: string }>(
    `/channels/${channelId}/inbound-messages`,
    inbound,
    'inbound',
  );
  const messageIds: string[] = [];
  for (let i = 0; i < 5; i++) {
    const message = { projectId, body: `answer ${i}` };
    const path = `/threads/${threadId}/messages`;
    messageIds.push((await own.post<{ messageId: string }>(path, message, `answer-${i}`)).messageId);
  }
  const [first, ...others] = messageIds;
  const externalMessageId = 'provider-1';
  await own.post(
    `/channels/${channelId}/receipts`,
    { projectId, messageId: first, externalMessageId, status: 'sent', occurredAt: new Date().toISOString() },
    'receipt',
  );
  return { port: skein.port, projectId, channelId, apiKeys: secrets, externalMessageId, messageIds: others };
}

function measure(skein: Skein): Promise<LoadResult> {
  return runLoad({
    ports: [skein.port],
    path: `/v1/channels/${skein.channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${skein.apiKey}` },
    projectId: skein.projectId,
    connections,
    threads: 1_000,
    warmupMs: 1_000,
    measuredMs,
  });
}

async function measureUnderAttack(
  skein: Skein,
  task: AttackTask,
): Promise<{ readonly result: LoadResult; readonly counts: Readonly<Record<string, number>> }> {
  const attacker = fork(new URL('./support/attacks.ts', import.meta.url), { execPath: process.execPath });
  attacker.send(task);
  const result = await measure(skein);
  attacker.send('stop');
  const [counts] = (await once(attacker, 'message')) as [Readonly<Record<string, number>>];
  return { result, counts };
}

export async function benchAbuse(database: BenchDatabase): Promise<void> {
  const skein = await startSkein(database, 'skein_abuse', {
    // The load is one project with one address: its own limits are not what is measured.
    RATE_LIMITS: JSON.stringify({
      messageProject: { limit: 1_000_000, windowSeconds: 1 },
      messageThread: { limit: 1_000_000, windowSeconds: 1 },
    }),
  });
  try {
    const task = await prepareAttack(skein);
    const quiet: LoadResult[] = [];
    const attacked: LoadResult[] = [];
    let counts: Readonly<Record<string, number>> = {};
    for (let round = 0; round < rounds; round++) {
      quiet.push(await measure(skein));
      const under = await measureUnderAttack(skein, task);
      attacked.push(under.result);
      counts = under.counts;
    }
    print(quiet, attacked, counts);
  } finally {
    await skein.stop();
  }
}

function print(
  quiet: readonly LoadResult[],
  attacked: readonly LoadResult[],
  counts: Readonly<Record<string, number>>,
): void {
  const row = (name: string, results: readonly LoadResult[], ratio: string): string[] => [
    name,
    count(median(results.map(({ perSecond }) => perSecond))),
    fixed(median(results.map(({ p50Ms }) => p50Ms))),
    fixed(median(results.map(({ p99Ms }) => p99Ms))),
    String(results.reduce((sum, { errors }) => sum + errors, 0)),
    ratio,
  ];
  const p99 = (results: readonly LoadResult[]): number => median(results.map(({ p99Ms }) => p99Ms));
  const title = `${connections} honest connections (medians of ${rounds} rounds of ${measuredMs / 1_000} s)`;
  console.log(`\n${title}\n`);
  const head = ['', 'msgs/s', 'p50 ms', 'p99 ms', 'errors', `p99 against quiet (target: under ${target})`];
  const rows = [row('quiet', quiet, ''), row('under attack', attacked, times(p99(attacked) / p99(quiet)))];
  console.log(table(head, rows));
  console.log('\nWhat the attacker got in the last round\n');
  console.log(
    table(
      ['', 'times'],
      Object.entries(counts).map(([name, number]) => [name, count(number)]),
    ),
  );
}
