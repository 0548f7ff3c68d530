/**
 * The cost of attackers for honest callers, on one node with its rate limits on. Quiet rounds and rounds under attack take turns. All attacks
 * run at once (attacker.ts): slow readers of large list pages, a new account that writes as much as it may, webhooks to one host, gRPC calls
 * without a token, agents that answer each other, and requests that are cheap to send and costly to refuse.
 */
import { createApiKey, createChannel, signUp, type Account } from '../demo/account.ts';
import { Api } from '../demo/api.ts';
import { freePort } from '../demo/server.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { Child } from '../support/child.ts';
import { tryLoad, type LoadResult } from '../support/load.ts';
import { residentBytes } from '../support/process-usage.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import { count, fixed, table, times } from '../support/table.ts';
import { compare, middle, quick, show } from '../support/turns.ts';
import type { Attacked, AttackTask } from './attacker.ts';

const rounds = quick(3, 1);
const setting = { connections: 16, threads: 1_000, warmupMs: 1_000, measuredMs: quick(8_000, 3_000) };
const apiKeys = 20;
/** Threads of the large pages, and bytes of each of their free-form fields: nearly as many as a request may bring. */
const largeThreads = 100;
const largeBytes = 16_000;
/** The p99 under attack against the quiet one. */
const target = 3;
const targetMebibytes = 1_024;
const serviceToken = 'token-of-the-benchmark-0123456789abcdef';

/** The attacker's threads, and messages, one of which has an external id. */
async function writeMessages(own: Api, { projectId }: Attacked, channelId: string): Promise<string[]> {
  const path = `/channels/${channelId}`;
  const inbound = { projectId, externalParticipantRef: 'attacker', body: 'hello' };
  const { threadId } = await own.post<{ threadId: string }>(`${path}/inbound-messages`, inbound, 'inbound');
  const ids: string[] = [];
  for (let i = 0; i < 5; i++) {
    const message = { projectId, body: `answer ${i}` };
    const answer = `/threads/${threadId}/messages`;
    ids.push((await own.post<{ messageId: string }>(answer, message, `answer-${i}`)).messageId);
  }
  return ids;
}

async function openAccount({ api, projectId, environmentId }: Account, keys: number): Promise<Attacked> {
  const channelId = await createChannel(api, { projectId, environmentId }, 'Attack');
  const secrets: string[] = [];
  for (let i = 0; i < keys; i++) secrets.push(await createApiKey(api, projectId, `Key ${i}`));
  return { projectId, environmentId, channelId, apiKeys: secrets };
}

/** An agent that answers every message, and a model that always has an answer. */
async function addAgent({ api, projectId }: Account, channelId: string): Promise<void> {
  const provider = 'llm_provider_1';
  await api.post('/byok-credentials', { projectId, provider, displayName: 'Loop', secret: 'bench-key' });
  const loom = { projectId, name: 'Loop', systemPrompt: 'Answer.', provider, model: 'bench' };
  const { loomId } = await api.post<{ loomId: string }>('/looms', loom);
  const agent = { projectId, name: 'Loop', mode: 'auto', loomId };
  const { agentId } = await api.post<{ agentId: string }>('/agents', agent);
  await api.patch(`/channels/${channelId}`, { projectId, defaultAgentId: agentId });
}

async function prepareAttack(skein: Skein, database: BenchDatabase, grpcPort: number): Promise<AttackTask> {
  const { server, port } = skein;
  const reader = await openAccount(await signUp(server.url), apiKeys);
  const own = new Api(server.url, reader.apiKeys[0] ?? '');
  const ids = await writeMessages(own, reader, reader.channelId);
  const [messageId, ...messageIds] = ids;
  const externalMessageId = 'provider-1';
  const receipt = { messageId, externalMessageId, status: 'sent', occurredAt: new Date().toISOString() };
  await own.post(
    `/channels/${reader.channelId}/receipts`,
    { projectId: reader.projectId, ...receipt },
    'receipt',
  );
  const { projectId, environmentId } = reader;
  for (let i = 0; i < largeThreads; i++)
    await own.post('/threads', { projectId, environmentId }, `thread-${i}`);
  // As requests would make them, in less time.
  await database.query(
    skein.databaseUrl,
    `update threads t set metadata = value, custom_fields = value
     from (select jsonb_build_object('a', left(string_agg(md5(n::text), ''), ${largeBytes})) as value
       from generate_series(1, ${Math.ceil(largeBytes / 32)}) n) v
     where t.project_id = $1`,
    [projectId],
  );
  // A new account, whose address is not verified.
  const account = await signUp(server.url);
  const writer = await openAccount(account, 1);
  await addAgent(account, writer.channelId);
  return { port, grpcPort, reader, writer, externalMessageId, messageIds };
}

type Counts = Readonly<Record<string, number>>;

/** A load, and the most memory that the node took meanwhile. */
interface Round extends LoadResult {
  readonly mebibytes: number;
}

async function measure(skein: Skein): Promise<Round> {
  let most = 0;
  const look = (): void => {
    most = Math.max(most, residentBytes(skein.server.pid));
  };
  const timer = setInterval(look, 100);
  try {
    const result = await tryLoad({ ...skein.target, ...setting });
    look();
    return { ...result, mebibytes: most / 2 ** 20 };
  } finally {
    clearInterval(timer);
  }
}

export async function run(database: BenchDatabase): Promise<void> {
  const model = new Child(new URL('../agents/model-server.ts', import.meta.url));
  database.endings.teardown(() => model.stop());
  const grpcPort = await freePort();
  const skein = await startSkein(database, 'skein_abuse', {
    LLM_PROVIDER_1_URL: `http://127.0.0.1:${await model.hear<number>()}/v1`,
    GRPC_PORT: String(grpcPort),
    SERVICE_TOKENS: `bench:${serviceToken}`,
    // The honest load is one project with one address, so its own limits are raised.
    RATE_LIMITS: JSON.stringify({
      messageProject: { limit: 1_000_000, windowSeconds: 1 },
      messageThread: { limit: 1_000_000, windowSeconds: 1 },
    }),
  });
  const task = await prepareAttack(skein, database, grpcPort);
  const quiet: Round[] = [];
  const attacked: Round[] = [];
  let counts: Counts = {};
  for (let round = 0; round < rounds; round++) {
    quiet.push(await measure(skein));
    const attacker = new Child(new URL('./attacker.ts', import.meta.url));
    database.endings.teardown(() => attacker.stop());
    await attacker.ask(task);
    attacked.push(await measure(skein));
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
    errors: (of: readonly Round[]) => String(of.reduce((sum, { errors }) => sum + errors, 0)),
    [`node MiB at most (target: under ${targetMebibytes})`]: (of: readonly Round[]) =>
      count(Math.max(...of.map(({ mebibytes }) => mebibytes))),
    [`p99 against quiet (target: under ${target})`]: (of: readonly Round[], first: readonly Round[]) =>
      of === first ? '' : times(middle(of, 'p99Ms') / middle(first, 'p99Ms')),
  };
  console.log(compare(samples, columns));
  console.log('\nWhat the attacker got in the last round\n');
  const rows = Object.entries(counts)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, number]) => [name, count(number)]);
  console.log(table(['', 'times'], rows));
}
