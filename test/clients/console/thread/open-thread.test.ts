/** A thread that is open while the server goes away and comes back. */
import t from 'tap';
import { OpenThread, type ThreadClient } from '../../../../clients/console/thread/open-thread.ts';
import {
  type AgentRun,
  ApiError,
  ConnectionError,
  type ListMessagesQuery,
  type Message,
  type SkeinEvent,
} from '../../../../clients/sdk/index.ts';

const threadId = 'thread_1';

const notFound = new ApiError({
  status: 404,
  code: 'svc/runtime/not_found',
  reason: 'There is no such thread.',
  headers: new Headers(),
} as ConstructorParameters<typeof ApiError>[0]);

const createClosing = (sequence: number): SkeinEvent =>
  ({
    eventId: `event_${sequence}`,
    eventName: 'thread.status.changed',
    occurredAt: new Date(sequence * 1_000).toISOString(),
  }) as unknown as SkeinEvent;

const createReceived = (message: Message): SkeinEvent =>
  ({
    eventId: `event_${message.sequence}`,
    eventName: 'thread.message.received',
    occurredAt: message.createdAt,
    data: { threadId, message, sequence: message.sequence },
  }) as unknown as SkeinEvent;

/** A server with messages 1 to `newest`, which fails as it is told. */
function startServer(newest: number) {
  const server = {
    newest,
    failure: undefined as Error | undefined,
    /** From after the next of several pages on. */
    failureAfterPage: undefined as Error | undefined,
    pages: 0,
    /** Newest first; each is a page of its own. */
    runs: [] as AgentRun[],
    runPages: 0,
    /** Numbers of messages that an agent wrote. */
    ofAgents: [] as number[],
  };
  const createMessage = (sequence: number): Message =>
    ({
      messageId: `message_${sequence}`,
      sequence,
      createdAt: new Date(sequence * 1_000).toISOString(),
      actor: { type: server.ofAgents.includes(sequence) ? 'agent' : 'participant' },
      attachments: [],
      metadata: {},
    }) as unknown as Message;
  const answer = async <T>(value: T): Promise<T> => {
    if (server.failure !== undefined) throw server.failure;
    return value;
  };
  const list = (_threadId: string, query: ListMessagesQuery) => {
    const { order, limit = 50, afterSequence = 0, beforeSequence = Infinity } = query;
    server.pages++;
    const page = (after: number) => {
      const sequences = Array.from({ length: server.newest }, (_each, index) => index + 1);
      const fit = sequences.filter(sequence => sequence > after && sequence < beforeSequence);
      const shown = (order === 'desc' ? fit.reverse() : fit).slice(0, limit);
      return { data: shown.map(createMessage), nextCursor: shown.length < fit.length ? 'more' : null };
    };
    return {
      then: (...taken: Parameters<Promise<ReturnType<typeof page>>['then']>) =>
        answer(page(afterSequence)).then(...taken),
      async *pages() {
        for (let after = afterSequence, more = true; more;) {
          const { data, nextCursor } = await answer(page(after));
          yield { data };
          // As where the node dies between two pages.
          server.failure = server.failureAfterPage;
          after = data.at(-1)?.sequence ?? after;
          more = nextCursor !== null;
        }
      },
    };
  };
  const none = () => answer({ data: [], nextCursor: null });
  const client = {
    threads: {
      get: () => answer({ threadId, sequence: server.newest }),
      listEvents: (_threadId: string, { cursor }: { cursor?: string }) => {
        const newest = cursor === undefined ? server.newest : Number(cursor);
        const sequence = Math.floor(newest / 100) * 100;
        const event = { ...createClosing(sequence), data: { sequence } };
        return answer({
          data: sequence > 0 ? [event] : [],
          nextCursor: sequence > 0 ? `${sequence - 1}` : null,
        });
      },
    },
    messages: {
      list,
      get: (_threadId: string, messageId: string) => {
        const sequence = Number(messageId.split('_')[1]);
        if (sequence > server.newest) return Promise.reject(notFound);
        return answer(createMessage(sequence));
      },
    },
    notes: { list: none },
    agentRuns: {
      list: ({ cursor = '0' }: { cursor?: string }) => {
        server.runPages++;
        const next = Number(cursor) + 1;
        return answer({
          data: server.runs.slice(next - 1, next),
          nextCursor: next < server.runs.length ? `${next}` : null,
        });
      },
    },
  } as unknown as ThreadClient;
  const due: (() => void)[] = [];
  const thread = new OpenThread(threadId, client, {
    onRead: () => undefined,
    schedule(work) {
      due.push(work);
      return () => void due.splice(due.indexOf(work) >>> 0, 1);
    },
  });
  return { server, thread, due, createMessage };
}

const settled = (): Promise<unknown> => new Promise(resolve => setImmediate(resolve));

t.test('a late event does not undo what the operator has changed meanwhile', async t => {
  const { thread, createMessage } = startServer(3);
  await thread.open();
  const shown = thread.getState().thread;
  if (shown === undefined) throw new Error('it was read');
  const end = thread.showChange({ status: 'closed' });
  const assigned = (sequence: number): SkeinEvent =>
    ({
      ...createClosing(sequence),
      eventName: 'thread.assignment.changed',
      data: { threadId, sequence, thread: { ...shown, status: 'open', sequence } },
    }) as unknown as SkeinEvent;
  thread.takeEvent(assigned(3));
  t.equal(thread.getState().thread?.status, 'closed');
  thread.takeEvent(assigned(4));
  thread.takeEvent(createReceived(createMessage(5)));
  t.equal(thread.getState().thread?.status, 'closed', 'until the server has answered');
  end();
  t.equal(thread.getState().thread?.status, 'open', 'it was refused');
  const endOther = thread.showChange({ status: 'closed' });
  thread.takeThread({ ...shown, status: 'closed', sequence: 6 });
  endOther();
  t.equal(thread.getState().thread?.status, 'closed');
});

t.test('the service window follows what happens', async t => {
  const { thread, createMessage } = startServer(3);
  await thread.open();
  const get = () => thread.getState().thread;
  const received = (sequence: number, serviceWindow: object): SkeinEvent => {
    const event = createReceived(createMessage(sequence));
    return { ...event, data: { ...event.data, serviceWindow } } as SkeinEvent;
  };
  const first = { open: true, expiresAt: '2026-11-24T12:00:00.000Z' };
  thread.takeEvent(received(4, first));
  t.match(get(), { serviceWindow: first, sequence: 4 });
  const closed = { ...first, open: false };
  thread.takeEvent({
    ...createClosing(5),
    eventName: 'thread.service_window.closed',
    data: { threadId, sequence: 5, thread: { ...get(), serviceWindow: closed, sequence: 5 } },
  } as unknown as SkeinEvent);
  t.match(get()?.serviceWindow, closed);
  const last = { open: true, expiresAt: '2026-11-25T12:00:00.000Z' };
  thread.takeEvent(received(6, last));
  thread.takeEvent(received(4, first));
  t.match(get(), { serviceWindow: last, sequence: 6 }, 'an event that is no news changes nothing');
});

t.test('what was missed is asked for until it has come, and what is shown stays', async t => {
  const { server, thread, due } = startServer(3);
  await thread.open();
  server.newest = 5;
  server.failure = new ConnectionError('away');
  await thread.reset();
  t.match(thread.getState(), { phase: 'ready', entries: { length: 3 } });
  server.failure = undefined;
  due.shift()?.();
  await settled();
  t.match(thread.getState(), { phase: 'ready', entries: { length: 5 } });
  t.equal(due.length, 0);
});

t.test(
  'what has come by itself is not taken for all, while what was missed before it is not here',
  async t => {
    const { server, thread, due, createMessage } = startServer(3);
    await thread.open();
    t.equal(thread.completeTo, 3);
    thread.takeEvent(createReceived(createMessage(4)));
    t.equal(thread.completeTo, 4);
    server.newest = 6;
    server.failure = new ConnectionError('away');
    await thread.reset();
    thread.takeEvent(createReceived(createMessage(6)));
    t.equal(thread.completeTo, 4, 'the fifth was not shown to anybody');
    server.failure = undefined;
    due.shift()?.();
    await settled();
    t.equal(thread.completeTo, 6);
  },
);

t.test(
  'what an answer has told of is here once it was read, though its number is that of no message',
  async t => {
    const { server, thread, due } = startServer(3);
    await thread.open();
    server.newest = 4;
    server.failure = new ConnectionError('away');
    // A message, and something else after it.
    await thread.reset(5);
    t.equal(thread.completeTo, 3);
    server.failure = undefined;
    let told = 0;
    thread.onChange(() => thread.completeTo === 5 && told++);
    due.shift()?.();
    await settled();
    t.equal(thread.completeTo, 5);
    t.ok(told > 0, 'whoever waits for it is told');
    t.match(thread.getState(), { entries: { length: 4 } });
  },
);

t.test('a thread that the operator may not see any more is not shown any more', async t => {
  const { server, thread, due } = startServer(3);
  await thread.open();
  server.failure = notFound;
  await thread.reset();
  t.equal(thread.getState().phase, 'failed');
  t.equal(due.length, 0);
});

const numbers = (thread: OpenThread): (number | undefined)[] =>
  thread.getState().entries.map(entry => (entry.kind === 'message' ? entry.message.sequence : undefined));
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_each, index) => from + index);

t.test('the node dies while what was missed is read, and live events come before it is back', async t => {
  const { server, thread, due, createMessage } = startServer(3);
  await thread.open();
  server.newest = 350;
  server.failureAfterPage = new ConnectionError('died');
  await thread.reset();
  server.failureAfterPage = undefined;
  server.failure = undefined;
  // The stream was faster.
  server.newest = 351;
  thread.takeEvent(createReceived(createMessage(351)));
  due.shift()?.();
  await settled();
  await settled();
  const shown = numbers(thread).filter(sequence => sequence !== undefined);
  t.strictSame(shown, range(1, 351), 'nothing is missing, twice or out of order');
  t.equal(due.length, 0);
});

t.test('jumps to a message by the pages around it, and reads on in both directions', async t => {
  const { server, thread, createMessage } = startServer(400);
  await thread.open();
  server.pages = 0;
  t.ok(await thread.show('message_110'));
  t.equal(server.pages, 2, 'not all that are between');
  await settled();
  t.strictSame(
    numbers(thread),
    [...range(86, 100), undefined, ...range(101, 135)],
    'with what happened there',
  );
  t.match(thread.getState(), { reachesStart: false, reachesEnd: false });
  thread.takeEvent(createReceived(createMessage(401)));
  t.equal(thread.countInbound(400), 0);
  await thread.readLater();
  await thread.readEarlier();
  await thread.readEarlier();
  t.match(thread.getState(), { reachesStart: true, reachesEnd: false });
  t.strictSame(
    numbers(thread).filter(sequence => sequence !== undefined),
    range(1, 185),
  );
  thread.showNewest();
  t.equal(numbers(thread).at(-1), 401);
  t.match(thread.getState(), { reachesStart: false, reachesEnd: true });
  t.notOk(await thread.show('message_402'), 'there is none');
  t.ok(thread.getState().reachesEnd);
});

t.test('what is read on meets the newest, and is one list then', async t => {
  const { thread } = startServer(200);
  await thread.open();
  await thread.show('message_120');
  await thread.readLater();
  t.ok(thread.getState().reachesEnd);
  t.strictSame(
    numbers(thread).filter(sequence => sequence !== undefined),
    range(96, 200),
  );
});

const createRun = (number: number): AgentRun =>
  ({
    agentRunId: `run_${number}`,
    status: 'succeeded',
    outputMessageId: `message_${number}`,
    trace: {},
    createdAt: new Date(number * 1_000).toISOString(),
  }) as unknown as AgentRun;

t.test('runs are read as far back as an agent has written what is shown, and no further', async t => {
  const { server, thread } = startServer(3);
  server.ofAgents = [2];
  // Of runs without a message there may be any number.
  server.runs = [9, 8, 7, 2, 1].map(createRun);
  const isKnown = Promise.withResolvers<undefined>();
  thread.onChange(() => thread.getState().knowsRuns && isKnown.resolve(undefined));
  await thread.open();
  await isKnown.promise;
  t.ok(thread.getState().activity.runs.has('run_2'));
  t.equal(server.runPages, 4);
});
