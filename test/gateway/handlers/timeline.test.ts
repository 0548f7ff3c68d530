import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { MessageTimeline } from '../../../protocol/resources/timeline.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);

t.test('the timeline of a message', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, environmentId, secret } = tenant;
  const { channelId } = await node.channel(tenant);
  const timeline = async (threadId: string, messageId: string, bearer = secret) =>
    node.ask<MessageTimeline>('getMessageTimeline', bearer, { params: { threadId, messageId } });
  const receipt = (about: object, status: string, more: object = {}) =>
    node.ask('recordReceipt', secret, {
      params: { channelId },
      body: { projectId, ...about, status, occurredAt: '2026-11-20T10:00:00.000Z', ...more },
    });

  const stitchIds = [newId('stitch'), newId('stitch')];
  await database.query(
    `insert into stitches (stitch_id, project_id, environment_id, name, webhook_url, status, created_at, updated_at, state, version)
     select id, $2, $3, 'of ' || id, 'https://example.com/', 'active', now(), now(), '{"ownerNews":[],"replays":[]}', 1
     from unnest($1::text[]) id`,
    [stitchIds, projectId, environmentId],
  );
  for (const stitchId of stitchIds) {
    await database.query(`select skein_follow($1, '{}', 0, '{}', now())`, [stitchId]);
  }
  const { threadId } = await node.thread(tenant, { channelId, externalRef: 'ana' });
  const { body: before } = await node.send(tenant, threadId, 'before');
  const { body: message } = await node.send(tenant, threadId, 'this one');
  const { messageId } = message;
  // Metadata that names the message is none of its events.
  const bait = { projectId, body: `"messageId":"${messageId}"`, metadata: { messageId } };
  const { body: other } = await node.send(tenant, threadId, '', { body: bait });
  await receipt({ messageId, externalMessageId: 'wamid.1' }, 'sent');
  await receipt({ messageId: other.messageId }, 'sent');
  await receipt({ externalMessageId: 'wamid.1' }, 'failed', { error: { code: '131026' } });

  t.test('its events in order, with what the provider said', async t => {
    const { status, body } = await timeline(threadId, messageId);
    t.equal(status, 200);
    t.match(body, { messageId, threadId, projectId, environmentId, externalMessageId: 'wamid.1' });
    t.match(body.events, [
      { eventName: 'thread.message.created', actor: { type: 'api_key' }, sequence: message.sequence },
      { eventName: 'channel.message.requested' },
      { eventName: 'channel.message.sent', reportedAt: '2026-11-20T10:00:00.000Z' },
      { eventName: 'channel.message.delivery_failed', error: { code: '131026' } },
    ]);
    t.equal(body.events.length, 4);
    t.equal(body.deliveries.length, 8, 'each to two stitches');
    t.strictSame(
      body.deliveries.map(({ eventId }) => eventId),
      body.events.flatMap(({ eventId }) => [eventId, eventId]),
    );
    const named = (stitchId: string | null | undefined) => `of ${stitchId ?? ''}`;
    for (const { stitchId, stitchName } of body.deliveries) t.equal(stitchName, named(stitchId));
    // As it is once somebody has sent it.
    await database.query(
      `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq,
         event_name, event_at, thread_id, status, attempt_count, trigger, updated_at)
       select skein_delivery_id(event_id, $1), occurred_at, project_id, environment_id, $1, event_id, seq, event_name, occurred_at,
         thread_id, 'delivered', 1, 'scheduled', now() from events where event_id = $2`,
      [stitchIds[0], body.events[0]?.eventId],
    );
    const { deliveries } = (await timeline(threadId, messageId)).body;
    const sent = deliveries.find(({ status: is }) => is === 'delivered');
    t.match(sent, { stitchId: stitchIds[0], stitchName: named(stitchIds[0]) });
    t.equal((await timeline(threadId, before.messageId)).body.events.length, 2);
  });

  t.test('the runs and tool calls it had', async t => {
    const run = newId('run');
    await database.query(
      `insert into agent_runs (agent_run_id, project_id, environment_id, thread_id, input_message_id, output_message_id, status,
        provider, model, mode, tool_call_count, trace, metadata, created_at, updated_at, state, version)
       values ($1, $2, $3, $4, $5, $6, 'succeeded', 'llm_provider_1', 'small', 'auto', 1, '{"steps": []}', '{}', now(), now(), '{}', 1)`,
      [run, projectId, environmentId, threadId, before.messageId, messageId],
    );
    const { seq } = (
      await database.query<{ seq: number }>('select max(seq) as seq from events where project_id = $1', [
        projectId,
      ])
    )[0] ?? { seq: 0 };
    const toolId = newId('tool');
    const data = { environmentId, threadId, agentRunId: run, toolId, durationMs: 12, error: null };
    await database.query(
      `insert into events (project_id, seq, event_id, event_name, occurred_at, environment_id, thread_id, body)
       values ($1, $2, $3, 'agent.tool.completed', now(), $4, $5, $6)`,
      [projectId, seq + 1_000, newId('event'), environmentId, threadId, JSON.stringify({ data })],
    );
    for (const id of [messageId, before.messageId]) {
      const { body } = await timeline(threadId, id);
      t.match(body.runs, [{ agentRunId: run, status: 'succeeded', outputMessageId: messageId }]);
      t.match(body.toolCalls, [
        { eventName: 'agent.tool.completed', agentRunId: run, toolId, durationMs: 12 },
      ]);
    }
    const { body } = await timeline(threadId, other.messageId);
    t.strictSame([body.runs, body.toolCalls], [[], []]);
  });

  t.test('it is found by either id, in its environment alone', async t => {
    const find = (query: Readonly<Record<string, string | number>>, bearer = secret) =>
      node.ask<{
        data: { messageId: string; threadId: string }[];
        nextCursor: string | null;
        hasMore: boolean;
      }>('findMessages', bearer, { query });
    const found = async (query: Parameters<typeof find>[0], bearer = secret) =>
      (await find(query, bearer)).body.data.map(each => each.messageId);
    t.match((await find({ messageId })).body.data, [{ messageId, threadId, externalMessageId: 'wamid.1' }]);
    t.strictSame(await found({ externalMessageId: 'wamid.1' }), [messageId]);
    t.strictSame(await found({ messageId, externalMessageId: 'wamid.1' }), [messageId]);
    t.strictSame(await found({ messageId: other.messageId, externalMessageId: 'wamid.1' }), []);
    t.strictSame(await found({ externalMessageId: 'wamid' }), [], 'the whole id');
    t.strictSame(await found({ messageId: newId('message') }), []);
    const missing = await find({});
    t.equal(missing.status, 422);

    // Another channel has a message that its provider calls the same.
    const second = await node.channel(tenant);
    const elsewhere = await node.thread(tenant, { channelId: second.channelId, externalRef: 'ana' });
    const { body: same } = await node.send(tenant, elsewhere.threadId, 'elsewhere');
    await node.ask('recordReceipt', secret, {
      params: { channelId: second.channelId },
      body: {
        projectId,
        messageId: same.messageId,
        externalMessageId: 'wamid.1',
        status: 'sent',
        occurredAt: '2026-11-20T10:00:00.000Z',
      },
    });
    const first = (await find({ externalMessageId: 'wamid.1', limit: 1 })).body;
    t.strictSame([first.data.map(each => each.messageId), first.hasMore], [[messageId], true]);
    const rest = { externalMessageId: 'wamid.1', limit: 1, cursor: first.nextCursor ?? '' };
    t.strictSame(await found(rest), [same.messageId]);

    const outsider = await node.tenant();
    t.strictSame(await found({ messageId }, outsider.secret), []);
    t.strictSame(await found({ externalMessageId: 'wamid.1' }, outsider.secret), []);
    t.equal((await find({ projectId, environmentId, messageId }, outsider.token)).status, 404);
    t.strictSame(await found({ projectId, environmentId, messageId }, tenant.token), [messageId]);
    t.equal((await find({ messageId }, await node.getKey(tenant, ['threads:read']))).status, 403);
  });

  t.test('of another thread, tenant or scope: none', async t => {
    const elsewhere = await node.thread(tenant);
    const outsider = await node.tenant();
    t.equal((await timeline(elsewhere.threadId, messageId)).status, 404);
    t.equal((await timeline(threadId, newId('message'))).status, 404);
    t.equal((await timeline(threadId, messageId, outsider.secret)).status, 404);
    t.equal((await timeline(threadId, messageId, outsider.token)).status, 404);
    t.equal((await timeline(threadId, messageId, await node.getKey(tenant, ['threads:read']))).status, 403);
    t.equal((await timeline(threadId, messageId, tenant.token)).status, 200);
  });
});
