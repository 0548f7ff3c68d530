/** What happened to a message, for support: its events, deliveries, runs and tool calls. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { MessageTimeline } from '../../../protocol/resources/timeline.ts';
import type { Asked, ListOf } from '../../node/client.ts';
import { newStitch } from '../../node/tenant.ts';
import { newChannel, newThread, sendMessage } from '../../support/conversations.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, startReceiver } from '../../support/receiver.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { key, projectId, environmentId, channelId } = tenant;
const occurredAt = '2026-11-20T10:00:00.000Z';

const [working, failing] = [await startReceiver(t), await startReceiver(t)];
failing.behaviour = answer(503);
const { stitchId } = await newStitch(tenant, working.url());
const { stitchId: failingId } = await newStitch(tenant, failing.url());

const { threadId } = await newThread(tenant, { channelId, externalRef: 'ana' });
const read = (messageId: string) =>
  key.get<MessageTimeline>('getMessageTimeline', { params: { threadId, messageId } });
const receipt = (fields: object, of = channelId) =>
  key.get('recordReceipt', { params: { channelId: of }, body: { projectId, occurredAt, ...fields } });

const { body: before } = await sendMessage(tenant, threadId, { body: 'before' });
const { body: message } = await sendMessage(tenant, threadId, { body: 'this one' });
const { messageId } = message;
// Metadata that contains the id makes no other message part of the timeline.
const { body: other } = await sendMessage(tenant, threadId, {
  body: `"messageId":"${messageId}"`,
  metadata: { messageId },
});
await receipt({ messageId, externalMessageId: 'wamid.1', status: 'sent' });
await receipt({ messageId: other.messageId, status: 'sent' });
await receipt({ externalMessageId: 'wamid.1', status: 'failed', error: { code: '131026' } });

t.test('events in order, with the words of the provider, and their deliveries', async t => {
  const found = await read(messageId);
  t.match(found, { messageId, threadId, projectId, environmentId, externalMessageId: 'wamid.1' });
  t.match(found.events, [
    { eventName: 'thread.message.created', actor: { type: 'api_key' }, sequence: message.sequence },
    { eventName: 'channel.message.requested' },
    { eventName: 'channel.message.sent', reportedAt: occurredAt },
    { eventName: 'channel.message.delivery_failed', error: { code: '131026' } },
  ]);
  t.equal(found.events.length, 4);
  t.equal((await read(before.messageId)).events.length, 2);
  const readDeliveries = async (of: string) =>
    (await read(messageId)).deliveries.filter(each => each.stitchId === of);
  await eventually('deliveries to the endpoint that works', async () => {
    const deliveries = await readDeliveries(stitchId);
    return deliveries.length === 4 && deliveries.every(({ status }) => status === 'delivered');
  });
  for (const each of [stitchId, failingId]) {
    const deliveries = await readDeliveries(each);
    t.ok(deliveries.every(({ stitchName }) => stitchName === 'stitch'));
    t.strictSame(
      deliveries.map(({ eventId }) => eventId),
      found.events.map(({ eventId }) => eventId),
    );
  }
  // An earlier event is retried first.
  t.ok((await readDeliveries(failingId)).every(({ status }) => status === 'pending'));
});

t.test('runs and their tool calls', async t => {
  const agentRunId = newId('run');
  await database.query(
    `insert into agent_runs (agent_run_id, project_id, environment_id, thread_id, input_message_id, output_message_id, status,
      provider, model, mode, tool_call_count, trace, metadata, created_at, updated_at, state, version)
     values ($1, $2, $3, $4, $5, $6, 'succeeded', 'llm_provider_1', 'small', 'auto', 1, '{"steps": []}', '{}', now(), now(), '{}', 1)`,
    [agentRunId, projectId, environmentId, threadId, before.messageId, messageId],
  );
  const toolId = newId('tool');
  const data = { environmentId, threadId, agentRunId, toolId, durationMs: 12, error: null };
  await database.query(
    `insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, thread_id, body)
     select $1, max(seq) + 1000, $2, 'agent.tool.completed', now(), $3, $4, $5 from events where project_id = $1`,
    [projectId, newId('event'), environmentId, threadId, JSON.stringify({ data })],
  );
  for (const id of [messageId, before.messageId]) {
    const { runs, toolCalls } = await read(id);
    t.match(runs, [{ agentRunId, status: 'succeeded', outputMessageId: messageId }]);
    t.match(toolCalls, [{ eventName: 'agent.tool.completed', agentRunId, toolId, durationMs: 12 }]);
  }
  t.match(await read(other.messageId), { runs: [], toolCalls: [] });
});

t.test('a message is found by either of its ids', async t => {
  const find = (query: NonNullable<Asked['query']>) =>
    key.get<ListOf<{ messageId: string; threadId: string }>>('findMessages', { query });
  const getIds = async (query: NonNullable<Asked['query']>) =>
    (await find(query)).data.map(each => each.messageId);
  const externalMessageId = 'wamid.1';
  t.match((await find({ messageId })).data, [{ messageId, threadId, externalMessageId }]);
  t.strictSame(await getIds({ messageId, externalMessageId }), [messageId]);
  t.strictSame(await getIds({ messageId: other.messageId, externalMessageId }), []);
  t.strictSame(await getIds({ externalMessageId: 'wamid' }), [], 'ids are compared as a whole');
  t.equal((await key.ask('findMessages', { query: {} })).status, 422);

  // The providers of two channels may use the same id.
  const second = await newChannel(tenant);
  const elsewhere = await newThread(tenant, { channelId: second.channelId, externalRef: 'ana' });
  const { body: same } = await sendMessage(tenant, elsewhere.threadId);
  await receipt({ messageId: same.messageId, externalMessageId, status: 'sent' }, second.channelId);
  const page = await find({ externalMessageId, limit: 1 });
  t.strictSame(await getIds({ externalMessageId, limit: 1, cursor: page.nextCursor ?? '' }), [
    same.messageId,
  ]);
  t.strictSame(await getIds({ externalMessageId }), [messageId, same.messageId]);
  const params = { threadId: elsewhere.threadId, messageId };
  t.equal((await key.ask('getMessageTimeline', { params })).status, 404, 'a message of another thread');
});
