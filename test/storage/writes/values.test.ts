/** What a row holds after its commit, in a real PostgreSQL: what was given, or nothing of its commit. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { insertMessage } from '../../../storage/writes/index.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Counter, message, openStore, outcomes, plainMessage } from '../commit/counters.ts';

t.test('values', async t => {
  const { database } = await startTestDatabase(t);
  const { store, stored } = openStore(database);
  t.teardown(() => store.close());

  await t.test('a value that its column cannot hold fails its own commit, and no other', async t => {
    const [good, bad, other] = [new Counter(), new Counter(), new Counter()];
    const results = await outcomes([
      store.commit(good.next([message(good.id, 1, 'good')])),
      store.commit(bad.next([message(bad.id, 1.5, 'bad')])),
      store.commit(other.next([message(other.id, 1, 'other')])),
    ]);
    t.same(results, ['ok', 'RangeError', 'ok']);
    await store.commit(good.next());
    t.match(await stored(good), { version: 2 });
  });

  await t.test('nulls are read back as nulls, in all rows of a batch or in some', async t => {
    const row = fc.record({
      channelId: fc.option(fc.constant(newId('channel'))),
      externalMessageId: fc.option(fc.uuid()),
      status: fc.option(fc.constantFrom('queued', 'sent')),
      metadata: fc.constantFrom('{}', '{"a": 1}'),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 6 }), async rows => {
        const sent = rows.map(some => ({ ...plainMessage, ...some, messageId: newId('message') }));
        await Promise.all(
          sent.map(one => {
            const counter = new Counter();
            return store.commit(counter.next([insertMessage({ ...one, threadId: counter.id })]));
          }),
        );
        for (const { messageId, channelId, externalMessageId, status, metadata } of sent) {
          const [found] = await database.query<{ metadata: object }>(
            `select channel_id as "channelId", external_message_id as "externalMessageId", status, metadata
             from messages where message_id = $1`,
            [messageId],
          );
          t.same(found, { channelId, externalMessageId, status, metadata: JSON.parse(metadata) as object });
        }
      }),
      { numRuns: 40 },
    );
  });

  await t.test('every text comes back as it was', async t => {
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter(s => !s.includes('\0') && s.isWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 8 }), async texts => {
        const all = texts.map(note => ({ note, counter: new Counter() }));
        await Promise.all(
          all.map(({ note, counter }) => store.commit(counter.next([message(counter.id, 1, note)], note))),
        );
        for (const { note, counter } of all) {
          t.match(await stored(counter), { state: { note } });
          const [row] = await database.query<{ body: string }>(
            'select body from messages where thread_id = $1',
            [counter.id],
          );
          if (row?.body !== note) throw new Error('the body changed');
        }
      }),
      { numRuns: 30 },
    );
  });
});
