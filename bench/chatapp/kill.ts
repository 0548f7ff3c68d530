/**
 * kill -9 at random moments while participants write and are answered: every message of a participant has to be stored once, however often
 * its webhook came, and no answer may reach the provider twice. An answer whose fate nobody can know, because the node ended in the middle
 * of its call, is not sent again: it is counted on its own where the provider never got it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { deriveThreadId } from '../../protocol/ids.ts';
import { createContact, createPayload, type Json } from '../../test/support/chatapp-provider/index.ts';
import { ApiError, type Message } from '../demo/api.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { count, table } from '../support/table.ts';
import { quick } from '../support/turns.ts';
import { type ChatappSetup, withChatapp } from './chatapp-setup.ts';

const participants = quick(1_000, 50);
const perParticipant = 2;
/** Not the number of the business. */
const firstPhone = 15_570_000_000;
const atOnce = 24;
const duplicated = 0.3;
const killEveryMs = 2_500;
const settledWithinMs = 180_000;

interface Written {
  readonly inbound: readonly string[];
  /** The answers that were acknowledged. */
  readonly outbound: readonly string[];
  readonly webhooks: number;
}

/** A participant writes, and the webhook comes until it is answered 200; some come twice at once. */
async function write({ provider, business }: ChatappSetup, phone: string): Promise<[string, number]> {
  const [written] = provider.compose(business.number, { phone }, { type: 'text', text: { body: 'Hello' } });
  const contacts = [createContact({ phone })];
  const payload = createPayload(business.number, { contacts, messages: [written] });
  const copies = Math.random() < duplicated ? 2 : 1;
  const deliver = () => provider.deliver(business.number, payload);
  const deliveries = (await Promise.all(Array.from({ length: copies }, deliver))).flat();
  if (deliveries.some(({ delivered }) => !delivered)) throw new Error('a webhook was never taken');
  return [String((written as Json)['id']), copies];
}

/** Answers the participant, and repeats the request under its key until it is acknowledged. */
async function reply({ skein, channelId }: ChatappSetup, phone: string, body: string): Promise<string> {
  const threadId = deriveThreadId(skein.environmentId, channelId, phone);
  const key = randomUUID();
  for (;;) {
    try {
      const given = { projectId: skein.projectId, body };
      return (await skein.api.post<Message>(`/threads/${threadId}/messages`, given, key)).messageId;
    } catch (error) {
      // The node is down, or has not worked through the participant's first webhook yet.
      const isRetryable = !(error instanceof ApiError) || error.status >= 500 || error.status === 404;
      if (!isRetryable) throw error;
      await pause(50);
    }
  }
}

async function talk(setup: ChatappSetup): Promise<Written> {
  const inbound: string[] = [];
  const outbound: string[] = [];
  let webhooks = 0;
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < participants) {
      const phone = String(firstPhone + next++);
      for (let turn = 0; turn < perParticipant; turn++) {
        const [id, copies] = await write(setup, phone);
        inbound.push(id);
        webhooks += copies;
        outbound.push(await reply(setup, phone, `answer ${turn}`));
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return { inbound, outbound, webhooks };
}

/** Kills the node and starts it again until the signal; gives how often. */
async function keepKilling({ server }: ChatappSetup['skein'], signal: AbortSignal): Promise<number> {
  let kills = 0;
  for (;;) {
    await pause(Math.random() * killEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return kills;
    await server.kill();
    await server.start();
    kills++;
  }
}

/** Waits until every webhook is worked through, and nothing waits to be sent. */
async function settled({ query }: ChatappSetup): Promise<void> {
  const deadline = performance.now() + settledWithinMs;
  for (;;) {
    const [row] = await query<{ isOpen: boolean }>(
      `select exists (select from chatapp_open_webhooks)
         or exists (select from chatapp_sends where status in ('queued', 'sending')) as "isOpen"`,
    );
    if (row?.isOpen === false) return;
    if (performance.now() > deadline) throw new Error('not everything was worked through in time');
    await pause(200);
  }
}

async function verify(setup: ChatappSetup, { inbound, outbound }: Written): Promise<readonly string[][]> {
  const { provider, query, channelId } = setup;
  const stored = new Map<string, number>();
  for (const { id } of await query<{ id: string }>(
    `select external_message_id as id from messages where channel_id = $1 and direction = 'inbound'`,
    [channelId],
  )) {
    stored.set(id, (stored.get(id) ?? 0) + 1);
  }
  const arrived = new Map<string, number>();
  for (const { callbackData = '' } of provider.messages.sent) {
    arrived.set(callbackData, (arrived.get(callbackData) ?? 0) + 1);
  }
  const unknown = new Set(
    (await query<{ id: string }>(`select message_id as id from chatapp_sends where status = 'unknown'`)).map(
      ({ id }) => id,
    ),
  );
  const missing = outbound.filter(id => !arrived.has(id));
  const doubled = (found: ReadonlyMap<string, number>): number =>
    [...found.values()].filter(times => times > 1).length;
  return [
    ['messages of participants', count(inbound.length), ''],
    ['of them lost', count(inbound.filter(id => !stored.has(id)).length), '0'],
    ['of them stored twice', count(doubled(stored)), '0'],
    ['answers', count(outbound.length), ''],
    ['of them lost', count(missing.filter(id => !unknown.has(id)).length), '0'],
    ['of them twice at the provider', count(doubled(arrived)), '0'],
    [
      'not at the provider, and said to be of unknown outcome',
      count(missing.filter(id => unknown.has(id)).length),
      '',
    ],
  ];
}

export async function run(database: BenchDatabase): Promise<void> {
  await withChatapp(database, 'skein_chatapp_kill', async setup => {
    const { provider, skein } = setup;
    const { deliveries, messages } = provider;
    // No participant is throttled, and the provider tries for longer than a start takes.
    Object.assign(messages.rules, { throughput: 1_000, pairBurst: 1_000 });
    deliveries.retryMs = [0, 50, 100, 200, ...Array.from({ length: 120 }, () => 500)];
    const reports: Promise<unknown>[] = [];
    messages.accepted = sent => reports.push(provider.report(sent, 'delivered'));
    const stop = new AbortController();
    const killing = keepKilling(skein, stop.signal);
    let written: Written;
    try {
      written = await talk(setup);
    } finally {
      stop.abort();
    }
    const kills = await killing;
    await settled(setup);
    await Promise.all(reports);
    await settled(setup);
    console.log(`\nkill -9, ${kills} times, while ${count(participants)} participants are answered\n`);
    const rows = [['webhooks of them, duplicates included', count(written.webhooks), '']];
    console.log(table(['', 'seen', 'target'], [...rows, ...(await verify(setup, written))]));
  });
}
