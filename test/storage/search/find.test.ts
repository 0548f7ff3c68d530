/** Threads found by words, beside what a reader of all messages would find. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { searchThreads, toSnippet } from '../../../storage/search/find.ts';
import { followEvents } from '../../../storage/search/follow.ts';
import { startTestDatabase } from '../../support/database.ts';
import { createSpeaker, start } from './speaker.ts';

const { database: db } = await startTestDatabase(t);
const say = createSpeaker(db);
const vocabulary = ['refund', 'refunds', 'parcel', 'late', 'zürich', 'hello', 'blue', 'bluebird'];
const search = async (tenant: string, q: string, more: object = {}) => {
  const scope = { projectId: `prj_${tenant}`, environmentId: `env_${tenant}` };
  return searchThreads(db, { ...scope, q, limit: 100, now: start, ...more });
};
const found = async (tenant: string, q: string, more: object = {}) =>
  (await search(tenant, q, more)).map(({ threadId }) => Number(threadId.slice(`thread_${tenant}`.length)));

t.test(
  'finds the threads that have a message with all the words, the last of them as a beginning',
  async t => {
    const word = fc.constantFrom(...vocabulary);
    const history = fc.array(
      fc.record({
        thread: fc.nat(9),
        body: fc.array(word, { minLength: 1, maxLength: 4 }).map(words => words.join(' ')),
      }),
      { minLength: 1, maxLength: 30 },
    );
    const asked = fc.array(word, { minLength: 1, maxLength: 2 });
    let run = 0;
    let some = 0;
    await fc.assert(
      fc.asyncProperty(history, asked, fc.boolean(), async (messages, words, onlyOpen) => {
        const tenant = `p${run++}x`;
        await say(tenant, messages);
        await say(`${tenant}other`, messages);
        await followEvents(db);
        const fits = (body: string): boolean =>
          words.every((word, index) =>
            body
              .split(' ')
              .some(each => (index === words.length - 1 ? each.startsWith(word) : each === word)),
          );
        const threads = new Set(messages.filter(({ body }) => fits(body)).map(({ thread }) => thread));
        const wanted = [...threads].filter(thread => !onlyOpen || thread % 2 === 0).sort();
        const got = await found(tenant, words.join(' '), onlyOpen ? { status: ['open'] } : {});
        if (got.sort().join() !== wanted.join()) throw new Error(`${got.join()} instead of ${wanted.join()}`);
        some += wanted.length;
      }),
      { numRuns: 40 },
    );
    t.ok(some > 20, `${some} threads were found`);
  },
);

t.test('the index finds what the newest messages do not have', async t => {
  await say('deep', [
    { thread: 1, body: 'an umbrella was forgotten' },
    { thread: 2, body: 'umbrella' },
    ...Array.from({ length: 2_500 }, (_, n) => ({ thread: 3 + (n % 40), body: 'hello again' })),
  ]);
  for (let calls = 0; calls < 2; calls++) await followEvents(db);
  t.strictSame((await found('deep', 'umbrella')).sort(), [1, 2]);
  t.strictSame(await found('deep', 'forgotten umbrella'), [1]);
  t.strictSame(await found('deep', '"umbrella was"'), [1]);
  t.strictSame(await found('deep', 'umbrella -forgotten'), [2]);
  t.strictSame((await found('deep', 'umbr')).sort(), [1, 2], 'as it is typed');
  t.strictSame(await found('deep', 'um'), [], 'two characters begin too many words');
  t.equal((await found('deep', 'hello', { limit: 5 })).length, 5);
  t.strictSame(await found('deep', '!!! -'), [], 'nothing that is a word');
  t.strictSame(await found('deep', `'); drop table threads; --`), []);
});

t.test('a participant is found by name and reference, before messages that name them', async t => {
  await say('who', [
    { thread: 1, body: 'hello' },
    { thread: 2, body: 'is number1 there?' },
  ]);
  await followEvents(db);
  const [first, second] = await search('who', 'number1');
  t.match(first?.match, {
    field: 'participant',
    snippet: 'Ada Number1 ref1',
    highlights: [[4, 11]],
    messageId: null,
  });
  t.match(second?.match, { field: 'message', snippet: 'is number1 there?', highlights: [[3, 10]] });
  t.strictSame(await found('who', 'ref2'), [2]);
  await db.query(
    `update threads set participant = '{"displayName": "Grace"}' where thread_id = 'thread_who1'`,
  );
  await say('who', [{ thread: 1, body: 'it is me' }]);
  await followEvents(db);
  t.strictSame(await found('who', 'grace'), [1], 'under the new name');
});

t.test('a thread is found by what it is about', async t => {
  await say('what', [
    { thread: 1, body: 'hello' },
    { thread: 2, body: 'hello' },
  ]);
  await db.query(
    `update threads set state = '{"subject": "Invoice 4711 of March"}' where thread_id = 'thread_what1'`,
  );
  await followEvents(db);
  const [first, ...others] = await search('what', 'invoice 4711');
  t.match(first?.match, {
    field: 'subject',
    snippet: 'Invoice 4711 of March',
    highlights: [
      [0, 7],
      [8, 12],
    ],
  });
  t.equal(others.length, 0);
  t.match((await search('what', 'ada invoice'))[0]?.match, {
    field: 'subject',
    snippet: /^Ada Number1.*March$/,
  });
  t.match((await search('what', 'number1'))[0]?.match, { field: 'participant', snippet: 'Ada Number1 ref1' });
});

t.test('of two threads with the same words the one with the newer message comes first', async t => {
  await say('age', [
    { thread: 1, body: 'parcel' },
    ...Array.from({ length: 800 }, () => ({ thread: 9, body: 'x' })),
    { thread: 2, body: 'parcel' },
  ]);
  await followEvents(db);
  t.strictSame(await found('age', 'parcel', { now: start + 802 * 3_600_000 }), [2, 1]);
});

t.test('two nodes that follow at once take nothing twice, and nothing is missed', async t => {
  await say(
    'race',
    Array.from({ length: 300 }, (_, thread) => ({ thread, body: `parcel no${thread}` })),
  );
  await Promise.all([followEvents(db), followEvents(db), followEvents(db)]);
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from message_words where project_id = 'prj_race' and sequence > 0`,
  );
  t.equal(row?.count, 300);
  t.strictSame(await found('race', 'no123'), [123]);
});

t.test('a snippet is text, whatever the message has in it', t => {
  t.strictSame(toSnippet('a \ue000b\ue001\n c \ue000d\ue001'), {
    snippet: 'a b c d',
    highlights: [
      [2, 3],
      [6, 7],
    ],
  });
  t.strictSame(toSnippet('<b>x</b>'), { snippet: '<b>x</b>', highlights: [] });
  t.strictSame(toSnippet(''), { snippet: '', highlights: [] });
  t.end();
});
