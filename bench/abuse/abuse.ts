/**
 * The cost of an attacker for honest callers, on one node with its rate limits on: slow uploads and bodies without a credential, bodies full
 * of unknown fields, wrong receipts, reads with many keys, and polls of what is public, all at once. Quiet rounds and rounds under attack
 * take turns.
 */
import { createApiKey, createChannel, signUp } from '../demo/account.ts';
import { Api } from '../demo/api.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child } from '../support/child.ts';
import { tryLoad, type LoadResult } from '../support/load.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import { count, fixed, table, times } from '../support/table.ts';
import { compare, middle, quick, show } from '../support/turns.ts';
import type { AttackTask } from './attacks.ts';

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
  });
  try {
    const task = await prepareAttack(skein);
    const quiet: LoadResult[] = [];
    const attacked: LoadResult[] = [];
    let counts: Counts = {};
    for (let round = 0; round < rounds; round++) {
      quiet.push(await tryLoad({ ...skein.target, ...setting }));
      const attacker = new Child(new URL('./attacks.ts', import.meta.url));
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
  } finally {
    await skein.stop();
  }
}
