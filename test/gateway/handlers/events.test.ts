/** The event log over REST, on a real PostgreSQL. */
import t from 'tap';
import { eventTypes, type EventName } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { EventEnvelope, EventTypeEntry } from '../../../protocol/resources/event.ts';
import { Environment } from '../../../storage/entities/tenancy.ts';
import { eventPage } from '../../../storage/events/event-log.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConsoleNode, happening, type ListBody, type Tenant } from './console-fixture.ts';
import { numbers } from '../stream/stream-fixture.ts';

const { database } = await startTestDatabase(t);

async function production({ projectId }: Tenant): Promise<string> {
  const environmentId = newId('environment');
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  await database.em().transactional(async em => {
    em.create(Environment, { environmentId, projectId, kind: 'production', name: 'production', ...stamps });
    await em.flush();
  });
  return environmentId;
}

const named = (tenant: Tenant, eventName: EventName, data: object = {}) => ({
  ...happening(tenant, data),
  eventName,
});
const getNames = (body: ListBody<EventEnvelope>): string[] => body.data.map(({ eventName }) => eventName);

t.test('the log is newest first, with the exact text of each event', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  await node.commit(happening(tenant, { n: 1 }), happening(tenant, { text: 'Ünïcode \u2028 "quoted"' }));
  const { body } = await node.call<ListBody<EventEnvelope>>(
    'GET',
    `/events?projectId=${projectId}`,
    founder.token,
  );
  t.same(
    body.data.map(({ data }) => [data['n'], data['text']]),
    [
      [undefined, 'Ünïcode \u2028 "quoted"'],
      [1, undefined],
    ],
  );
  t.same({ nextCursor: body.nextCursor, hasMore: body.hasMore }, { nextCursor: null, hasMore: false });
  const [first] = body.data;
  const one = await node.call<EventEnvelope>('GET', `/events/${first?.eventId}`, founder.token);
  t.same(one.body, first);
});

t.test('filters', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  await node.commit(
    named(tenant, 'thread.message.received'),
    named(tenant, 'thread.message.created'),
    named(tenant, 'thread.status.changed'),
    named(tenant, 'channel.status.changed'),
  );
  const threadId = newId('thread');
  await database.query('update events set thread_id = $1 where project_id = $2 and seq = 3', [
    threadId,
    projectId,
  ]);
  await database.query(
    `update events set occurred_at = '2026-01-02T00:00:00Z' where project_id = $1 and seq = 1`,
    [projectId],
  );
  const list = async (query: string): Promise<string[]> => {
    const path = `/events?projectId=${projectId}${query}`;
    return getNames((await node.call<ListBody<EventEnvelope>>('GET', path, founder.token)).body);
  };
  t.same(await list('&eventName=thread.message.created'), ['thread.message.created']);
  t.same(await list('&eventName=thread.message.*'), ['thread.message.created', 'thread.message.received']);
  t.same(await list('&eventName=thread.*'), [
    'thread.status.changed',
    'thread.message.created',
    'thread.message.received',
  ]);
  t.same(await list('&eventName=thread.message.%25'), [], 'no pattern of SQL');
  t.same(await list(`&threadId=${threadId}`), ['thread.status.changed']);
  t.equal((await list('&since=2026-01-01T00:00:00Z')).length, 4);
  t.equal((await list('&since=2026-01-03T00:00:00Z')).length, 3);
  t.same(await list('&since=2026-01-03T00:00:00Z&eventName=*.status.changed'), []);
});

t.test('pages are stable while events come in, and their cursors good for nothing else', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  await node.commit(...numbers(10).map(n => happening(tenant, { n })));
  const seen: unknown[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? '' : `&cursor=${cursor}`;
    const path = `/events?projectId=${projectId}&limit=4${after}`;
    const { body } = await node.call<ListBody<EventEnvelope>>('GET', path, founder.token);
    seen.push(...body.data.map(({ data }) => data['n']));
    cursor = body.nextCursor;
    t.equal(body.hasMore, cursor !== null);
    await node.commit(happening(tenant, { n: 99 }));
    if (cursor !== null && seen.length === 4) {
      for (const elsewhere of [
        `/events?projectId=${projectId}&limit=4&eventName=thread.*&cursor=${cursor}`,
        `/console/projects/${projectId}/events?cursor=${cursor}`,
      ]) {
        t.equal((await node.call('GET', elsewhere, founder.token)).status, 400);
      }
    }
  } while (cursor !== null);
  t.same(seen, numbers(10).reverse());
});

t.test('environments are apart', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const live = await production(tenant);
  const key = await node.key(tenant, ['webhooks:read', 'messages:read']);
  await node.commit(happening(tenant, { n: 1 }), happening(tenant, { n: 2 }, live));
  const n = async (path: string, bearer: string): Promise<unknown> => {
    const { status, body } = await node.call<ListBody<EventEnvelope>>('GET', path, bearer);
    return status === 200
      ? body.data.map(({ data }) => data['n']).filter(value => value !== undefined)
      : status;
  };
  t.same(await n(`/events?projectId=${projectId}`, founder.token), [1], 'the sandbox by default');
  t.same(await n(`/events?projectId=${projectId}&environmentId=${live}`, founder.token), [2]);
  t.same(await n(`/events?projectId=${projectId}`, key.secret), [1]);
  t.same(await n(`/events?projectId=${projectId}&environmentId=${live}`, key.secret), 404);

  const [row] = await database.query<{ eventId: string }>(
    `select event_id as "eventId" from events where project_id = $1 and environment_id = $2`,
    [projectId, live],
  );
  t.equal((await node.call('GET', `/events/${row?.eventId}`, founder.token)).status, 200);
  t.equal(
    (await node.call('GET', `/events/${row?.eventId}`, key.secret)).status,
    404,
    "not the key's environment",
  );
});

t.test('permissions to read the log', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const other = await node.tenant();
  const { projectId } = tenant;
  await node.commit(happening(tenant));
  const [row] = await database.query<{ eventId: string }>(
    `select event_id as "eventId" from events where project_id = $1`,
    [projectId],
  );
  const paths = [`/events?projectId=${projectId}`, `/events/${row?.eventId}`];
  const statuses = async (bearer: string | undefined): Promise<number[]> =>
    Promise.all(paths.map(async path => (await node.call('GET', path, bearer)).status));
  t.same(await statuses(tenant.founder.token), [200, 200]);
  t.same(await statuses(other.founder.token), [404, 404]);
  t.same(await statuses((await node.key(tenant, ['webhooks:read', 'messages:read'])).secret), [200, 200]);
  t.same(await statuses((await node.key(tenant, ['webhooks:read'])).secret), [200, 404], 'not of messages');
  t.same(await statuses((await node.key(tenant, ['threads:read'])).secret), [403, 403]);
  t.same(await statuses(undefined), [401, 401]);
  t.equal((await node.call('GET', `/events/${newId('event')}`, tenant.founder.token)).status, 404);
  const misplaced = `/events/${row?.eventId}?projectId=${other.projectId}`;
  t.equal((await node.call('GET', misplaced, tenant.founder.token)).status, 404, 'in another project');
});

t.test("the stream's events by number, for those who poll", async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  await node.commit(...numbers(7).map(n => happening(tenant, { n })));
  const path = `/console/projects/${projectId}/events`;
  type Polled = ListBody<{ seq: number; projectId: string; data: { n: number } }>;
  const { body } = await node.call<Polled>('GET', `${path}?afterSeq=2&limit=3`, founder.token);
  t.same(
    body.data.map(({ seq, data }) => [seq, data.n]),
    [
      [3, 3],
      [4, 4],
      [5, 5],
    ],
  );
  t.equal(body.hasMore, true);
  const next = await node.call<Polled>(
    'GET',
    `${path}?afterSeq=2&limit=3&cursor=${body.nextCursor}`,
    founder.token,
  );
  t.same(
    next.body.data.map(({ seq }) => seq),
    [6, 7],
  );
  t.same([next.body.hasMore, next.body.nextCursor], [false, null]);
  t.same((await node.call<Polled>('GET', `${path}?afterSeq=7`, founder.token)).body.data, []);
  t.equal((await node.call('GET', `${path}?afterSeq=-1`, founder.token)).status, 422);
});

t.test('a page ends early when its bodies grow large, and says that there is more', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const text = 'x'.repeat(1_000_000);
  for (const n of numbers(7)) await node.commit(happening(tenant, { n, text }));
  type Polled = ListBody<{ seq: number }>;
  const { body } = await node.call<Polled>('GET', `/console/projects/${projectId}/events`, founder.token);
  t.same(
    body.data.map(({ seq }) => seq),
    [1, 2, 3, 4, 5],
  );
  t.equal(body.hasMore, true);
  const log = await node.call<Polled>('GET', `/events?projectId=${projectId}`, founder.token);
  t.equal(log.body.data.length, 5);
  t.equal(log.body.hasMore, true);
  const span = { projectId, after: 0, through: 7 };
  t.same(
    (await eventPage(database, span)).map(({ seq }) => seq),
    [1],
    'the first comes in any case',
  );
});

t.test('the catalogue: every name with its schema, in pages', async t => {
  const node = await ConsoleNode.start(t, database);
  const names: string[] = [];
  let cursor = '';
  for (;;) {
    const { status, body } = await node.call<ListBody<EventTypeEntry>>(
      'GET',
      `/event-types?limit=20${cursor}`,
      undefined,
    );
    t.equal(status, 200);
    for (const entry of body.data) {
      t.match(
        entry,
        { description: /./, data: { type: 'object', properties: { environmentId: {} } } },
        entry.eventName,
      );
      names.push(entry.eventName);
    }
    if (body.nextCursor === null) break;
    cursor = `&cursor=${body.nextCursor}`;
  }
  t.same(names, Object.keys(eventTypes).sort());
  const { body } = await node.call<ListBody<EventTypeEntry>>('GET', '/event-types?limit=100', undefined);
  t.same(
    body.data.filter(({ ephemeral }) => ephemeral).map(({ eventName }) => eventName),
    ['agent.output.delta', 'thread.typing.started', 'thread.typing.stopped', 'thread.viewer.changed'],
  );
});
