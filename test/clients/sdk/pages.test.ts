/** Lists: by page, by item, and as an array. */
import t from 'tap';
import type { Page } from '../../../clients/sdk/index.ts';
import { failure, rejection, scriptClient, type Scripted, type SentRequest } from './scripted-fetch.ts';

const page = (names: readonly string[], nextCursor: string | null): Scripted => [
  200,
  { data: names.map(threadId => ({ threadId })), nextCursor, hasMore: nextCursor !== null },
];
/** Three pages, the second of which is empty although there are more. */
const pages = [page(['a', 'b'], 'one'), page([], 'two'), page(['c'], null)];
const listCursors = (requests: readonly SentRequest[]): (string | null)[] =>
  requests.map(({ url }) => url.searchParams.get('cursor'));

t.test('awaited, a list is its first page', async t => {
  const { skein, requests } = scriptClient(pages);
  const first = await skein.threads.list({ status: 'open' });
  t.match(first, { data: [{ threadId: 'a' }, { threadId: 'b' }], nextCursor: 'one', hasMore: true });
  const { requestId } = await skein.threads.list({ cursor: 'one' }).withResponse();
  t.equal(requestId, 'req_1');
  t.strictSame(listCursors(requests), [null, 'one']);
});

t.test('for await goes through all items, over a page that is empty', async t => {
  const { skein, requests } = scriptClient(pages);
  const found: string[] = [];
  for await (const { threadId } of skein.threads.list({ tag: 'vip', limit: 2 })) found.push(threadId);
  t.strictSame(found, ['a', 'b', 'c']);
  t.strictSame(listCursors(requests), [null, 'one', 'two']);
  t.ok(
    requests.every(({ url }) => url.searchParams.get('tag') === 'vip'),
    'the filters are those of the first page',
  );
});

t.test('pages are asked for when they are needed', async t => {
  const { skein, requests } = scriptClient(pages);
  const seen: Page<unknown>[] = [];
  for await (const each of skein.threads.list().pages()) {
    seen.push(each);
    t.equal(requests.length, seen.length);
  }
  t.equal(seen.length, 3);
});

t.test('toArray takes so many, and asks for no page more', async t => {
  for (const [limit, expected, asked] of [
    [undefined, ['a', 'b', 'c'], 3],
    [3, ['a', 'b', 'c'], 3],
    [2, ['a', 'b'], 1],
    [1, ['a'], 1],
    [0, [], 1],
  ] as const) {
    const { skein, requests } = scriptClient(pages);
    const items = await skein.threads.list().toArray(limit);
    t.strictSame(
      items.map(({ threadId }) => threadId),
      expected,
    );
    t.equal(requests.length, asked);
  }
});

t.test('an error in the middle ends it, after what came before', async t => {
  const { skein } = scriptClient([page(['a'], 'one'), [400, failure('svc/runtime/invalid_request')]]);
  const found: string[] = [];
  const error = await rejection(
    (async () => {
      for await (const { threadId } of skein.threads.list()) found.push(threadId);
    })(),
  );
  t.match(error, { kind: 'validation' });
  t.strictSame(found, ['a']);
});

t.test('hasMore says whether there is more, whatever the cursor', async t => {
  const last: Scripted = [200, { data: [{ threadId: 'a' }], nextCursor: 'more', hasMore: false }];
  const { skein, requests } = scriptClient([last]);
  t.equal((await skein.threads.list().toArray()).length, 1);
  t.equal(requests.length, 1);
});

t.test('a list that says no more where it goes on does not end as if that were all', async t => {
  for (const answers of [
    [[200, { data: [{ threadId: 'a' }], nextCursor: null, hasMore: true }]],
    [page(['a'], 'one'), page(['b'], 'one')],
  ] as Scripted[][]) {
    const { skein, requests } = scriptClient(answers);
    t.match(await rejection(skein.threads.list().toArray()), { kind: 'connection' });
    t.equal(requests.length, answers.length);
  }
});

t.test('a loop may be left, and a list gone through twice', async t => {
  const { skein, requests } = scriptClient([...pages, ...pages.slice(1)]);
  const list = skein.threads.list();
  for await (const { threadId } of list) if (threadId === 'a') break;
  t.equal(requests.length, 1);
  t.equal((await list.toArray()).length, 3, 'its first page is kept');
});
