/** The event log over the public API. Isolation, permissions and limits: test/contract. */
import t from 'tap';
import { eventTypes } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { EventEnvelope, EventTypeEntry } from '../../../protocol/resources/event.ts';
import { appendEvents } from '../../../storage/events/append-events.ts';
import { eventPage } from '../../../storage/events/event-log.ts';
import type { Asked, ListOf } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { newScopedKey, receiveMessage } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';
import { numbers } from '../stream/stream-fixture.ts';

const skein = await shareSkein(t);
const { database } = skein;

type Polled = ListOf<EventEnvelope & { readonly seq: number }>;
const eventName = 'thread.message.received';

/** Commits events of a tenant's sandbox, each in a transaction of its own. */
async function commit({ projectId, environmentId }: Tenant, ...events: readonly object[]): Promise<void> {
  for (const data of events) {
    await database
      .em()
      .transactional(em => appendEvents(em, [{ projectId, environmentId, eventName, data: { ...data } }]));
  }
}
const list = ({ person, projectId }: Tenant, query: object = {}) =>
  person.get<ListOf<EventEnvelope>>('listEvents', { query: { projectId, eventName, ...query } });
const poll = ({ person, projectId }: Tenant, query: NonNullable<Asked['query']> = {}) =>
  person.get<Polled>('listStreamEvents', { params: { projectId }, query });

t.test('the log is newest first, with the exact text of each event', async t => {
  const tenant = await skein.tenant();
  const text = 'Ünïcode \u2028 "quoted"';
  await commit(tenant, { n: 1 }, { text });
  const { data } = await list(tenant);
  t.match(
    data.map(event => event.data),
    [{ text }, { n: 1 }],
  );
  const [first] = data;
  t.strictSame(await tenant.person.get('getEvent', { params: { eventId: first?.eventId ?? '' } }), first);
});

t.test('events are found by name, pattern, thread and time', async t => {
  const tenant = await skein.tenant();
  const { key, person, projectId, channelId } = tenant;
  const { body } = await receiveMessage(tenant, channelId, { externalParticipantRef: 'ada' });
  const { threadId } = body;
  await receiveMessage(tenant, channelId, { externalParticipantRef: 'bob' });
  await key.get('createMessage', { params: { threadId }, body: { projectId, body: 'hi' } });
  await key.get('updateThread', { params: { threadId }, body: { projectId, status: 'closed' } });
  await database.query(
    `update events set occurred_at = now() - interval '2 hours' where project_id = $1 and thread_id = $2 and event_name = $3`,
    [projectId, threadId, eventName],
  );
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const find = async (query: object) => {
    const { data } = await person.get<ListOf<EventEnvelope>>('listEvents', {
      query: { projectId, ...query },
    });
    return data.map(event => event.eventName);
  };
  const [received, created, changed] = [eventName, 'thread.message.created', 'thread.status.changed'];
  for (const [query, expected] of [
    [{ eventName: created }, [created]],
    [{ eventName: 'thread.message.*', threadId }, [created, received]],
    [{ eventName: 'thread.message.*' }, [created, received, received]],
    [{ eventName: 'thread.message.%' }, []],
    [{ eventName: '*.status.changed' }, []],
    [{ threadId, since: hoursAgo(1), eventName: 'thread.message.*' }, [created]],
    [{ threadId, since: hoursAgo(3), eventName: 'thread.message.*' }, [created, received]],
    [{ threadId, eventName: 'thread.status.*' }, [changed]],
  ] as const) {
    t.strictSame(await find(query), expected, JSON.stringify(query));
  }
});

t.test('pages stay stable while events arrive, and their cursors serve no other list', async t => {
  const tenant = await skein.tenant();
  const { person, projectId } = tenant;
  await commit(tenant, ...numbers(10).map(n => ({ n })));
  const seen: unknown[] = [];
  let cursor: string | null = null;
  do {
    const page: ListOf<EventEnvelope> = await list(tenant, {
      limit: 4,
      ...(cursor === null ? {} : { cursor }),
    });
    seen.push(...page.data.map(({ data }) => data['n']));
    cursor = page.nextCursor;
    t.equal(page.hasMore, cursor !== null);
    await commit(tenant, { n: 99 });
    if (cursor === null) break;
    const query = { projectId, limit: 4, eventName: 'thread.*', cursor };
    t.equal((await person.ask('listEvents', { query })).status, 400);
    t.equal((await person.ask('listStreamEvents', { params: { projectId }, query: { cursor } })).status, 400);
  } while (cursor !== null);
  t.strictSame(seen, numbers(10).reverse());
});

t.test('a key without the scope for messages finds no messages', async t => {
  const tenant = await skein.tenant();
  await commit(tenant, {});
  const { eventId = '' } = (await list(tenant)).data[0] ?? {};
  const ask = async (by: Tenant['key']) => (await by.ask('getEvent', { params: { eventId } })).status;
  t.equal(await ask(await newScopedKey(tenant, ['webhooks:read', 'messages:read'])), 200);
  t.equal(await ask(await newScopedKey(tenant, ['webhooks:read'])), 404);
  t.equal((await tenant.key.ask('getEvent', { params: { eventId: newId('event') } })).status, 404);
});

t.test('a client that polls reads the events of the stream by number', async t => {
  const tenant = await skein.tenant();
  const { data: before } = await poll(tenant);
  const start = before.at(-1)?.seq ?? 0;
  await commit(tenant, ...numbers(7).map(n => ({ n })));
  const first = await poll(tenant, { afterSeq: start + 2, limit: 3 });
  t.strictSame(
    first.data.map(({ seq, data }) => [seq - start, data['n']]),
    [3, 4, 5].map(n => [n, n]),
  );
  t.equal(first.hasMore, true);
  const next = await poll(tenant, { afterSeq: start + 2, limit: 3, cursor: first.nextCursor ?? '' });
  t.strictSame(
    next.data.map(({ seq }) => seq - start),
    [6, 7],
  );
  t.match(next, { hasMore: false, nextCursor: null });
  t.strictSame((await poll(tenant, { afterSeq: start + 7 })).data, []);
});

t.test('a page ends early when its bodies are large, and says that there is more', async t => {
  const tenant = await skein.tenant();
  const { projectId } = tenant;
  const start = (await poll(tenant)).data.at(-1)?.seq ?? 0;
  const text = 'x'.repeat(250_000);
  await commit(tenant, ...numbers(7).map(n => ({ n, text })));
  const polled = await poll(tenant, { afterSeq: start });
  t.strictSame(
    polled.data.map(({ seq }) => seq - start),
    [1, 2, 3, 4, 5],
  );
  t.equal(polled.hasMore, true);
  const log = await list(tenant);
  t.strictSame([log.data.length, log.hasMore], [5, true]);
  const page = await eventPage(database, { projectId, after: start, through: start + 7, maxBytes: 1 });
  t.equal(page.length, 1, 'the first event is always included');
});

t.test('the catalogue has every event name with its schema', async t => {
  const entries = await skein.client().all<EventTypeEntry>('listEventTypes', { query: { limit: 20 } });
  for (const entry of entries)
    t.match(entry, { description: /./, data: { type: 'object', properties: { environmentId: {} } } });
  t.strictSame(
    entries.map(entry => entry.eventName),
    Object.keys(eventTypes).sort(),
  );
  t.strictSame(
    entries.filter(({ ephemeral }) => ephemeral).map(entry => entry.eventName),
    ['agent.output.delta', 'thread.typing.started', 'thread.typing.stopped', 'thread.viewer.changed'],
  );
});
