/** Whoever closes or snoozes a thread says what they have seen of it: a message that comes at that moment is not put away unseen. */
import t from 'tap';
import type { BulkResults } from '../../../protocol/resources/bulk.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const { key, projectId, environmentId, channelId, userId } = await skein.tenant();

let participants = 0;
const newName = (): string => `participant-${++participants}`;
const receive = async (externalParticipantRef: string): Promise<string> => {
  const body = { projectId, externalParticipantRef, body: 'Hello?' };
  return (await key.get<Thread>('createInboundMessage', { params: { channelId }, body })).threadId;
};
const read = (threadId: string) => key.get<Thread>('getThread', { params: { threadId } });
const update = (threadId: string, changes: object) =>
  key.ask<Thread & Refusal>('updateThread', { params: { threadId }, body: { projectId, ...changes } });
const change = (fields: object) =>
  key.ask<BulkResults & Refusal>('changeThreads', { body: { projectId, environmentId, ...fields } });
const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString();

t.test('PATCH refuses what would put away an unseen message, and changes nothing', async t => {
  const name = newName();
  const threadId = await receive(name);
  const { sequence: seen } = await read(threadId);
  await receive(name);
  const before = await read(threadId);
  for (const changes of [{ status: 'closed' }, { status: 'archived' }, { snoozedUntil: tomorrow() }]) {
    const refused = await update(threadId, { ...changes, expectedSequence: seen });
    t.equal(refused.status, 409);
    t.match(refused.body, { error: 'svc/runtime/conflict', details: { sequence: before.sequence } });
  }
  t.strictSame(await read(threadId), before);
  const snoozed = await update(threadId, { snoozedUntil: tomorrow(), expectedSequence: before.sequence });
  t.equal(snoozed.status, 200);
  t.equal((await update(threadId, { status: 'closed' })).body.status, 'closed', 'without the field, as ever');
  for (const expectedSequence of [-1, 1.5, 'now', null])
    t.match(await update(threadId, { status: 'open', expectedSequence }), {
      status: 422,
      body: { details: { issues: [{ path: '/body/expectedSequence' }] } },
    });
});

t.test('of many threads, those stay whose participants have written since', async t => {
  const names = [newName(), newName(), newName()];
  const threadIds = await Promise.all(names.map(receive));
  const seen = await Promise.all(threadIds.map(async each => (await read(each)).sequence ?? 0));
  const [first = '', second = '', third = ''] = threadIds;
  // The third is not named: it is changed in any case.
  const expectedSequences = { [first]: seen[0], [second]: seen[1] };
  await receive(names[1] ?? '');
  await receive(names[2] ?? '');
  const { sequence } = await read(second);
  for (const fields of [{ action: 'snooze', snoozedUntil: tomorrow() }, { action: 'close' }]) {
    const { status, body } = await change({ threadIds, ...fields, expectedSequences });
    t.equal(status, 200);
    t.match(body.results, [
      { threadId: first, status: 'done' },
      { threadId: second, status: 'failed', error: { error: 'svc/runtime/conflict', details: { sequence } } },
      { threadId: third, status: 'done' },
    ]);
  }
  const states = await Promise.all(threadIds.map(async each => (await read(each)).status));
  t.strictSame(states, ['closed', 'open', 'closed']);
});

t.test('a number that nothing would look at is refused, and nothing is done', async t => {
  const threadId = await receive(newName());
  const other = newId('thread');
  for (const [fields, path] of [
    [{ expectedSequences: { [other]: 1 } }, `/body/expectedSequences/${other}`],
    [{ expectedSequences: { [threadId]: 9, other: 1 } }, '/body/expectedSequences'],
    [{ expectedSequences: { [threadId]: -1 } }, `/body/expectedSequences/${threadId}`],
    [{ expectedSequences: { [threadId]: 9 }, action: 'assign', userId }, '/body/expectedSequences'],
  ] as const) {
    const { status, body } = await change({ threadIds: [threadId], action: 'close', ...fields });
    t.match([status, body.details], [422, { issues: [{ path }] }], JSON.stringify(fields));
  }
  t.match(await read(threadId), { status: 'open', assigneeUserId: null });
});

t.test(
  'whichever is first, a message and who closes over it at the same moment leave the thread open',
  async t => {
    const outcomes = new Set<number>();
    for (let round = 0; round < 60 && (round < 20 || outcomes.size < 2); round++) {
      const name = newName();
      const threadId = await receive(name);
      const { sequence: expectedSequence } = await read(threadId);
      const close = () => update(threadId, { status: 'closed', expectedSequence });
      // By turns the one or the other is sent first.
      const [closed] =
        round % 2 === 0
          ? await Promise.all([close(), receive(name)])
          : ((await Promise.all([receive(name), close()])).reverse() as [
              Awaited<ReturnType<typeof close>>,
              string,
            ]);
      outcomes.add(closed.status);
      const { status, waitingSince } = await read(threadId);
      t.match([status, waitingSince], ['open', String], `the message is not put away: ${closed.status}`);
    }
    t.strictSame([...outcomes].toSorted(), [200, 409], 'both came first at times');
  },
);
