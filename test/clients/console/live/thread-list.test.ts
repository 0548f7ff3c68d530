/** A queue as it is shown: any interleaving of reads and events ends in what a fresh read gives, and nothing moves while it is held. */
import fc from '../../../support/fuzz.ts';
import t from 'tap';
import { followList } from '../../../../clients/console/live/follow-list.ts';
import type { StreamState } from '../../../../clients/console/live/project-stream.ts';
import { ThreadList, type ThreadListPort } from '../../../../clients/console/live/thread-list.ts';
import {
  belongs,
  compare,
  createQuery,
  getApplicable,
  type QueueName,
  queueNames,
} from '../../../../clients/console/live/queues.ts';
import type { ListThreadsQuery, Page, SkeinEvent, Thread } from '../../../../clients/sdk/index.ts';

const me = 'user_me';
const start = Date.parse('2026-11-23T10:00:00Z');
const toInstant = (at: number): string => new Date(start + at * 1_000).toISOString();

type Told = 'suggest' | 'resolve' | 'fail' | 'send' | 'deliver';

/** A server with some threads, whose answers may be late. */
class Server {
  readonly threads = new Map<string, Thread>();
  readonly name: QueueName;
  at = 0;

  constructor(name: QueueName) {
    this.name = name;
  }

  change(threadId: string, change: Partial<Thread>): SkeinEvent {
    const known = this.threads.get(threadId) ?? create(threadId);
    const thread = {
      ...known,
      ...change,
      sequence: (known.sequence ?? 0) + 1,
      updatedAt: toInstant(++this.at),
    };
    this.threads.set(threadId, thread);
    const { preview: _, unreadCount: __, ...shown } = thread;
    const data = { environmentId: 'env', threadId, sequence: thread.sequence, thread: shown };
    return createEvent('thread.lifecycle.updated', data);
  }

  /** An event that tells one thing of the thread alone. */
  tell(threadId: string, is: Told): SkeinEvent {
    const known = this.threads.get(threadId) ?? create(threadId);
    const sequence = (known.sequence ?? 0) + 1;
    const failedSends = is === 'fail' ? (known.failedSends ?? 0) + 1 : 0;
    const change = {
      suggest: { pendingSuggestion: 'run_one' },
      resolve: { pendingSuggestion: null },
      fail: { failedSends },
      send: { failedSends },
      deliver: { failedSends },
    }[is];
    this.threads.set(threadId, { ...known, ...change, sequence });
    const name = {
      suggest: 'agent.suggestion.created',
      resolve: 'agent.suggestion.resolved',
      fail: 'channel.message.delivery_failed',
      send: 'channel.message.sent',
      deliver: 'channel.message.delivered',
    }[is];
    const counts = 'failedSends' in change && (known.failedSends ?? 0) !== failedSends ? change : {};
    const data = { environmentId: 'env', threadId, sequence, agentRunId: 'run_one' };
    return createEvent(name, { ...data, ...counts });
  }

  /** The provider says something of the participant, which waits for no answer and opens no window. */
  report(threadId: string): SkeinEvent {
    return this.write(threadId, 'inbound', { type: 'system', event: 'number_changed' });
  }

  erase(threadId: string): SkeinEvent {
    return this.change(threadId, { preview: null, erasedAt: toInstant(this.at + 1) });
  }

  write(threadId: string, direction: 'inbound' | 'outbound', content?: object): SkeinEvent {
    const known = this.threads.get(threadId) ?? create(threadId);
    const sequence = (known.sequence ?? 0) + 1;
    const createdAt = toInstant(++this.at);
    const isInbound = direction === 'inbound';
    // It soon ends, until more was written.
    const serviceWindow =
      isInbound && content === undefined
        ? { open: true, expiresAt: toInstant(6_600 + this.at * 60) }
        : known.serviceWindow;
    const message = {
      messageId: `message_${this.at}`,
      threadId,
      projectId: 'prj',
      direction,
      body: ` text\n${this.at} `,
      attachments: [],
      metadata: {},
      createdAt,
      sequence,
      actor: { type: isInbound ? 'contact' : 'user', id: null },
      ...(content && { content }),
    } as const;
    this.threads.set(threadId, {
      ...known,
      sequence,
      lastMessageAt: createdAt,
      updatedAt: createdAt,
      status: isInbound ? 'open' : known.status,
      unreadCount: (known.unreadCount ?? 0) + (isInbound ? 1 : 0),
      waitingSince: !isInbound
        ? null
        : content === undefined
          ? (known.waitingSince ?? createdAt)
          : (known.waitingSince ?? null),
      ...(serviceWindow && { serviceWindow }),
      preview: {
        messageId: message.messageId,
        direction,
        actorType: message.actor.type,
        text: `text ${this.at}`,
        contentType: content === undefined ? null : 'system',
        attachmentCount: 0,
        at: createdAt,
      },
    });
    const eventName = isInbound ? 'thread.message.received' : 'thread.message.created';
    const data = { environmentId: 'env', threadId, sequence, message };
    return createEvent(eventName, { ...data, ...(isInbound && serviceWindow && { serviceWindow }) });
  }

  list(): Thread[] {
    const surroundings = { userId: me, now: start };
    return [...this.threads.values()]
      .filter(thread => belongs(thread, this.name, {}, surroundings))
      .sort((one, other) => compare(this.name, one, other));
  }

  /** A cursor is a place in the order, wherever the thread that stood there has gone. */
  page({ cursor }: ListThreadsQuery): Page<Thread> {
    const last = cursor === undefined ? undefined : (JSON.parse(cursor) as Thread);
    const all = this.list().filter(thread => last === undefined || compare(this.name, last, thread) < 0);
    const data = all.slice(0, 4);
    const hasMore = all.length > 4;
    return { data, hasMore, nextCursor: hasMore ? JSON.stringify(data.at(-1)) : null };
  }
}

const create = (threadId: string): Thread => ({
  threadId,
  projectId: 'prj',
  environmentId: 'env',
  status: 'open',
  lastMessageAt: toInstant(0),
  createdAt: toInstant(0),
  updatedAt: toInstant(0),
  sequence: 0,
  unreadCount: 0,
  waitingSince: null,
  preview: null,
});

const createEvent = (eventName: string, data: object): SkeinEvent =>
  ({
    eventId: 'evt',
    eventName,
    occurredAt: toInstant(0),
    apiVersion: '',
    projectId: 'prj',
    data,
  }) as SkeinEvent;

/** Runs what was scheduled when it is told to. */
class Later {
  readonly #works = new Set<() => void>();
  readonly schedule = (work: () => void): (() => void) => {
    this.#works.add(work);
    return () => this.#works.delete(work);
  };
  run(): void {
    for (const work of [...this.#works]) if (this.#works.delete(work)) work();
  }
}

/** What a list asks, answered by the server at once. */
const createPort = (server: Server, later: Later): ThreadListPort => ({
  list: async query => server.page(query),
  get: async threadId => server.threads.get(threadId) ?? create(threadId),
  now: () => start,
  schedule: later.schedule,
});

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const threadIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(letter => `thread_${letter}`);
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

/** A list of so many threads, of which the server looks at ten a page. */
class Scanned {
  readonly later = new Later();
  readonly asked: ListThreadsQuery[] = [];
  readonly list: ThreadList;
  readonly #fits: ReadonlySet<number>;
  #failures = 0;

  constructor(count: number, fits: readonly number[], name: QueueName = 'all') {
    this.#fits = new Set(fits);
    const port: ThreadListPort = {
      list: async query => {
        this.asked.push(query);
        if (this.#failures > 0) {
          this.#failures--;
          throw new Error('away');
        }
        const from = Number(query.cursor ?? 0);
        const numbers = Array.from({ length: Math.min(10, count - from) }, (_, index) => from + index);
        const data = numbers.filter(number => this.#fits.has(number)).map(number => this.#create(number));
        const hasMore = from + 10 < count;
        return { data, hasMore, nextCursor: hasMore ? String(from + 10) : null } as Page<Thread>;
      },
      get: async threadId => create(threadId),
      now: () => start,
      schedule: this.later.schedule,
    };
    this.list = new ThreadList(port, { name, filters: {}, userId: me });
  }

  fail(times: number): void {
    this.#failures = times;
  }

  #create(number: number): Thread {
    return { ...create(`thread_${number}`), lastMessageAt: toInstant(-number) };
  }
}

t.test('pages without a row are read on from, until one has a row', async t => {
  const { list, asked } = new Scanned(200, [53, 157]);
  await list.read();
  t.match(list.getState(), { phase: 'ready', order: ['thread_53'], hasMore: true, isFar: false });
  t.equal(asked.length, 6);
  await list.readMore();
  t.match(list.getState(), { order: ['thread_53', 'thread_157'], hasMore: true });
  await list.readMore();
  t.match(list.getState(), { order: ['thread_53', 'thread_157'], hasMore: false, isFar: false });
  t.equal(asked.length, 20);
});

t.test('what is far away is looked for when somebody asks', async t => {
  const { list, asked } = new Scanned(1_000, [3, 777]);
  await list.read();
  t.match(list.getState(), { order: ['thread_3'], hasMore: true });
  await list.readMore();
  t.match(list.getState(), { phase: 'ready', order: ['thread_3'], hasMore: true, isFar: true });
  t.equal(asked.length, 21, 'no further than a limit by itself');
  for (let round = 0; round < 3; round++) await list.readMore();
  t.match(list.getState(), { order: ['thread_3', 'thread_777'], isFar: false });
});

t.test('a further page that could not be read is asked for again', async t => {
  const scanned = new Scanned(200, [3, 53]);
  const { list, later } = scanned;
  await list.read();
  scanned.fail(2);
  await list.readMore();
  t.match(list.getState(), { phase: 'ready', error: { message: 'away' }, order: ['thread_3'] });
  for (let round = 0; round < 2; round++) {
    later.run();
    for (let turn = 0; turn < 12; turn++) await settled();
  }
  t.match(list.getState(), { error: undefined, order: ['thread_3', 'thread_53'] });
});

t.test('further pages are of the question of the first, whatever the time', async t => {
  let now = start;
  const asked: ListThreadsQuery[] = [];
  const port: ThreadListPort = {
    list: async query => {
      asked.push(query);
      const serviceWindow = { open: true, expiresAt: toInstant(60 + asked.length) };
      const data = [{ ...create(`thread_${asked.length}`), serviceWindow }];
      return { data, hasMore: asked.length < 2, nextCursor: 'next' } as unknown as Page<Thread>;
    },
    get: async threadId => create(threadId),
    now: () => now,
    schedule: new Later().schedule,
  };
  const list = new ThreadList(port, { name: 'closing', filters: {}, userId: me });
  await list.read();
  now += 3_600_000;
  await list.readMore();
  const [first, second] = asked;
  t.match(first, { sort: 'windowClosesAt', order: 'asc' });
  t.equal(second?.windowClosesBefore, first?.windowClosesBefore);
});

t.test('results of a search keep the order of the server, and no others come', async t => {
  const ranked = ['thread_c', 'thread_a', 'thread_b'];
  const later = new Later();
  const server = new Server('all');
  for (const threadId of [...ranked, 'thread_d']) server.write(threadId, 'inbound');
  const port: ThreadListPort = {
    ...createPort(server, later),
    list: async () => ({ data: ranked.map(threadId => create(threadId)), hasMore: false, nextCursor: null }),
  };
  const list = new ThreadList(port, { name: 'search', filters: { q: 'parcel' }, userId: me });
  await list.read();
  for (const threadId of ['thread_b', 'thread_d']) list.onEvent(server.write(threadId, 'inbound'));
  later.run();
  await settled();
  later.run();
  t.strictSame(list.getState().order, ranked);
  t.equal(list.getThread('thread_b')?.preview?.text, 'text 5');
});

t.test('filters that a queue has set already say nothing in it', async t => {
  const surroundings = { userId: me, now: start };
  const mine = { ...create('thread_a'), assigneeUserId: me };
  const filters = { assigneeUserId: ['user_other'], tag: ['vip'] };
  t.match(createQuery('mine', filters, surroundings), { assigneeUserId: [me], tag: ['vip'] });
  t.equal(belongs(mine, 'mine', { assigneeUserId: ['user_other'] }, surroundings), true);
  const paused = { ...create('thread_a'), agentMode: 'paused' as const };
  t.match(createQuery('paused', { agentMode: ['auto'] }, surroundings), { agentMode: ['paused'] });
  t.equal(belongs(paused, 'paused', { agentMode: ['auto'] }, surroundings), true);
  t.strictSame(getApplicable('all', { q: 'parcel', unread: true }), { unread: true });
});
