/** The same change of many threads: each has its result, and nothing is done twice. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { BulkResult, BulkResults } from '../../../protocol/resources/bulk.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Asked, Client, Refusal } from '../../node/client.ts';
import type { Tenant } from '../../node/tenant.ts';
import { startTestDatabase } from '../../support/database.ts';
import { shareSkein, startSkeinOn } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;

async function newThreads({ key, projectId, environmentId }: Tenant, count: number): Promise<string[]> {
  const body = { projectId, environmentId };
  const made = Array.from({ length: count }, () => key.get<Thread>('createThread', { body }));
  return (await Promise.all(made)).map(({ threadId }) => threadId);
}

const change = async (by: Client, projectId: string, fields: object, asked: Asked = {}) =>
  by.ask<BulkResults & Refusal>('changeThreads', { ...asked, body: { projectId, ...fields } });
const read = ({ key }: Tenant, threadId: string) => key.get<Thread>('getThread', { params: { threadId } });
const done = (threadId: string): BulkResult => ({ threadId, status: 'done', error: null });
const countEvents = async (threadId: string): Promise<number> =>
  (await database.query('select from events where thread_id = $1', [threadId])).length;

t.test('each action does to all what the operation for one does', async t => {
  const tenant = await skein.tenant();
  const { projectId, userId, person } = tenant;
  const threadIds = await newThreads(tenant, 3);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  for (const [fields, expected] of [
    [{ action: 'addTags', tags: ['a', 'b'] }, { tags: ['a', 'b'] }],
    [{ action: 'addTags', tags: ['b', 'c'] }, { tags: ['a', 'b', 'c'] }],
    [{ action: 'removeTags', tags: ['a', 'x'] }, { tags: ['b', 'c'] }],
    [{ action: 'assign', userId }, { assigneeUserId: userId }],
    [{ action: 'assign', userId: null }, { assigneeUserId: null }],
    [{ action: 'setAgentMode', agentMode: 'paused' }, { agentMode: 'paused' }],
    [{ action: 'setAgentMode', agentMode: null }, { agentMode: null }],
    [{ action: 'snooze', snoozedUntil: tomorrow }, { snoozedUntil: tomorrow }],
    [{ action: 'snooze', snoozedUntil: null }, { snoozedUntil: null }],
    [{ action: 'close' }, { status: 'closed' }],
    [{ action: 'reopen' }, { status: 'open' }],
    [{ action: 'archive' }, { status: 'archived' }],
  ] as const) {
    const { status, body } = await change(person, projectId, { threadIds, ...fields });
    t.strictSame([status, body.results], [200, threadIds.map(done)], fields.action);
    for (const threadId of threadIds) t.match(await read(tenant, threadId), expected, fields.action);
  }
});

t.test('a thread that fails is no other thread’s matter', async t => {
  const tenant = await skein.tenant();
  const { projectId, key, environmentId } = tenant;
  const [outsider] = await newThreads(await skein.tenant(), 1);
  const [archived = '', full = '', good = ''] = await newThreads(tenant, 3);
  const tags = Array.from({ length: 20 }, (_, n) => `t${n}`);
  await change(key, projectId, { threadIds: [full], action: 'addTags', tags });
  await change(key, projectId, { threadIds: [archived], action: 'archive' });

  const absent = newId('thread');
  const threadIds = [archived, good, absent, outsider ?? ''];
  const closed = await change(key, projectId, { environmentId, threadIds, action: 'close' });
  t.match(closed.body.results, [
    { threadId: archived, status: 'failed', error: { error: 'svc/runtime/conflict' } },
    done(good),
    { threadId: absent, status: 'failed', error: { error: 'svc/runtime/not_found' } },
    { threadId: outsider, status: 'failed', error: { error: 'svc/runtime/not_found' } },
  ]);
  const [ofAbsent, ofStranger] = closed.body.results.slice(2).map(({ error }) => error);
  t.strictSame(ofStranger, ofAbsent, 'another tenant’s thread is like one that there is not');

  const tagged = await change(key, projectId, { threadIds: [full, good], action: 'addTags', tags: ['more'] });
  t.match(tagged.body.results, [
    { status: 'failed', error: { details: { issues: [{ path: '/body/tags' }] } } },
    done(good),
  ]);
  t.strictSame((await read(tenant, full)).tags, tags);
});

t.test('a repetition answers the same, does nothing twice, and finishes what was not done', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const [first = '', archived = '', last = ''] = await newThreads(tenant, 3);
  const threadIds = [first, archived, last];
  await change(key, projectId, { threadIds: [archived], action: 'archive' });
  const order = { threadIds, action: 'close' };
  const answer = await change(key, projectId, order, { key: 'close-1' });
  t.strictSame(
    answer.body.results.map(({ status }) => status),
    ['done', 'failed', 'done'],
  );
  // Somebody goes on with the threads; and what the node did to the last one it had not, had it been killed.
  await change(key, projectId, { threadIds: [first, last], action: 'reopen' });
  await change(key, projectId, { threadIds: [archived], action: 'reopen' });
  const before = await countEvents(first);
  const [forgotten] = await database.query<{ key_hash: Buffer }>(
    `delete from idempotency_keys where key_hash = (
       select key_hash from idempotency_keys where body is null and status < 400 order by created_at desc limit 1)
     returning key_hash`,
  );
  t.ok(forgotten);
  const again = await change(key, projectId, order, { key: 'close-1' });
  t.strictSame(again.body, answer.body);
  t.equal(again.headers['idempotent-replayed'], 'true');
  const states = await Promise.all(threadIds.map(async threadId => (await read(tenant, threadId)).status));
  t.strictSame(states.toSorted(), ['closed', 'open', 'open'], 'the one that was forgotten, and no other');
  t.ok((await countEvents(first)) - before <= 1);

  const other = await change(key, projectId, { ...order, action: 'archive' }, { key: 'close-1' });
  t.match(other, { status: 409, body: { error: 'svc/runtime/idempotency_conflict' } });
});

t.test('what cannot be is refused as a whole, and nothing is done', async t => {
  const tenant = await skein.tenant();
  const { projectId, key } = tenant;
  const threadIds = await newThreads(tenant, 1);
  const [threadId = ''] = threadIds;
  const outsider = await skein.tenant();
  for (const [fields, path] of [
    [{ action: 'addTags' }, '/body/tags'],
    [{ action: 'removeTags', tags: [] }, '/body/tags'],
    [{ action: 'addTags', tags: ['not a tag'] }, '/body/tags/0'],
    [{ action: 'assign' }, '/body/userId'],
    [{ action: 'setAgentMode' }, '/body/agentMode'],
    [{ action: 'snooze' }, '/body/snoozedUntil'],
    [{ action: 'snooze', snoozedUntil: 'tomorrow' }, '/body/snoozedUntil'],
    [{ action: 'close', threadIds: [] }, '/body/threadIds'],
    [{ action: 'close', threadIds: [threadId, threadId] }, '/body/threadIds'],
  ] as const) {
    const { status, body } = await change(key, projectId, { threadIds, ...fields });
    t.match([status, body.details], [422, { issues: [{ path }] }], JSON.stringify(fields));
  }
  const assigned = await change(key, projectId, { threadIds, action: 'assign', userId: outsider.userId });
  t.match(assigned, { status: 404, body: { details: { issues: [{ path: '/body/userId' }] } } });
  t.equal((await read(tenant, threadId)).status, 'open');
});

t.test('it counts as often as there are threads, or not at all', async t => {
  const own = await startTestDatabase(t);
  const rates = { RATE_LIMITS: '{"write":{"limit":40,"windowSeconds":3600}}' };
  const limited = await startSkeinOn(t, own.url, rates);
  const tenant = await limited.tenant();
  const { projectId, person } = tenant;
  const remaining = ({ headers }: { headers: Asked['headers'] | object }): number =>
    Number((headers as Record<string, string>)['x-ratelimit-remaining']);
  const some = await change(person, projectId, {
    threadIds: [1, 2, 3, 4, 5].map(() => newId('thread')),
    action: 'close',
  });
  const left = remaining(some);
  const many = Array.from({ length: left + 1 }, () => newId('thread'));
  const refused = await change(person, projectId, { threadIds: many, action: 'close' });
  t.match(refused, { status: 429, body: { details: { bucket: 'write' } } });
  const fits = await change(person, projectId, { threadIds: many.slice(1), action: 'close' });
  t.equal(fits.status, 200, 'what was refused was charged to none');
  t.equal(remaining(fits), 0);
});
