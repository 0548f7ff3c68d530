/** A thread that is open while the server goes away and comes back. */
import t from 'tap';
import { OpenThread, type ThreadClient } from '../../../../clients/console/thread/open-thread.ts';
import { ApiError, ConnectionError, type Message } from '../../../../clients/sdk/index.ts';

const threadId = 'thread_1';

/** A server with messages 1 to `newest`, which fails as it is told. */
function startServer(newest: number) {
  const server = { newest, failure: undefined as Error | undefined, pages: 0 };
  const createMessage = (sequence: number): Message =>
    ({
      messageId: `message_${sequence}`,
      sequence,
      createdAt: new Date(sequence * 1_000).toISOString(),
      attachments: [],
      metadata: {},
    }) as unknown as Message;
  const answer = async <T>(value: T): Promise<T> => {
    if (server.failure !== undefined) throw server.failure;
    return value;
  };
  const list = (
    _threadId: string,
    query: { order?: string; limit?: number; cursor?: string; afterSequence?: number },
  ) => {
    const { limit = 50, cursor, afterSequence = 0 } = query;
    const from = cursor === undefined ? server.newest : Number(cursor);
    const sequences = Array.from({ length: server.newest }, (_each, index) => index + 1);
    const fit = sequences.filter(sequence => sequence > afterSequence && sequence <= from);
    const shown = query.order === 'desc' ? fit.reverse().slice(0, limit) : fit;
    const next = (shown.at(-1) ?? 1) - 1;
    server.pages++;
    const page = {
      data: shown.map(createMessage),
      nextCursor: query.order === 'desc' && next > 0 ? String(next) : null,
    };
    return {
      then: (...taken: Parameters<Promise<typeof page>['then']>) => answer(page).then(...taken),
      async *pages() {
        yield await answer(page);
      },
    };
  };
  const none = () => answer({ data: [] });
  const client = {
    threads: { get: () => answer({ threadId, sequence: server.newest }) },
    messages: { list },
    notes: { list: none },
    agentRuns: { list: none },
    events: { list: none },
  } as unknown as ThreadClient;
  const due: (() => void)[] = [];
  const thread = new OpenThread(threadId, client, {
    onRead: () => undefined,
    schedule(work) {
      due.push(work);
      return () => void due.splice(due.indexOf(work) >>> 0, 1);
    },
  });
  return { server, thread, due };
}

const settled = (): Promise<unknown> => new Promise(resolve => setImmediate(resolve));

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

t.test('a thread that the operator may not see any more is not shown any more', async t => {
  const { server, thread, due } = startServer(3);
  await thread.open();
  server.failure = new ApiError({
    status: 404,
    code: 'svc/runtime/not_found',
    reason: 'There is no such thread.',
    headers: new Headers(),
  } as ConstructorParameters<typeof ApiError>[0]);
  await thread.reset();
  t.equal(thread.getState().phase, 'failed');
  t.equal(due.length, 0);
});

t.test('reads back to a message in few pages, and no further', async t => {
  const { server, thread } = startServer(400);
  await thread.open();
  server.pages = 0;
  t.ok(await thread.readBackTo('message_210'));
  t.equal(server.pages, 2);
  t.equal(thread.getState().entries.length, 250);
  t.notOk(await thread.readBackTo('message_401'), 'there is none');
  t.ok(thread.getState().reachesStart);
});
