/** Provider ids that another message has, in a real PostgreSQL: who claims one is refused, and costs its neighbours next to nothing. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { insertMessage, updateMessageStatus } from '../../../storage/writes/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { at, Counter, openStore, plainMessage } from '../commit/counters.ts';

t.test('claims of provider ids', async t => {
  const { database } = await startTestDatabase(t);
  // A sequence counts transactions that are rolled back, too.
  await database.query('create sequence transactions');
  await database.query(`create function count_transaction() returns trigger language plpgsql as $$
    begin perform nextval('transactions'); return new; end $$`);
  await database.query(
    'create trigger counted before insert or update on lane_marks for each row execute function count_transaction()',
  );
  const countTransactions = async (): Promise<number> => {
    const [row] = await database.query<{ n: number }>(`select nextval('transactions') as n`);
    return row?.n ?? 0;
  };
  const open = (): ReturnType<typeof openStore>['store'] => {
    const { store } = openStore(database);
    t.teardown(() => store.close());
    return store;
  };

  const channelId = newId('channel');
  /** Messages of one channel, each with its thread. */
  const send = async (count: number, externalMessageId: string | null = null) => {
    const store = open();
    const sent = Array.from({ length: count }, () => {
      const thread = new Counter();
      return { thread, messageId: newId('message'), threadId: thread.id };
    });
    await Promise.all(
      sent.map(({ thread, messageId, threadId }) => {
        const row = { ...plainMessage, channelId, externalMessageId, messageId, threadId };
        return store.commit(thread.next([insertMessage(row)]));
      }),
    );
    return sent;
  };
  type Sent = Awaited<ReturnType<typeof send>>[number];
  const link = ({ thread, messageId, threadId }: Sent, externalMessageId?: string) => {
    const claim = externalMessageId === undefined ? {} : { externalMessageId };
    return thread.next([updateMessageStatus({ messageId, threadId, status: 'sent', ...claim, at })]);
  };
  const readIds = async (sent: readonly Sent[]): Promise<(string | null)[]> => {
    const rows = await database.query<{ id: string; external: string | null }>(
      'select message_id as id, external_message_id as external from messages where message_id = any ($1)',
      [sent.map(({ messageId }) => messageId)],
    );
    return sent.map(({ messageId }) => rows.find(({ id }) => id === messageId)?.external ?? null);
  };

  await t.test('those that are taken are named in one go, and the rest is committed in the next', async t => {
    await send(1, 'taken');
    const store = open();
    const sent = await send(50);
    const wrong = [7, 20, 49];
    const before = await countTransactions();
    const results = await Promise.allSettled(
      sent.map((one, i) => store.commit(link(one, wrong.includes(i) ? 'taken' : `id-${i}`))),
    );
    const after = await countTransactions();
    const refused = results.flatMap((result, i) =>
      result.status === 'rejected' ? [[i, result.reason]] : [],
    );
    t.match(
      refused,
      wrong.map(i => [i, { name: 'Duplicate', scope: 'messages_external' }]),
    );
    t.same(
      await readIds(sent),
      sent.map((_, i) => (wrong.includes(i) ? null : `id-${i}`)),
    );
    t.equal(after - before - 1, 3, 'one fails, one names all three, one is committed');
  });

  await t.test('of two messages that claim one id in a batch, the older one gets it', async t => {
    const store = open();
    const sent = (await send(3)).sort((a, b) => (a.messageId < b.messageId ? -1 : 1));
    const results = await Promise.allSettled(sent.map(one => store.commit(link(one, 'wanted'))));
    t.match(results, [
      { status: 'fulfilled' },
      { status: 'rejected', reason: { name: 'Duplicate' } },
      { status: 'rejected', reason: { name: 'Duplicate' } },
    ]);
    t.same(await readIds(sent), ['wanted', null, null]);
  });

  await t.test(
    'other commits of the thread are to be decided again: only the one that claims the id is to blame',
    async t => {
      const store = open();
      const [sent, other] = await send(2);
      if (sent === undefined || other === undefined) throw new Error('not sent');
      const commits = [link(sent), link(sent, 'taken'), link(sent, 'taken'), link(other, 'free')];
      const results = await Promise.allSettled(commits.map(commit => store.commit(commit)));
      t.match(results, [
        { status: 'rejected', reason: { name: 'Fenced' } },
        { status: 'rejected', reason: { name: 'Duplicate' } },
        { status: 'rejected', reason: { name: 'Fenced' } },
        { status: 'fulfilled' },
      ]);
    },
  );
});
