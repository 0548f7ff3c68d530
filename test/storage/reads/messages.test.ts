/** What reads say of messages, whichever release has written them. */
import t from 'tap';
import { findMessage, messagePage } from '../../../storage/reads/messages.ts';
import { startTestDatabase } from '../../support/database.ts';

t.test('a message without a channel has no status, also where a node of 0.1 has written one', async t => {
  const { database } = await startTestDatabase(t);
  await database.query(`
    insert into messages (message_id, project_id, environment_id, thread_id, channel_id, sequence, direction, body, status, actor,
      created_at, updated_at)
    select 'msg_' || n, 'prj_1', 'env_1', 'thread_1', channel, n, 'outbound', 'hello', status, '{}', now(), now()
    from unnest(array[null, null, 'ch_1', 'ch_1'], array['queued', null, 'queued', 'sent']) with ordinality as r(channel, status, n)`);
  const key = { threadId: 'thread_1', projectId: 'prj_1', environmentId: 'env_1' };
  const all = { order: 'asc', afterSequence: undefined, cursor: undefined, limit: 10 } as const;
  const listed = await messagePage(database, { ...key, ...all });
  t.strictSame(
    listed.rows.map(({ status }) => status),
    [null, null, 'queued', 'sent'],
  );
  t.equal((await findMessage(database, { ...key, messageId: 'msg_1' }))?.status, null);
  t.equal((await findMessage(database, { ...key, messageId: 'msg_4' }))?.status, 'sent');
});
