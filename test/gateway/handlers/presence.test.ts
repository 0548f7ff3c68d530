/** Assignment, typing and read cursors over REST. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { eventTypes } from '../../../protocol/events.ts';
import { EventEnvelope } from '../../../protocol/resources/event.ts';
import type { ReadCursor } from '../../../protocol/resources/presence.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { matchesSchema } from '../../../protocol/validate.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody, type ListOf } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);

t.test('who is at a thread', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { projectId, secret, token } = tenant;

  /** Makes the person a member of the tenant's project. */
  const join = (userId: string, role: string) =>
    database.query(
      `insert into console_members (project_id, user_id, role, created_at, updated_at) values ($1, $2, $3, now(), now())`,
      [projectId, userId, role],
    );

  t.test('a thread can be assigned to every user who may answer in it', async t => {
    const { threadId } = await node.thread(tenant);
    const assign = (userId: string | null, bearer = secret) =>
      node.ask<Thread & ErrorBody>('assignThread', bearer, {
        params: { threadId },
        body: { projectId, userId },
      });
    const own = await assign(tenant.userId);
    t.match([own.status, own.body.assigneeUserId], [200, tenant.userId]);
    const [agent, viewer] = [await node.tenant(), await node.tenant()];
    await join(agent.userId, 'agent');
    await join(viewer.userId, 'viewer');
    t.equal((await assign(agent.userId, token)).body.assigneeUserId, agent.userId);
    for (const userId of [viewer.userId, outsider.userId, newId('user')]) {
      const refused = await assign(userId);
      t.match([refused.status, refused.body.error], [404, 'svc/runtime/not_found']);
    }
    const listed = await node.ask<ListOf<Thread>>('listThreads', secret, {
      query: { projectId, assigneeUserId: agent.userId },
    });
    t.strictSame(
      listed.body.data.map(thread => thread.threadId),
      [threadId],
    );
    t.equal((await assign(null, agent.token)).body.assigneeUserId, null, 'an operator may release it');
    t.equal((await assign(null, viewer.token)).status, 403);
    t.match(
      (await node.getEvents(threadId))
        .slice(1)
        .map(({ eventName, data }) => [eventName, data.previousAssigneeUserId]),
      [
        ['thread.assignment.changed', null],
        ['thread.assignment.changed', tenant.userId],
        ['thread.assignment.changed', agent.userId],
      ],
    );
  });

  t.test('typing is shown and nowhere kept', async t => {
    const { channelId } = await node.channel(tenant);
    const { threadId, environmentId } = await node.thread(tenant, { channelId, externalRef: 'typist' });
    for (const [state, bearer] of [
      ['started', token],
      ['stopped', secret],
    ] as const) {
      const seen = node.nextEphemeral(projectId);
      const { status } = await node.ask('setTyping', bearer, {
        params: { threadId },
        body: { projectId, state },
      });
      t.equal(status, 204);
      const shown = await seen;
      const event = JSON.parse(shown.body) as EventEnvelope;
      t.equal(shown.environmentId, environmentId);
      t.ok(matchesSchema(EventEnvelope, event));
      t.ok(matchesSchema(eventTypes[`thread.typing.${state}`].data, event.data));
      t.match(event, {
        eventName: `thread.typing.${state}`,
        projectId,
        data: { threadId, channelId, environmentId },
      });
      t.strictSame(
        [event.data['actor'], event.data['userId']],
        bearer === token
          ? [{ type: 'user', id: tenant.userId }, tenant.userId]
          : [{ type: 'api_key', id: tenant.apiKeyId }, undefined],
      );
    }
    t.equal((await node.getEvents(threadId)).length, 1);
    const body = { projectId, state: 'started' };
    t.equal(
      (await node.ask('setTyping', secret, { params: { threadId: newId('thread') }, body })).status,
      404,
    );
    const theirs = { projectId: outsider.projectId, state: 'started' };
    t.equal(
      (await node.ask('setTyping', outsider.secret, { params: { threadId }, body: theirs })).status,
      404,
    );
    const reader = await node.getKey(tenant, ['threads:read']);
    t.equal((await node.ask('setTyping', reader, { params: { threadId }, body })).status, 403);
    const wrong = { projectId, state: 'paused' };
    t.equal((await node.ask('setTyping', secret, { params: { threadId }, body: wrong })).status, 422);
  });

  t.test('a read cursor is its user’s own and moves forward only', async t => {
    const { threadId } = await node.thread(tenant);
    await node.send(tenant, threadId);
    await node.send(tenant, threadId);
    const { sequence } = (await node.ask<Thread>('getThread', secret, { params: { threadId } })).body;
    const read = (to: number, bearer = token) =>
      node.ask<ReadCursor & ErrorBody>('moveReadCursor', bearer, {
        params: { threadId },
        body: { projectId, sequence: to },
      });
    const shown = async (bearer: string) => {
      const { body } = await node.ask<Thread>('getThread', bearer, { params: { threadId } });
      const listed = await node.ask<ListOf<Thread>>('listThreads', bearer, { query: { projectId } });
      const inList = listed.body.data.find(thread => thread.threadId === threadId);
      t.equal(inList?.readSequence, body.readSequence, 'the list says the same');
      return body.readSequence;
    };
    t.equal(await shown(token), undefined);
    t.match((await read(2)).body, { threadId, projectId, userId: tenant.userId, sequence: 2 });
    t.equal((await read(1)).body.sequence, 2, 'not back');
    t.equal(await shown(token), 2);
    t.equal((await read(sequence ?? 0, secret)).body.sequence, sequence, 'a key moves that of its maker');
    t.equal(await shown(token), sequence);
    t.equal(await shown(secret), undefined, 'a key has none of its own');

    const agent = await node.tenant();
    await join(agent.userId, 'agent');
    t.equal(await shown(agent.token), undefined);
    t.equal((await read(0, agent.token)).body.sequence, 0);
    t.equal(await shown(agent.token), 0);
    const onlooker = await node.tenant();
    await join(onlooker.userId, 'viewer');
    t.equal((await read(2, onlooker.token)).body.sequence, 2, 'who may only look has read, too');
    t.equal(await shown(onlooker.token), 2);

    const beyond = await read((sequence ?? 0) + 1);
    t.match([beyond.status, beyond.body.details], [422, { issues: [{ path: '/body/sequence' }] }]);
    t.equal((await read(-1)).status, 422);
    t.equal((await read(Number.MAX_SAFE_INTEGER)).status, 422);
    const theirs = { projectId: outsider.projectId, sequence: 0 };
    t.equal(
      (await node.ask('moveReadCursor', outsider.secret, { params: { threadId }, body: theirs })).status,
      404,
    );
    const many = await Promise.all([1, 2, 3, 2, 1].map(to => read(to)));
    t.strictSame(
      many.map(({ status }) => status),
      [200, 200, 200, 200, 200],
    );
    t.equal(await shown(token), sequence);
  });
});
