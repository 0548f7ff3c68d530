/** A queue as it is shown: any interleaving of reads and events ends in what a fresh read gives, and nothing moves while it is held. */
import fc from '../../../support/fuzz.ts';
import t from 'tap';
import { ThreadList, type ThreadListPort } from '../../../../clients/console/live/thread-list.ts';
import { belongs, compare, type QueueName, queueNames } from '../../../../clients/console/live/queues.ts';
import type { ListThreadsQuery, Page, SkeinEvent, Thread } from '../../../../clients/sdk/index.ts';

const me = 'user_me';
const start = Date.parse('2026-11-23T10:00:00Z');
const toInstant = (at: number): string => new Date(start + at * 1_000).toISOString();

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

  write(threadId: string, direction: 'inbound' | 'outbound'): SkeinEvent {
    const known = this.threads.get(threadId) ?? create(threadId);
    const sequence = (known.sequence ?? 0) + 1;
    const createdAt = toInstant(++this.at);
    const isInbound = direction === 'inbound';
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
    } as const;
    this.threads.set(threadId, {
      ...known,
      sequence,
      lastMessageAt: createdAt,
      updatedAt: createdAt,
      status: isInbound ? 'open' : known.status,
      unreadCount: (known.unreadCount ?? 0) + (isInbound ? 1 : 0),
      waitingSince: isInbound ? (known.waitingSince ?? createdAt) : null,
      preview: {
        messageId: message.messageId,
        direction,
        actorType: message.actor.type,
        text: `text ${this.at}`,
        contentType: null,
        attachmentCount: 0,
        at: createdAt,
      },
    });
    const eventName = isInbound ? 'thread.message.received' : 'thread.message.created';
    return createEvent(eventName, { environmentId: 'env', threadId, sequence, message });
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

const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const threadIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(letter => `thread_${letter}`);
const step = fc.oneof(
  fc.record({ is: fc.constant('inbound' as const), threadId: fc.constantFrom(...threadIds) }),
  fc.record({ is: fc.constant('outbound' as const), threadId: fc.constantFrom(...threadIds) }),
  fc.record({
    is: fc.constant('change' as const),
    threadId: fc.constantFrom(...threadIds),
    change: fc.constantFrom<Partial<Thread>>(
      { status: 'closed', waitingSince: null },
      { status: 'open' },
      { assigneeUserId: me },
      { assigneeUserId: null },
      { agentMode: 'paused' },
    ),
  }),
  fc.constantFrom(
    { is: 'later' as const },
    { is: 'more' as const },
    { is: 'read' as const },
    { is: 'settle' as const },
  ),
);

t.test('reads and events in any order end in what is there', async t => {
  const law = fc.asyncProperty(
    fc.constantFrom<QueueName>(...queueNames.filter(name => name !== 'closing')),
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
        get: async threadId => server.threads.get(threadId) ?? create(threadId),
        now: () => start,
        schedule: later.schedule,
      };
      const list = new ThreadList(port, { name, filters: {}, userId: me });
      void list.read();
      for (const each of steps) {
        if (each.is === 'inbound' || each.is === 'outbound')
          list.onEvent(server.write(each.threadId, each.is));
        else if (each.is === 'change') list.onEvent(server.change(each.threadId, each.change));
        else if (each.is === 'later') later.run();
        else if (each.is === 'more') void list.readMore();
        else if (each.is === 'read') void list.read();
        else await settled();
      }
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
      return expected.every(({ threadId, preview, unreadCount, status, sequence }) => {
        const row = list.getThread(threadId);
        return (
          JSON.stringify([row?.preview, row?.unreadCount, row?.status, row?.sequence]) ===
          JSON.stringify([preview, unreadCount, status, sequence])
        );
      });
    },
  );
  await fc.assert(law, { numRuns: 1000 });
  t.pass('1,000 histories');
});

t.test('no row moves while the list is held, and what waits is counted', async t => {
  const server = new Server('all');
  for (const threadId of threadIds.slice(0, 3)) server.write(threadId, 'inbound');
  const later = new Later();
  const port: ThreadListPort = {
    list: async query => server.page(query),
    get: async threadId => server.threads.get(threadId) ?? create(threadId),
    now: () => start,
    schedule: later.schedule,
  };
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
    list: async ({ cursor, limit = 50 }) => {
      const from = Number(cursor ?? 0);
      const data = server.list().slice(from, from + limit);
      const hasMore = from + limit < server.threads.size;
      return { data, hasMore, nextCursor: hasMore ? String(from + limit) : null } as Page<Thread>;
    },
    get: async threadId => server.threads.get(threadId) ?? create(threadId),
    now: () => start,
    schedule: later.schedule,
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
