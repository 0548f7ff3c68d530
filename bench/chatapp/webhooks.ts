/**
 * Webhooks of the chat provider: how many messages a second become messages of threads, beside those that are posted to a custom channel
 * of the same node; a batch of a thousand; and how soon a webhook is answered at the rate of a busy number.
 *
 * A webhook is answered before it is processed, so its message counts when it is stored. A stitch with an open circuit queues a
 * delivery for each message.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import {
  ChatappProvider,
  createContact,
  createPayload,
  sign,
  writeJson,
} from '../../test/support/chatapp-provider/index.ts';
import { createChannel } from '../demo/account.ts';
import { Api } from '../demo/api.ts';
import { type Business, connectChannel, openBusiness, registerApp } from '../demo/chatapp/business.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { runLoad, type LoadResult, type LoadSetting } from '../support/load.ts';
import { readMetric } from '../support/process-usage.ts';
import { addOpenStitch, startSkein, type Skein } from '../support/skein.ts';
import { count, fixed, median, table, times } from '../support/table.ts';
import { middle, quick } from '../support/turns.ts';

const rounds = quick(9, 1);
const setting = { connections: 256, threads: 1_000, measuredMs: quick(4_000, 300) };
const batchSize = 1_000;
const batches = quick(5, 1);
const paced = { connections: 32, pace: 200, warmupMs: 1_000, measuredMs: quick(10_000, 500) };
const storedWithinMs = 180_000;

interface Setup {
  readonly provider: ChatappProvider;
  readonly business: Business;
  readonly skein: Skein;
  /** The chatapp channel. */
  readonly channelId: string;
  /** The provider posts there. */
  readonly path: string;
  readonly client: pg.Client;
}

async function setUp(database: BenchDatabase): Promise<Setup> {
  const { endings } = database;
  const provider = await ChatappProvider.start();
  endings.teardown(() => provider.stop());
  const skein = await startSkein(database, 'skein_chatapp_webhooks', { CHATAPP_GRAPH_URL: provider.url });
  const client = new pg.Client({ connectionString: skein.databaseUrl });
  await client.connect();
  endings.teardown(() => client.end());
  await client.query('update users set email_verified_at = now()');
  const business = openBusiness(provider);
  const partnerAppCredentialId = await registerApp(new Api(skein.server.url, skein.accessToken), business);
  const { api, projectId } = skein;
  const channelId = await createChannel(api, skein, 'Chat', 'chatapp');
  const { value: accessToken } = provider.accounts.addToken(business.app, business.account);
  await connectChannel(api, { projectId, channelId }, { accessToken, partnerAppCredentialId });
  const path = `/v1/channels/${channelId}/chatapp/webhook`;
  return { provider, business, skein, channelId, path, client };
}

function postWebhooks(
  { skein, business, path }: Setup,
  more: Partial<LoadSetting> = {},
): Promise<LoadResult> {
  const { app, account, number } = business;
  const webhook = { wabaId: account.id, phoneNumberId: number.id, appSecret: app.secret };
  return runLoad({ ...skein.target, path, headers: {}, ...setting, webhook, ...more });
}

async function readCount({ client, channelId }: Setup, of: string): Promise<number> {
  const text = `select count(*)::int as n from ${of}`;
  return (await client.query<{ n: number }>(text, [channelId])).rows[0]?.n ?? 0;
}

/** Resolves when no webhook is open, with the epoch milliseconds of that. */
async function allStored(setup: Setup): Promise<number> {
  const deadline = performance.now() + storedWithinMs;
  while ((await readCount(setup, 'chatapp_open_webhooks where channel_id = $1')) > 0) {
    if (performance.now() > deadline) throw new Error('the webhooks were not processed in time');
    await pause(20);
  }
  const storedAt = Date.now();
  const failed = await readCount(setup, 'chatapp_webhooks where channel_id = $1 and error is not null');
  if (failed > 0) throw new Error(`${failed} webhooks could not be processed`);
  return storedAt;
}

/** Messages a second: those to the custom channel, webhooks until all are stored, and webhooks that are answered. */
async function compare(setup: Setup): Promise<Record<'custom' | 'webhooks' | 'answered', number>> {
  const posted = await runLoad({ ...setup.skein.target, ...setting });
  const before = await readCount(setup, 'messages where channel_id = $1');
  const hooked = await postWebhooks(setup);
  const storedAt = await allStored(setup);
  const stored = (await readCount(setup, 'messages where channel_id = $1')) - before;
  // The load closes its connections at the end, so the answers to some stored webhooks do not arrive.
  if (stored < hooked.succeeded) throw new Error(`${hooked.succeeded} webhooks, ${stored} messages`);
  return {
    custom: (posted.succeeded * 1_000) / (posted.endedAt - posted.startedAt),
    webhooks: (hooked.succeeded * 1_000) / (storedAt - hooked.startedAt),
    answered: (hooked.succeeded * 1_000) / (hooked.endedAt - hooked.startedAt),
  };
}

/** The longest stall of the event loop since the last call: milliseconds, with the 10 between two looks of the node. */
async function readLongestStall({ skein }: Setup): Promise<number> {
  return (await readMetric(skein.server.url, 'nodejs_eventloop_lag_max_seconds')) * 1_000;
}

/** Posts a thousand messages of so many new participants. Gives the time until all are stored, and the longest stall meanwhile. */
async function postBatch(
  setup: Setup,
  participants: number,
  batch: number,
): Promise<Record<'ms' | 'stallMs', number>> {
  const { app, number } = setup.business;
  const phones = Array.from({ length: participants }, (_, index) =>
    String(16_000_000_000 + participants * 1_000 * (batch + 1) + index),
  );
  const messages = Array.from({ length: batchSize }, (_, index) => ({
    id: `wamid.batch-${participants}-${batch}-${index}`,
    from: phones[index % participants],
    timestamp: setup.provider.timestamp(),
    type: 'text',
    text: { body: `message ${index}` },
  }));
  const contacts = phones.map(phone => createContact({ phone }));
  const body = writeJson(createPayload(number, { contacts, messages }));
  await readLongestStall(setup);
  const from = Date.now();
  const response = await fetch(`${setup.skein.server.url}${setup.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': sign(body, app.secret) },
    body,
  });
  if (response.status !== 200) throw new Error(`the batch was answered ${response.status}`);
  return { ms: (await allStored(setup)) - from, stallMs: await readLongestStall(setup) };
}

async function measureBatches(setup: Setup, participants: number): Promise<string[][]> {
  const seen: Record<'ms' | 'stallMs', number>[] = [];
  for (let batch = 0; batch < batches; batch++) seen.push(await postBatch(setup, participants, batch));
  const longest = Math.max(...seen.map(({ stallMs }) => stallMs));
  const name = `a batch of ${count(batchSize)}, of ${count(participants)} new participants: stored`;
  return [
    [name, `${fixed(middle(seen, 'ms'), 0)} ms`, '1,500 ms'],
    ['the longest stall of the event loop', `${fixed(longest)} ms`, '50 ms'],
  ];
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  const setup = await setUp(database);
  await addOpenStitch(setup.skein, database);
  // The first round warms up.
  await compare(setup);
  const seen: Awaited<ReturnType<typeof compare>>[] = [];
  for (let round = 0; round < rounds; round++) seen.push(await compare(setup));
  const batchRows = [...(await measureBatches(setup, 100)), ...(await measureBatches(setup, batchSize))];
  const { p99Ms } = await postWebhooks(setup, paced);
  await allStored(setup);
  const ratio = times(median(seen.map(({ webhooks, custom }) => webhooks / custom)));
  const perSecond = (field: keyof (typeof seen)[0]): string => `${count(middle(seen, field))} a second`;
  console.log(
    `\n${setting.threads} threads, ${setting.connections} connections (medians of ${rounds} rounds)\n`,
  );
  const rows = [
    ['custom inbound messages', perSecond('custom'), ''],
    ['chatapp webhooks of one text each, until all are stored', perSecond('webhooks'), ''],
    ['the same, answered', perSecond('answered'), ''],
    ['stored webhooks against custom messages', ratio, 'at least 0.7 x'],
    ...batchRows,
    [`answered, p99 at ${paced.pace} webhooks a second`, `${fixed(p99Ms)} ms`, '100 ms'],
  ];
  console.log(table(['', 'measured', 'target'], rows));
}
