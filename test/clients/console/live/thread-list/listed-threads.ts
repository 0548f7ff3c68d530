/** What the tests of lists share: a server with some threads, whose answers and events are those of the contract, and work that waits until it is told to run. */
import type { ThreadListPort } from '../../../../../clients/console/live/thread-list.ts';
import { belongs, compare, type QueueName } from '../../../../../clients/console/live/queues.ts';
import type { ListThreadsQuery, Page, SkeinEvent, Thread } from '../../../../../clients/sdk/index.ts';

export const me = 'user_me';
export const start = Date.parse('2026-11-23T10:00:00Z');
export const toInstant = (at: number): string => new Date(start + at * 1_000).toISOString();

export type Told = 'suggest' | 'resolve' | 'fail' | 'send' | 'deliver';

/** A server with some threads, whose answers may be late. */
export class Server {
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

export const create = (threadId: string): Thread => ({
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

export const createEvent = (eventName: string, data: object): SkeinEvent =>
  ({
    eventId: 'evt',
    eventName,
    occurredAt: toInstant(0),
    apiVersion: '',
    projectId: 'prj',
    data,
  }) as SkeinEvent;

/** Runs what was scheduled when it is told to. */
export class Later {
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
export const createPort = (server: Server, later: Later): ThreadListPort => ({
  list: async query => server.page(query),
  get: async threadId => server.threads.get(threadId) ?? create(threadId),
  now: () => start,
  schedule: later.schedule,
});

export const settled = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

export const threadIds = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(letter => `thread_${letter}`);
