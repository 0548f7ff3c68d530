/** A list and what happens meanwhile: any interleaving of reads and events ends in what a fresh read gives. */
import fc from '../../../../support/fuzz.ts';
import t from 'tap';
import { ThreadList, type ThreadListPort } from '../../../../../clients/console/live/thread-list.ts';
import { type QueueName, queueNames } from '../../../../../clients/console/live/queues.ts';
import type { Page, Thread } from '../../../../../clients/sdk/index.ts';
import {
  create,
  createPort,
  Later,
  me,
  Server,
  settled,
  start,
  threadIds,
  type Told,
} from './listed-threads.ts';

const step = fc.oneof(
  fc.record({ is: fc.constant('inbound' as const), threadId: fc.constantFrom(...threadIds) }),
  fc.record({ is: fc.constant('outbound' as const), threadId: fc.constantFrom(...threadIds) }),
  fc.record({
    is: fc.constantFrom('erase' as const, 'report' as const),
    threadId: fc.constantFrom(...threadIds),
  }),
  fc.record({
    is: fc.constantFrom<Told>('suggest', 'resolve', 'fail', 'send', 'deliver'),
    threadId: fc.constantFrom(...threadIds),
  }),
  fc.record({
    is: fc.constant('change' as const),
    threadId: fc.constantFrom(...threadIds),
    change: fc.constantFrom<Partial<Thread>>(
      { status: 'closed', waitingSince: null },
      { status: 'open' },
      { assigneeUserId: me },
      { assigneeUserId: null },
      { agentMode: 'paused' },
      { participant: { externalParticipantRef: 'ref', displayName: 'Ada', locale: null, attributes: {} } },
    ),
  }),
  fc.constantFrom(
    { is: 'later' as const },
    { is: 'more' as const },
    { is: 'read' as const },
    { is: 'settle' as const },
    // From here on events are missed, until the stream begins again without them.
    { is: 'lose' as const },
    { is: 'reset' as const },
  ),
);

t.test('reads and events in any order end in what is there', async t => {
  const law = fc.asyncProperty(
    fc.constantFrom<QueueName>(...queueNames.filter(name => name !== 'search')),
    fc.array(step, { maxLength: 40 }),
    async (name, steps) => {
      const server = new Server(name);
      for (const threadId of threadIds) server.write(threadId, 'inbound');
      const later = new Later();
      const port: ThreadListPort = {
        // What is read is as old as the moment it was asked for.
        list: async query => {
          const page = server.page(query);
          await settled();
          return page;
        },
        get: async threadId => {
          const thread = server.threads.get(threadId) ?? create(threadId);
          await settled();
          return thread;
        },
        now: () => start,
        schedule: later.schedule,
      };
      const list = new ThreadList(port, { name, filters: {}, userId: me });
      void list.read();
      let isLost = false;
      const reset = (): void => {
        if (isLost) void list.onReset();
        isLost = false;
      };
      for (const each of steps) {
        const event =
          each.is === 'inbound' || each.is === 'outbound'
            ? server.write(each.threadId, each.is)
            : each.is === 'erase' || each.is === 'report'
              ? server[each.is](each.threadId)
              : each.is === 'change'
                ? server.change(each.threadId, each.change)
                : 'threadId' in each
                  ? server.tell(each.threadId, each.is)
                  : undefined;
        if (event !== undefined && !isLost) list.onEvent(event);
        else if (each.is === 'later') later.run();
        else if (each.is === 'more') void list.readMore();
        else if (each.is === 'read') void list.read();
        else if (each.is === 'settle') await settled();
        else if (each.is === 'lose') isLost = true;
        else if (each.is === 'reset') reset();
      }
      reset();
      for (let round = 0; round < 12; round++) {
        await settled();
        later.run();
      }
      while (list.getState().hasMore) await list.readMore();
      await settled();
      later.run();
      const expected = server.list();
      const { order } = list.getState();
      if (order.join() !== expected.map(({ threadId }) => threadId).join()) return false;
      const toShown = (thread: Thread | undefined): string =>
        JSON.stringify([
          thread?.preview,
          thread?.unreadCount,
          thread?.status,
          thread?.pendingSuggestion ?? null,
          thread?.failedSends ?? 0,
          thread?.waitingSince ?? null,
          thread?.serviceWindow?.expiresAt,
          thread?.participant?.displayName,
        ]);
      return expected.every(thread => toShown(list.getThread(thread.threadId)) === toShown(thread));
    },
  );
  await fc.assert(law, { numRuns: 1000 });
  t.pass('1,000 histories');
});

t.test('of an answer and an event the newer one counts, whichever comes first', async t => {
  const server = new Server('all');
  server.write('thread_a', 'inbound');
  server.write('thread_b', 'inbound');
  const list = new ThreadList(
    {
      ...createPort(server, new Later()),
      list: async query => {
        const page = server.page(query);
        await settled();
        return page;
      },
    },
    { name: 'all', filters: {}, userId: me },
  );
  const suggested = server.tell('thread_a', 'suggest');
  server.tell('thread_a', 'resolve');
  await list.read();
  list.onEvent(suggested);
  t.equal(list.getThread('thread_a')?.pendingSuggestion, null);
  list.onEvent(server.change('thread_a', { status: 'closed' }));
  const reading = list.read();
  list.onEvent(server.change('thread_a', { status: 'open' }));
  await reading;
  t.strictSame(list.getState().order, ['thread_b', 'thread_a'], 'it has come since the page was asked for');
});

t.test(
  'of more threads than are read by themselves, those that have left the queue are not kept',
  async t => {
    const server = new Server('all');
    const names = Array.from({ length: 30 }, (_, index) => `thread_${index + 10}`);
    for (const threadId of names) server.write(threadId, 'inbound');
    const later = new Later();
    const createPage = (): Page<Thread> => ({ data: server.list(), hasMore: false, nextCursor: null });
    const port: ThreadListPort = {
      list: async () => {
        const page = createPage();
        await settled();
        return page;
      },
      get: async () => {
        throw new Error('they are too many');
      },
      now: () => start,
      schedule: later.schedule,
    };
    const list = new ThreadList(port, { name: 'all', filters: {}, userId: me });
    const read = list.read();
    // The answer that is on its way is older than this.
    for (const threadId of names.slice(0, 25)) list.onEvent(server.change(threadId, { status: 'closed' }));
    await read;
    t.equal(list.getState().order.length, 30);
    later.run();
    await settled();
    await settled();
    t.strictSame(list.getState().order, names.slice(25).reverse());
  },
);

/** A list of Mine that has been read, and which threads it has asked for by themselves. */
async function readMine(server: Server, later: Later) {
  const asked: string[] = [];
  let pages = 0;
  const port = createPort(server, later);
  const counted: ThreadListPort = {
    ...port,
    list: query => (pages++, port.list(query)),
    get: threadId => (asked.push(threadId), port.get(threadId)),
  };
  const list = new ThreadList(counted, { name: 'mine', filters: {}, userId: me });
  await list.read();
  return { list, asked, countPages: () => pages };
}

t.test('an event that has the thread is enough where it belongs elsewhere', async t => {
  const server = new Server('mine');
  server.change('thread_a', { assigneeUserId: me });
  const later = new Later();
  const { list, asked, countPages } = await readMine(server, later);
  for (let index = 0; index < 10_000; index++)
    list.onEvent(server.change(`foreign_${index}`, { assigneeUserId: 'user_other' }));
  later.run();
  await settled();
  t.strictSame(asked, []);
  t.equal(countPages(), 1);
  list.onEvent(server.change('foreign_7', { assigneeUserId: me }));
  later.run();
  await settled();
  later.run();
  t.strictSame(asked, ['foreign_7'], 'it is of this list by now');
  t.strictSame(list.getState().order, ['thread_a', 'foreign_7']);
});

t.test('of the threads that belong elsewhere and had to be read, the last 5,000 or so are kept', async t => {
  const server = new Server('mine');
  server.change('thread_a', { assigneeUserId: me });
  const later = new Later();
  const { list, asked, countPages } = await readMine(server, later);
  const write = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) list.onEvent(server.write(`foreign_${index}`, 'outbound'));
    later.run();
    await settled();
    later.run();
  };
  for (let index = 0; index < 10_000; index += 20) await write(index, index + 20);
  t.equal(asked.length, 10_000);
  // All together, since a list that asks for many at once is read anew.
  await write(5_000, 10_000);
  t.equal(asked.length, 10_000, 'what is known is not asked for');
  await write(0, 10);
  await write(3_990, 4_000);
  t.equal(asked.length, 10_020, 'of the others nothing is known any more');
  t.equal(countPages(), 1);
  t.strictSame(list.getState().order, ['thread_a']);
  t.equal(list.getThread('thread_a')?.assigneeUserId, me);
});
