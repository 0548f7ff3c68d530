/** A list that somebody holds, by the pointer or by scrolling: nothing moves in it. */
import t from 'tap';
import { ThreadList, type ThreadListPort } from '../../../../../clients/console/live/thread-list.ts';
import type { Page, Thread } from '../../../../../clients/sdk/index.ts';
import { createPort, Later, me, Server, settled, threadIds } from './listed-threads.ts';

t.test('no row moves while the list is held, and what waits is counted', async t => {
  const server = new Server('all');
  for (const threadId of threadIds.slice(0, 3)) server.write(threadId, 'inbound');
  const later = new Later();
  const port = createPort(server, later);
  const list = new ThreadList(port, { name: 'all', filters: {}, userId: me });
  await list.read();
  const before = list.getState().order;
  list.hold(true);
  list.onEvent(server.write('thread_a', 'inbound'));
  list.onEvent(server.write('thread_a', 'inbound'));
  list.onEvent(server.write('thread_d', 'inbound'));
  later.run();
  await settled();
  later.run();
  t.strictSame(list.getState().order, before);
  t.equal(list.getState().waiting, 2, 'one thread rose, one is new');
  t.equal(list.getThread('thread_a')?.unreadCount, 3, 'what is in a row is shown at once');
  list.hold(false);
  t.strictSame(list.getState().order, ['thread_d', 'thread_a', 'thread_c', 'thread_b']);
  t.equal(list.getState().waiting, 0);
});

t.test('whoever scrolls holds the list: further pages come all the same, below what is shown', async t => {
  const server = new Server('all');
  for (let number = 0; number < 130; number++) server.write(`thread_${1_000 + number}`, 'inbound');
  const later = new Later();
  const port: ThreadListPort = {
    ...createPort(server, later),
    list: async ({ cursor, limit = 50 }) => {
      const from = Number(cursor ?? 0);
      const data = server.list().slice(from, from + limit);
      const hasMore = from + limit < server.threads.size;
      return { data, hasMore, nextCursor: hasMore ? String(from + limit) : null } as Page<Thread>;
    },
  };
  const list = new ThreadList(port, { name: 'all', filters: {}, userId: me });
  await list.read();
  const first = list.getState().order;
  t.equal(first.length, 50);
  list.hold(true);
  // One of the next page rises to the top meanwhile.
  list.onEvent(server.write('thread_1050', 'inbound'));
  later.run();
  await settled();
  later.run();
  await list.readMore();
  const held = list.getState().order;
  t.strictSame(held.slice(0, 50), first);
  t.equal(new Set(held).size, held.length, 'nothing stands there twice');
  t.equal(held.length, 129, 'the one that has risen waits');
  list.hold(false);
  t.strictSame(
    list.getState().order,
    server.list().map(({ threadId }) => threadId),
  );
});
