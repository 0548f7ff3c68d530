/**
 * Webhooks of the chat provider: how many messages a second become messages of threads, beside those that are posted to a custom channel
 * of the same node; a batch of a thousand; and how soon a webhook is answered at the rate of a busy number.
 *
 * A webhook is answered before it is worked through, so its message counts when it is stored, and not when it is answered. Both kinds of
 * messages take turns, and the medians of the rounds are compared. A stitch whose circuit is open queues a delivery for each.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { createContact, createPayload, sign, writeJson } from '../../test/support/chatapp-provider/index.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { runLoad, type LoadResult, type LoadSetting } from '../support/load.ts';
import { readMetric } from '../support/metric.ts';
import { addOpenStitch } from '../support/skein.ts';
import { count, fixed, median, table, times } from '../support/table.ts';
import { middle, quick } from '../support/turns.ts';
import { type ChatappSetup, withChatapp } from './chatapp-setup.ts';

const rounds = quick(9, 1);
const measuredMs = quick(4_000, 300);
const connections = 256;
const threads = 1_000;
const batchSize = 1_000;
const batches = quick(5, 1);
const pace = 200;
const pacedMs = quick(10_000, 500);
const storedWithinMs = 180_000;

interface Rates {
  readonly custom: number;
  readonly webhooks: number;
  readonly answered: number;
}

function postWebhooks(
  { skein, business, webhookPath: path }: ChatappSetup,
  setting: Partial<LoadSetting> = {},
): Promise<LoadResult> {
  const { app, account, number } = business;
  const webhook = { wabaId: account.id, phoneNumberId: number.id, appSecret: app.secret };
  const target = { ...skein.target, path, headers: {} };
  return runLoad({ ...target, connections, measuredMs, threads, webhook, ...setting });
}

/** When the last webhook of the channel was worked through, in epoch milliseconds; waits until none is left. */
async function allStored({ query, channelId }: ChatappSetup): Promise<number> {
  const deadline = performance.now() + storedWithinMs;
  for (;;) {
    const [row] = await query<{ isOpen: boolean }>(
      'select exists (select from chatapp_open_webhooks where channel_id = $1) as "isOpen"',
      [channelId],
    );
    if (row?.isOpen !== true) break;
    if (performance.now() > deadline) throw new Error('the webhooks were not worked through in time');
    await pause(20);
  }
  const storedAt = Date.now();
  const failed = 'select from chatapp_webhooks where channel_id = $1 and error is not null';
  if ((await query(failed, [channelId])).length > 0) throw new Error('webhooks could not be worked through');
  return storedAt;
}

async function countMessages({ query, channelId }: ChatappSetup): Promise<number> {
  const [row] = await query<{ found: string }>(
    'select count(*) as found from messages where channel_id = $1',
    [channelId],
  );
  return Number(row?.found);
}

async function compare(setup: ChatappSetup): Promise<Rates> {
  const { skein } = setup;
  const posted = await runLoad({ ...skein.target, connections, measuredMs, threads });
  const before = await countMessages(setup);
  const hooked = await postWebhooks(setup);
  const storedAt = await allStored(setup);
  const stored = (await countMessages(setup)) - before;
  if (stored !== hooked.succeeded) throw new Error(`${hooked.succeeded} webhooks, ${stored} messages`);
  return {
    custom: (posted.succeeded * 1_000) / (posted.endedAt - posted.startedAt),
    webhooks: (hooked.succeeded * 1_000) / (storedAt - hooked.startedAt),
    answered: (hooked.succeeded * 1_000) / (hooked.endedAt - hooked.startedAt),
  };
}

/** The longest that the event loop stood still since the last call, in milliseconds; with the 10 between two looks of the node. */
async function readLongestStall({ skein }: ChatappSetup): Promise<number> {
  return (await readMetric(skein.server.url, 'nodejs_eventloop_lag_max_seconds')) * 1_000;
}

/** Posts a thousand messages at once; gives the milliseconds until all are stored, and the longest stall meanwhile. */
async function postBatch(
  setup: ChatappSetup,
  participants: readonly string[],
  run: string,
): Promise<{ readonly ms: number; readonly stallMs: number }> {
  const { app, number } = setup.business;
  const messages = Array.from({ length: batchSize }, (_, index) => ({
    id: `wamid.${run}-${index}`,
    from: participants[index % participants.length],
    timestamp: setup.provider.timestamp(),
    type: 'text',
    text: { body: `message ${index}` },
  }));
  const contacts = participants.map(phone => createContact({ phone }));
  const body = writeJson(createPayload(number, { contacts, messages }));
  await readLongestStall(setup);
  const from = Date.now();
  const response = await fetch(`${setup.skein.server.url}${setup.webhookPath}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': sign(body, app.secret) },
    body,
  });
  if (response.status !== 200) throw new Error(`the batch was answered ${response.status}`);
  const ms = (await allStored(setup)) - from;
  return { ms, stallMs: await readLongestStall(setup) };
}

async function postBatches(
  setup: ChatappSetup,
  participants: number,
): Promise<{ readonly ms: number; readonly stallMs: number }> {
  const seen: { readonly ms: number; readonly stallMs: number }[] = [];
  for (let batch = 0; batch < batches; batch++) {
    // Nobody of an earlier batch: every thread is new.
    const phones = Array.from({ length: participants }, (_, index) =>
      String(16_000_000_000 + participants * 1_000 * (batch + 1) + index),
    );
    seen.push(await postBatch(setup, phones, `batch-${participants}-${batch}`));
  }
  return {
    ms: median(seen.map(({ ms }) => ms)),
    stallMs: Math.max(...seen.map(({ stallMs }) => stallMs)),
  };
}

export async function run(database: BenchDatabase): Promise<void> {
  await database.warm();
  await withChatapp(database, 'skein_chatapp_webhooks', async setup => {
    await addOpenStitch(setup.skein, database);
    const seen: Rates[] = [];
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) seen.push(await compare(setup));
    seen.shift();
    const few = await postBatches(setup, 100);
    const many = await postBatches(setup, batchSize);
    const paced = await postWebhooks(setup, {
      connections: 32,
      pace,
      warmupMs: 1_000,
      measuredMs: pacedMs,
    });
    await allStored(setup);
    const ratio = times(median(seen.map(({ webhooks, custom }) => webhooks / custom)));
    console.log(`\n${threads} threads, ${connections} connections (medians of ${rounds} rounds)\n`);
    const rows = [
      ['custom inbound messages', `${count(middle(seen, 'custom'))} a second`, ''],
      [
        'chatapp webhooks of one text each, until all are stored',
        `${count(middle(seen, 'webhooks'))} a second`,
        '',
      ],
      ['the same, answered', `${count(middle(seen, 'answered'))} a second`, ''],
      ['stored webhooks against custom messages', ratio, 'at least 0.7 x'],
      [
        `a batch of ${count(batchSize)}, of 100 new participants: stored`,
        `${fixed(few.ms, 0)} ms`,
        '1,500 ms',
      ],
      ['the longest stall of the event loop', `${fixed(few.stallMs)} ms`, '50 ms'],
      [
        `a batch of ${count(batchSize)}, each of a new participant: stored`,
        `${fixed(many.ms, 0)} ms`,
        '1,500 ms',
      ],
      ['the longest stall of the event loop', `${fixed(many.stallMs)} ms`, '50 ms'],
      [`answered, p99 at ${pace} webhooks a second`, `${fixed(paced.p99Ms)} ms`, '100 ms'],
    ];
    console.log(table(['', 'measured', 'target'], rows));
  });
}
