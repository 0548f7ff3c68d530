/** Names of participants, in a real PostgreSQL: written with a thread's commit, found for the channel of one tenant. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { findAliases } from '../../../storage/chatapp/aliases.ts';
import { addAlias } from '../../../storage/writes/aliases.ts';
import { startTestDatabase } from '../../support/database.ts';
import { at, Counter, environmentId, openStore, projectId } from '../commit/counters.ts';

t.test('an alias leads to the thread that it was last given', async t => {
  const { database } = await startTestDatabase(t);
  const { store } = openStore(database);
  t.teardown(() => store.close());
  const channelId = newId('channel');
  const tenant = { projectId, environmentId };
  const [first, second] = [new Counter(), new Counter()];
  const give = (thread: Counter, externalRef: string, ...aliases: string[]) =>
    store.commit(
      thread.next(
        aliases.map(alias =>
          addAlias({ ...tenant, channelId, alias, threadId: thread.id, externalRef, createdAt: at }),
        ),
      ),
    );
  await give(first, '1', 'US.1', '1');
  await give(second, '2', 'US.2', '1');
  const third = new Counter();
  await give(third, '3', '4');
  const find = (by: typeof tenant & { channelId: string }) =>
    findAliases(database, by, ['US.1', 'US.2', '1', '4', 'US.3']);
  t.same(
    await find({ ...tenant, channelId }),
    new Map([
      ['US.1', { threadId: first.id, externalRef: '1', hasUserId: true }],
      ['US.2', { threadId: second.id, externalRef: '2', hasUserId: true }],
      ['1', { threadId: second.id, externalRef: '2', hasUserId: true }],
      ['4', { threadId: third.id, externalRef: '3', hasUserId: false }],
    ]),
  );
  for (const other of [
    { ...tenant, channelId: newId('channel') },
    { ...tenant, channelId, projectId: newId('project') },
    { ...tenant, channelId, environmentId: newId('environment') },
  ]) {
    t.equal((await find(other)).size, 0);
  }
});
