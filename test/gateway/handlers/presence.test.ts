/** Assignment, typing and read cursors over the public API. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { eventTypes } from '../../../protocol/events.ts';
import { EventEnvelope } from '../../../protocol/resources/event.ts';
import type { ReadCursor } from '../../../protocol/resources/presence.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { matchesSchema } from '../../../protocol/validate.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { addConsoleMember, newThread, readThreadEvents, sendMessage } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';
import { openStream } from '../stream/stream-fixture.ts';

const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { key, person, projectId, userId, channelId } = tenant;
const [agent, viewer, outsider] = [await skein.tenant(), await skein.tenant(), await skein.tenant()];
await addConsoleMember(database, tenant, agent, 'agent');
await addConsoleMember(database, tenant, viewer, 'viewer');

t.test('a thread can be assigned to every user who may answer in it', async t => {
  const { threadId } = await newThread(tenant);
  const assign = (to: string | null, by = key) =>
    by.ask<Thread & Refusal>('assignThread', { params: { threadId }, body: { projectId, userId: to } });
  t.equal((await assign(userId)).body.assigneeUserId, userId);
  t.equal((await assign(agent.userId, person)).body.assigneeUserId, agent.userId);
  for (const other of [viewer.userId, outsider.userId, newId('user')]) {
    t.match(await assign(other), { status: 404, body: { error: 'svc/runtime/not_found' } });
  }
  t.equal((await assign(null, agent.person)).body.assigneeUserId, null);
  t.match(
    (await readThreadEvents(database, threadId))
      .slice(1)
      .map(({ eventName, data }) => [eventName, data['previousAssigneeUserId']]),
    [
      ['thread.assignment.changed', null],
      ['thread.assignment.changed', userId],
      ['thread.assignment.changed', agent.userId],
    ],
  );
});

t.test('typing is shown on the stream and stored nowhere', async t => {
  const { threadId, environmentId } = await newThread(tenant, { channelId, externalRef: 'typist' });
  const stream = openStream(t, skein, projectId, person);
  await stream.resume();
  for (const [state, by, actor] of [
    ['started', person, { type: 'user', id: userId }],
    ['stopped', key, { type: 'api_key', id: tenant.apiKeyId }],
  ] as const) {
    await by.get('setTyping', { params: { threadId }, body: { projectId, state } });
    const eventName = `thread.typing.${state}` as const;
    await stream.until(({ frames }) => frames.some(({ event }) => event?.eventName === eventName));
    const event = stream.frames.at(-1)?.event;
    t.ok(matchesSchema(EventEnvelope, event));
    t.ok(matchesSchema(eventTypes[eventName].data, event?.data));
    t.match(event, { projectId, data: { threadId, channelId, environmentId, actor } });
    t.equal(event?.data['userId'], by === person ? userId : undefined);
  }
  t.equal((await readThreadEvents(database, threadId)).length, 1);
});

t.test('a read cursor belongs to one user, and moves forward only', async t => {
  const { threadId } = await newThread(tenant);
  await sendMessage(tenant, threadId);
  await sendMessage(tenant, threadId);
  const { sequence = 0 } = await key.get<Thread>('getThread', { params: { threadId } });
  const move = (to: number, by = person) =>
    by.ask<ReadCursor & Refusal>('moveReadCursor', {
      params: { threadId },
      body: { projectId, sequence: to },
    });
  const shown = async (by: typeof key) => {
    const { readSequence } = await by.get<Thread>('getThread', { params: { threadId } });
    const { data } = await by.get<ListOf<Thread>>('listThreads', { query: { projectId } });
    t.equal(data.find(each => each.threadId === threadId)?.readSequence, readSequence, 'also in the list');
    return readSequence;
  };
  t.equal(await shown(person), undefined);
  t.match((await move(2)).body, { threadId, projectId, userId, sequence: 2 });
  t.equal((await move(1)).body.sequence, 2);
  t.equal(await shown(person), 2);
  t.equal((await move(sequence, key)).body.sequence, sequence, 'a key moves the cursor of its creator');
  t.strictSame([await shown(person), await shown(key)], [sequence, undefined]);
  t.equal(await shown(agent.person), undefined);
  t.equal((await move(0, agent.person)).body.sequence, 0);
  t.equal((await move(2, viewer.person)).body.sequence, 2, 'a viewer can read too');
  const beyond = await move(sequence + 1);
  t.match([beyond.status, beyond.body.details], [422, { issues: [{ path: '/body/sequence' }] }]);
  const concurrent = await Promise.all([1, 2, 3, 2, 1].map(to => move(to)));
  t.ok(concurrent.every(({ status }) => status === 200));
  t.strictSame([await shown(agent.person), await shown(person)], [0, sequence]);
});
