/** What happened to a thread, for those who may read it. */
import t from 'tap';
import type { EventEnvelope } from '../../../protocol/resources/event.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { addConsoleMember, newScopedKey } from '../../support/conversations.ts';
import type { Asked, ListOf } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { database } = skein;
const [owner, operator] = [await skein.tenant(), await skein.tenant()];
const { channelId, key } = owner;
await addConsoleMember(database, owner, operator, 'viewer');

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
  const few = getNames(await list(await newScopedKey(owner, ['threads:read'])));
  t.strictSame([few.includes('thread.message.received'), few.length], [false, 4], 'without messages');
  const { status, body } = await key.ask('listThreadEvents', {
    ...thread,
    query: { eventName: ['thread.*', 'nope'] },
  });
  t.match([status, body], [422, { details: { issues: [{ path: '/query/eventName/1' }] } }]);
});
