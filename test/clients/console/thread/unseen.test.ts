/** Threads that were not put away: told of until somebody has decided, or there is nothing to decide any more. */
import t from 'tap';
import { UnseenMessages, type Refused } from '../../../../clients/console/thread/unseen.ts';
import { ApiError, ConnectionError, type SkeinEvent, type Thread } from '../../../../clients/sdk/index.ts';

const notFound = new ApiError({
  status: 404,
  code: 'svc/runtime/not_found',
  reason: 'There is no such thread.',
  headers: new Headers(),
} as ConstructorParameters<typeof ApiError>[0]);

const createThread = (threadId: string, more: Partial<Thread> = {}): Thread =>
  ({ threadId, status: 'open', snoozedUntil: null, erasedAt: null, ...more }) as Thread;

const refuse = (threadId: string, sequence = 5): Refused => ({
  thread: createThread(threadId),
  change: { status: 'closed' },
  sequence,
});

/** A server whose threads are open unless it is said otherwise. */
function start() {
  const threads = new Map<string, Thread | Error>();
  const asked: string[] = [];
  const unseen = new UnseenMessages(async threadId => {
    asked.push(threadId);
    const thread = threads.get(threadId) ?? createThread(threadId);
    if (thread instanceof Error) throw thread;
    return thread;
  });
  const list = () => unseen.getAll().map(({ thread }) => thread.threadId);
  return { unseen, threads, asked, list };
}

const settled = (): Promise<unknown> => new Promise(resolve => setImmediate(resolve));

t.test('the last one of a thread is kept, until it is decided by whomever', async t => {
  const { unseen, list } = start();
  for (const each of [refuse('a'), refuse('b'), refuse('a', 6), refuse('c'), refuse('d')]) unseen.add(each);
  await settled();
  t.strictSame(list(), ['b', 'a', 'c', 'd']);
  t.equal(unseen.getAll()[1]?.sequence, 6);
  const tell = (eventName: string, data: object): void =>
    unseen.onEvent({ eventName, data } as unknown as SkeinEvent);
  tell('thread.status.changed', { threadId: 'b', thread: createThread('b', { status: 'closed' }) });
  tell('thread.status.changed', { threadId: 'a', thread: createThread('a') });
  tell('thread.lifecycle.erased', { threadId: 'c' });
  tell('thread.snooze.changed', { threadId: 'd', thread: createThread('d', { snoozedUntil: '2026' }) });
  t.strictSame(list(), ['a']);
  unseen.remove('a');
  t.strictSame(list(), []);
});

t.test('one that a colleague has put away before the answer came is dropped', async t => {
  const { unseen, threads, list } = start();
  threads.set('a', createThread('a', { status: 'closed' }));
  threads.set('b', new ConnectionError('away'));
  for (const threadId of ['a', 'b', 'c']) unseen.add(refuse(threadId));
  t.strictSame(list(), ['a', 'b', 'c'], 'all are told at once');
  await settled();
  t.strictSame(list(), ['b', 'c'], 'what cannot be read stays');
});

for (const missed of ['onBegin', 'onReset', 'onPoll'] as const) {
  t.test(`they are read again where no event told what became of them: ${missed}`, async t => {
    const { unseen, threads, asked, list } = start();
    for (const threadId of ['a', 'b', 'c', 'd', 'e']) unseen.add(refuse(threadId));
    await settled();
    threads.set('a', createThread('a', { status: 'archived' }));
    threads.set('b', createThread('b', { snoozedUntil: '2026-12-01T12:00:00.000Z' }));
    threads.set('c', createThread('c', { erasedAt: '2026-11-26T12:00:00.000Z' }));
    threads.set('d', notFound);
    asked.length = 0;
    await unseen[missed]();
    await settled();
    t.strictSame(list(), ['e']);
    t.strictSame(asked, ['a', 'b', 'c', 'd', 'e']);
  });
}

t.test('an answer about an earlier refusal takes nothing of a later one away', async t => {
  const { promise, resolve } = Promise.withResolvers<Thread>();
  const answers = [promise, Promise.resolve(createThread('a'))];
  const unseen = new UnseenMessages(() => answers.shift() ?? promise);
  unseen.add(refuse('a', 5));
  unseen.add(refuse('a', 8));
  resolve(createThread('a', { status: 'closed' }));
  await settled();
  t.match(unseen.getAll(), [{ sequence: 8 }]);
});

t.test('whoever was told of one in its conversation is not told again elsewhere', async t => {
  const { unseen } = start();
  unseen.add(refuse('a'));
  unseen.add(refuse('b'));
  let changes = 0;
  unseen.onChange(() => changes++);
  unseen.markTold('a');
  unseen.markTold('a');
  unseen.markTold('c');
  t.match(unseen.getAll(), [{ wasTold: true }, { wasTold: undefined }]);
  t.equal(changes, 1);
  unseen.add(refuse('a', 9));
  t.match(unseen.getAll().at(-1), { sequence: 9, wasTold: undefined }, 'of a later one they are');
});
