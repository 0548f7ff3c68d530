/** Tests of one process share a node. */
import t from 'tap';
import type { Thread } from '../../protocol/resources/thread.ts';
import { readMailedToken } from './mailbox.ts';
import { shareSkein } from './skein.ts';

t.test('a tenant of the shared node', async t => {
  const skein = await shareSkein(t);
  const { key, projectId, environmentId, email, person } = await skein.tenant();
  const body = { projectId, environmentId };
  const thread = await key.get<Thread>('createThread', { body });
  t.same(await key.get('getThread', { params: { threadId: thread.threadId } }), thread);
  const token = await readMailedToken(skein.log, email, 'verify');
  await skein.client().get('verifyEmail', { body: { token } });
  t.match(await person.get('me'), { emailVerified: true });
  const again = await shareSkein(t);
  t.equal(again.url, skein.url);
});
