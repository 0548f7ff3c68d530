/** A change to several threads: which of them stayed as they were, and why. */
import t from 'tap';
import { changeAll, findReasons } from '../../../../clients/console/list/change-all.ts';
import { english } from '../../../../clients/kit/texts/en.ts';
import { toErrorText } from '../../../../clients/kit/to-error-text.ts';
import { ApiError, ConnectionError, type Skein } from '../../../../clients/sdk/index.ts';

type Bulk = Skein['threads']['bulk'];

const changeBy = (bulk: (...asked: Parameters<Bulk>) => unknown, threadIds: readonly string[]) =>
  changeAll({ threads: { bulk } } as unknown as Pick<Skein, 'threads'>, threadIds, { action: 'close' });

const describe = async (error: unknown): Promise<string> => toErrorText(error, english.account.problems);

t.test('each that was refused has its reason, and the commonest comes first', async t => {
  const errors: Readonly<Record<string, object>> = {
    b: { error: 'svc/runtime/not_found', message: 'There is no such thread.' },
    c: { error: 'svc/validation/invalid_request', message: 'A thread has 20 tags at most.' },
    d: { error: 'svc/validation/invalid_request', message: 'A thread has 20 tags at most.' },
  };
  const refusals = await changeBy(
    async ({ threadIds }) => ({
      results: threadIds.map(threadId => {
        const error = errors[threadId] ?? null;
        return { threadId, status: error === null ? 'done' : 'failed', error };
      }),
    }),
    ['a', 'b', 'c', 'd'],
  );
  t.strictSame(
    refusals.map(({ threadId }) => threadId),
    ['b', 'c', 'd'],
  );
  t.ok(refusals.every(({ error }) => error instanceof ApiError));
  t.strictSame(await findReasons(refusals, describe), [
    { text: 'A thread has 20 tags at most.', count: 2 },
    { text: 'There is no such thread.', count: 1 },
  ]);
});

t.test('where a request fails, its threads have its reason, and those of the others have theirs', async t => {
  const names = Array.from({ length: 150 }, (_, index) => `thread_${index}`);
  let requests = 0;
  const refusals = await changeBy(async ({ threadIds }) => {
    if (++requests === 1) throw new ConnectionError('away');
    return { results: threadIds.map(threadId => ({ threadId, status: 'done', error: null })) };
  }, names);
  t.equal(requests, 2);
  t.strictSame(
    refusals.map(({ threadId }) => threadId),
    names.slice(0, 100),
  );
  t.match(await findReasons(refusals, describe), [{ count: 100 }]);
});

t.test('each thread is named with what was seen of it, where that is known', async t => {
  const bodies: object[] = [];
  const bulk = async (body: { readonly threadIds: readonly string[] }) => {
    bodies.push(body);
    return { results: body.threadIds.map(threadId => ({ threadId, status: 'done', error: null })) };
  };
  const client = { threads: { bulk } } as unknown as Pick<Skein, 'threads'>;
  const seen = new Map([
    ['a', 4],
    ['b', 7],
  ]);
  await changeAll(client, ['a', 'b', 'c'], { action: 'close' }, threadId => seen.get(threadId));
  await changeAll(client, ['a'], { action: 'close' });
  t.strictSame(bodies, [
    { action: 'close', threadIds: ['a', 'b', 'c'], expectedSequences: { a: 4, b: 7 } },
    { action: 'close', threadIds: ['a'] },
  ]);
});
