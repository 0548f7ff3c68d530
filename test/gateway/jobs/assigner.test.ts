/** Automatic assignment: on a whole node, and who gets which thread for all sets of operators and threads. */
import t from 'tap';
import { distribute } from '../../../gateway/jobs/assigner.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Tenant } from '../../node/tenant.ts';
import { addConsoleMember } from '../../support/conversations.ts';
import { eventually } from '../../support/eventually.ts';
import fc from '../../support/fuzz.ts';
import { shareSkein } from '../../support/skein.ts';
import { openStream } from '../stream/stream-fixture.ts';

t.test('threads that wait go to operators who are online and have room, in turn', async t => {
  const skein = await shareSkein(t);
  const owner = await skein.tenant();
  const { projectId, environmentId, key } = owner;
  const [ana, ben, viewer] = [await skein.tenant(), await skein.tenant(), await skein.tenant()];
  await addConsoleMember(skein.database, owner, ana, 'agent');
  await addConsoleMember(skein.database, owner, ben, 'agent');
  await addConsoleMember(skein.database, owner, viewer, 'viewer');
  const setAssignment = (assignment: object) =>
    owner.person.get('updateProject', { params: { projectId }, body: { assignment } });
  const appear = async ({ person, projectId: own }: Tenant, projectId = own) => {
    const stream = openStream(t, skein, projectId, person);
    await stream.resume();
    return stream;
  };
  /** A participant writes: one more thread that waits. */
  const arrive = async ({ key, channelId, projectId }: Tenant = owner) => {
    const body = { projectId, externalParticipantRef: newId('message'), body: 'hello?' };
    const message = await key.get<{ threadId: string }>('createInboundMessage', {
      params: { channelId },
      body,
    });
    return message.threadId;
  };
  const assigned = async (threadId: string, { key }: Tenant = owner) =>
    (await key.get<Thread>('getThread', { params: { threadId } })).assigneeUserId ?? undefined;
  const becomesAssigned = async (threadId: string, tenant = owner) => {
    await eventually('assignee', async () => (await assigned(threadId, tenant)) !== undefined);
    return assigned(threadId, tenant);
  };
  const load = async ({ userId }: Tenant) =>
    (await key.all<Thread>('listThreads', { query: { projectId, assigneeUserId: userId, status: 'open' } }))
      .length;
  // In a project that comes after the other one in every pass.
  const probe = await skein.tenant();
  const setProbe = { params: { projectId: probe.projectId }, body: { assignment: { mode: 'roundRobin' } } };
  await probe.person.get('updateProject', setProbe);
  await appear(probe);
  /** A whole pass after what has happened so far: the first thread may be assigned by one that has begun already, the second is not. */
  const passes = async () => {
    await becomesAssigned(await arrive(probe), probe);
    await becomesAssigned(await arrive(probe), probe);
  };

  const early = await arrive();
  const anasStream = await appear(ana, projectId);
  await passes();
  t.equal(await assigned(early), undefined, 'off by default');
  anasStream.socket.terminate();
  await passes();

  t.match(await setAssignment({ mode: 'roundRobin' }), {
    assignment: { mode: 'roundRobin', maxOpenThreads: 20 },
  });
  await setAssignment({ maxOpenThreads: 3 });
  await appear(viewer, projectId);
  await passes();
  t.equal(await assigned(early), undefined, 'nobody who may answer has come: it waits');

  await appear(ana, projectId);
  t.equal(await becomesAssigned(early), ana.userId, 'it goes to the first who comes');
  await appear(ben, projectId);
  const more = [await arrive(), await arrive(), await arrive(), await arrive()];
  for (const threadId of more) await becomesAssigned(threadId);
  const loads = [await load(ana), await load(ben)].sort();
  t.strictSame(loads, [2, 3], 'in turn, and nobody has more than they may');

  const [last, ...full] = [await arrive(), await arrive(), await arrive()];
  await becomesAssigned(last ?? '');
  await passes();
  t.strictSame([await load(ana), await load(ben)], [3, 3], 'all are full: the others wait');
  t.strictSame(await Promise.all(full.map(each => assigned(each))), [undefined, undefined]);
  const [free] = full;
  await key.get('updateThread', { params: { threadId: early }, body: { projectId, status: 'closed' } });
  t.equal(
    await becomesAssigned(free ?? ''),
    ana.userId,
    'who has room again gets the one that has waited longest',
  );

  const [, waiting = ''] = full;
  await owner.person.get('archiveProject', { params: { projectId } });
  await owner.person.get('archiveThread', { params: { threadId: free ?? '' }, query: { projectId } });
  await passes();
  const asked = { params: { threadId: waiting }, query: { projectId } };
  const { assigneeUserId } = await owner.person.get<Thread>('getThread', asked);
  t.notOk(assigneeUserId, 'there is room, but the project is archived');
  await owner.person.get('updateProject', { params: { projectId }, body: { archived: false } });
  t.equal(await becomesAssigned(waiting), ana.userId);

  const { data } = await key.get<{ data: { eventName: string; data: Record<string, unknown> }[] }>(
    'listEvents',
    {
      query: { projectId, environmentId, eventName: 'thread.assignment.changed' },
    },
  );
  t.equal(data.length, 8);
  for (const event of data) t.match(event.data, { reason: 'automatic', actor: { type: 'system' } });
});

const operator = fc.record({ room: fc.nat(5), isVerified: fc.boolean() });
const thread = fc.record({ isProduction: fc.boolean() });

t.test('whoever waits and whoever is free: nobody is overrun, and turns are fair', async t => {
  let given = 0;
  fc.assert(
    fc.property(
      fc.array(operator, { maxLength: 8 }),
      fc.array(thread, { maxLength: 40 }),
      (rooms, threads) => {
        const operators = rooms.map((each, index) => ({ ...each, userId: `user ${index}` }));
        const numbered = threads.map((each, number) => ({ ...each, number }));
        const counts = new Map(operators.map(({ userId }) => [userId, 0]));
        const proposals = distribute(operators, numbered);
        for (const { thread, userId } of proposals) {
          const chosen = operators.find(each => each.userId === userId);
          if (chosen === undefined || (thread.isProduction && !chosen.isVerified))
            throw new Error('may not see it');
          const count = counts.get(userId) ?? 0;
          if (count >= chosen.room) throw new Error('has no room');
          // Of those who could have had it, nobody has fewer by more than one, but who joins this thread's queue late by what they may not see.
          const others = operators.filter(
            each => each.room > (counts.get(each.userId) ?? 0) && each.isVerified,
          );
          const fewest = Math.min(...others.map(each => counts.get(each.userId) ?? 0));
          if (operators.every(each => each.isVerified) && count > fewest) throw new Error('unfair');
          counts.set(userId, count + 1);
          given++;
        }
        const taken = new Set(proposals.map(each => each.thread.number));
        if (taken.size !== proposals.length) throw new Error('given twice');
        for (const { number, isProduction } of numbered) {
          if (taken.has(number)) continue;
          const isLeft = operators.some(
            ({ userId, room, isVerified }) =>
              room > (counts.get(userId) ?? 0) && (isVerified || !isProduction),
          );
          if (isLeft) throw new Error('left waiting for nothing');
        }
      },
    ),
    { numRuns: 1_000 },
  );
  t.ok(given > 1_000, `${given} threads were given`);
});
