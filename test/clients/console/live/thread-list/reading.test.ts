/** When a list is read again: after events were missed, when the stream begins, with the time, and after a failure. */
import t from 'tap';
import { followList } from '../../../../../clients/console/live/follow-list.ts';
import type { StreamState } from '../../../../../clients/console/live/project-stream.ts';
import { ThreadList, type ThreadListPort } from '../../../../../clients/console/live/thread-list.ts';
import type { Thread } from '../../../../../clients/sdk/index.ts';
import {
  create,
  createPort,
  Later,
  me,
  Server,
  settled,
  start,
  threadIds,
  toInstant,
} from './listed-threads.ts';

t.test(
  'after a reset, what has ended meanwhile is shown until the answer comes, and then no more',
  async t => {
    const server = new Server('all');
    for (const threadId of threadIds.slice(0, 3)) server.write(threadId, 'inbound');
    const later = new Later();
    const port = createPort(server, later);
    const list = new ThreadList(port, { name: 'all', filters: {}, userId: me });
    await list.read();
    server.change('thread_b', { status: 'closed' });
    const renewed = list.onReset();
    list.markRead('thread_c', 1);
    later.run();
    t.strictSame(list.getState().order, ['thread_c', 'thread_b', 'thread_a']);
    t.equal(list.getThread('thread_b')?.status, 'open', 'no row is without its thread');
    await renewed;
    t.strictSame(list.getState().order, ['thread_c', 'thread_a']);
    t.equal(list.getThread('thread_b'), undefined);
    t.equal(list.getThread('thread_c')?.unreadCount, 0, 'what was read since it was asked for is read');
    list.hold(true);
    server.change('thread_c', { status: 'closed' });
    await list.onReset();
    t.match(list.getState(), { order: ['thread_c', 'thread_a'], waiting: 1 });
    t.ok(list.getThread('thread_c'), 'while it is held the row stays');
    list.hold(false);
    t.match(list.getState(), { order: ['thread_a'], waiting: 0 });
  },
);

t.test('what happened before the first connection came late is not missed', async t => {
  const server = new Server('all');
  server.write('thread_a', 'inbound');
  server.write('thread_b', 'inbound');
  const port = createPort(server, new Later());
  const list = new ThreadList(port, { name: 'all', filters: {}, userId: me });
  let state: StreamState = { is: 'connecting' };
  let onState: () => void = () => undefined;
  const stop = followList(
    {
      getState: () => state,
      onState: listener => {
        onState = listener;
        return () => (onState = () => undefined);
      },
      listen: () => () => undefined,
    },
    list,
    () => () => undefined,
  );
  await settled();
  t.strictSame(list.getState().order, ['thread_b', 'thread_a']);
  server.change('thread_b', { status: 'closed' });
  state = { is: 'online' };
  onState();
  await settled();
  t.strictSame(list.getState().order, ['thread_a']);
  stop();
});

t.test('threads whose window closes soon come with the time alone', async t => {
  let now = start;
  const serviceWindow = { open: true, expiresAt: toInstant(7_260) } as NonNullable<Thread['serviceWindow']>;
  let thread: Thread = { ...create('thread_a'), serviceWindow };
  const port: ThreadListPort = {
    list: async ({ windowClosesBefore = '' }) => ({
      data: (thread.serviceWindow?.expiresAt ?? '') < windowClosesBefore ? [thread] : [],
      hasMore: false,
      nextCursor: null,
    }),
    get: async () => thread,
    now: () => now,
    schedule: new Later().schedule,
  };
  const stream = {
    getState: (): StreamState => ({ is: 'online' }),
    onState: () => () => undefined,
    listen: () => () => undefined,
  };
  let tick: (() => void) | undefined;
  const eachMinute = (work: () => void): (() => void) => {
    tick = work;
    return () => (tick = undefined);
  };
  const list = new ThreadList(port, { name: 'closing', filters: {}, userId: me });
  const stop = followList(stream, list, eachMinute);
  await settled();
  t.strictSame(list.getState().order, []);
  now += 120_000;
  tick?.();
  await settled();
  t.strictSame(list.getState().order, ['thread_a']);
  // By now it ends later, and nothing was heard of it.
  const expiresAt = toInstant(80_000);
  thread = { ...thread, serviceWindow: { ...serviceWindow, expiresAt } };
  tick?.();
  await settled();
  t.strictSame(list.getState().order, []);
  stop();
  t.equal(tick, undefined);
  followList(stream, new ThreadList(port, { name: 'all', filters: {}, userId: me }), eachMinute)();
  t.equal(tick, undefined, 'of the others, events tell');
});

t.test('a read that fails says so, keeps what is shown, and is repeated', async t => {
  const server = new Server('all');
  server.write('thread_a', 'inbound');
  let isAway = true;
  const later = new Later();
  const port: ThreadListPort = {
    list: async query => {
      if (isAway) throw new Error('away');
      return server.page(query);
    },
    get: async () => create('thread_x'),
    now: () => start,
    schedule: later.schedule,
  };
  const list = new ThreadList(port, { name: 'all', filters: {}, userId: me });
  await list.read();
  t.match(list.getState(), { phase: 'failed', error: { message: 'away' } });
  isAway = false;
  await list.read();
  t.match(list.getState(), { phase: 'ready', order: ['thread_a'] });
  isAway = true;
  list.onReset();
  await settled();
  t.match(list.getState(), { phase: 'failed', order: ['thread_a'] });
  isAway = false;
  server.write('thread_b', 'inbound');
  later.run();
  await settled();
  t.match(list.getState(), { phase: 'ready', order: ['thread_b', 'thread_a'] });
});

t.test('where no stream can be had, the first page is read anew, and those below it stay', async t => {
  const server = new Server('all');
  for (const threadId of threadIds) server.write(threadId, 'inbound');
  const list = new ThreadList(createPort(server, new Later()), { name: 'all', filters: {}, userId: me });
  await list.read();
  await list.readMore();
  t.equal(list.getState().order.length, threadIds.length);
  server.change('thread_g', { status: 'closed' });
  server.write('thread_a', 'inbound');
  await list.onPoll();
  t.strictSame(
    list.getState().order,
    server.list().map(({ threadId }) => threadId),
  );
  t.equal(list.getThread('thread_a')?.unreadCount, 2);
});

t.test('what was read behind the first page is read anew as well where no stream can be had', async t => {
  const server = new Server('all');
  for (const threadId of threadIds) server.write(threadId, 'inbound');
  const later = new Later();
  const port = createPort(server, later);
  let meanwhile: (() => void) | undefined;
  const list = new ThreadList(
    {
      ...port,
      list: query => {
        if (query.cursor !== undefined) meanwhile?.();
        return port.list(query);
      },
    },
    { name: 'all', filters: {}, userId: me },
  );
  const expected = (): string[] => server.list().map(({ threadId }) => threadId);
  await list.read();
  await list.readMore();
  server.change('thread_c', { subject: 'Late' });
  server.change('thread_b', { status: 'archived' });
  t.notOk(expected().includes('thread_b'), 'it is in the queue no more');
  await list.onPoll();
  t.equal(list.getThread('thread_c')?.subject, 'Late');
  later.run();
  await settled();
  later.run();
  t.strictSame(list.getState().order, expected());

  // It moves into a page that was read already.
  meanwhile = () => {
    meanwhile = undefined;
    server.write('thread_a', 'inbound');
  };
  await list.onPoll();
  t.equal(meanwhile, undefined);
  t.ok(list.getState().order.includes('thread_a'), 'it is not lost');
  later.run();
  await settled();
  later.run();
  t.strictSame(list.getState().order, expected());
  t.equal(expected()[0], 'thread_a');
});
