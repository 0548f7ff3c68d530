/** What happened to a thread, for those who may read it. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { EventEnvelope } from '../../../protocol/resources/event.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { ConsoleMember } from '../../../storage/entities/tenancy.ts';
import { type Asked, Client, Line, type ListOf } from '../../node/client.ts';
import { signUp } from '../../node/tenant.ts';
import { startTestDatabase } from '../../support/database.ts';
import { startSkeinOn } from '../../support/skein.ts';

const { url, database } = await startTestDatabase(t);
const skein = await startSkeinOn(t, url);
const line = new Line(skein.url, t);
const [owner, operator, outsider] = [await signUp(line), await signUp(line), await signUp(line)];
const { projectId, channelId, key } = owner;
const stamps = { createdAt: new Date(), updatedAt: new Date() };
await database.em().insert(ConsoleMember, { projectId, userId: operator.userId, role: 'viewer', ...stamps });

async function receive(from: string): Promise<string> {
  const body = { externalParticipantRef: from, body: 'hello' };
  return (await key.get<Message>('createInboundMessage', { params: { channelId }, body })).threadId;
}
const threadId = await receive('ada');
await receive('grace');
const thread = { params: { threadId } };
for (const agentMode of ['paused', 'suggest'])
  await key.get('updateThread', { ...thread, body: { agentMode } });
await key.get('updateThread', { ...thread, body: { status: 'closed' } });

const list = (by: typeof key, query: Asked['query'] = {}) =>
  by.get<ListOf<EventEnvelope>>('listThreadEvents', { ...thread, query });
const getNames = ({ data }: ListOf<EventEnvelope>): string[] => data.map(({ eventName }) => eventName);

t.test('newest first, this thread alone, also for operators', async t => {
  const listed = await list(key);
  t.strictSame(getNames(listed), [
    'thread.status.changed',
    'thread.agent_mode.changed',
    'thread.agent_mode.changed',
    'thread.message.received',
    'thread.lifecycle.created',
  ]);
  t.strictSame(listed, await list(operator.person));
  for (const event of listed.data) {
    t.equal(event.data['threadId'], threadId);
    t.strictSame(event, await key.get('getEvent', { params: { eventId: event.eventId } }));
  }
});

t.test('by names and patterns, in pages', async t => {
  const eventName = ['thread.status.*', 'thread.agent_mode.changed'];
  t.equal((await list(key, { eventName })).data.length, 3);
  t.strictSame(getNames(await list(key, { eventName: 'thread.message.*' })), ['thread.message.received']);
  const paged = await key.all<EventEnvelope>('listThreadEvents', {
    ...thread,
    query: { eventName, limit: 1 },
  });
  t.strictSame(paged, (await list(key, { eventName })).data);
  const { status, body } = await key.ask('listThreadEvents', {
    ...thread,
    query: { eventName: ['thread.*', 'nope'] },
  });
  t.match([status, body], [422, { details: { issues: [{ path: '/query/eventName/1' }] } }]);
});

t.test('whose it is, and what a key may see', async t => {
  for (const by of [outsider.key, outsider.person]) {
    t.match(await by.ask('listThreadEvents', thread), { status: 404 });
  }
  t.match(await key.ask('listThreadEvents', { params: { threadId: newId('thread') } }), { status: 404 });
  const { secret } = await owner.person.get<{ secret: string }>('createApiKey', {
    body: { projectId, name: 'threads', environment: 'test', scopes: ['threads:read'] },
  });
  const few = await list(new Client(line, secret));
  t.notOk(getNames(few).includes('thread.message.received'), 'it may not read messages');
  t.equal(few.data.length, 4);
});
