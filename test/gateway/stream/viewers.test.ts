/** Who looks at which thread, over two nodes that share a bus. */
import t, { type Test } from 'tap';
import type { FoundViewer } from '../../../gateway/stream/viewers.ts';
import { newId } from '../../../protocol/ids.ts';
import { LocalBus } from '../../../runtime/transport/local.ts';
import {
  admission,
  Client,
  everything,
  MemoryEvents,
  production,
  sandbox,
  startNode,
  type Frame,
} from './stream-fixture.ts';

const thread = newId('thread');
const other = newId('thread');
const live = newId('thread');

const findViewer = (of: { threadId: string; userId: string }): Promise<FoundViewer | undefined> =>
  Promise.resolve(
    [thread, other, live].includes(of.threadId as typeof thread)
      ? {
          userId: of.userId,
          displayName: of.userId.slice(-4),
          avatarColor: null,
          environmentId: of.threadId === live ? production : sandbox,
        }
      : undefined,
  );

async function setUp(t: Test) {
  const bus = new LocalBus();
  let next = admission();
  const parts = { events: new MemoryEvents(), bus, findViewer, admit: () => next };
  const nodes = [await startNode(parts), await startNode(parts)] as const;
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) client.socket.terminate();
    for (const node of nodes) await node.close();
  });
  const connect = async (node: 0 | 1, as = admission(), resume = {}): Promise<Client> => {
    next = as;
    const client = new Client(nodes[node].url);
    clients.push(client);
    await client.resume(resume);
    return client;
  };
  return { connect, nodes };
}

const readChanges = ({ frames }: Client): { threadId: unknown; userIds: unknown }[] =>
  frames.flatMap(({ event }: Frame) =>
    event?.eventName === 'thread.viewer.changed'
      ? [{ threadId: event.data['threadId'], userIds: event.data['userIds'] }]
      : [],
  );
const seen = (client: Client, threadId: string, userIds: readonly (string | undefined)[]): Promise<unknown> =>
  client.until(() => {
    const last = readChanges(client).findLast(change => change.threadId === threadId);
    return JSON.stringify(last?.userIds) === JSON.stringify(userIds);
  });

t.test('operators see who looks at a thread, on whichever node they are', async t => {
  const { connect } = await setUp(t);
  const [ann, ben, cid] = [admission(), admission(), admission()];
  const anns = await connect(0, ann);
  const bens = await connect(1, ben);
  anns.send({ type: 'view', threadId: thread });
  await seen(anns, thread, [ann.userId]);
  await seen(bens, thread, [ann.userId]);
  t.match(bens.frames.at(-1)?.event?.data, {
    environmentId: sandbox,
    viewers: [{ userId: ann.userId, displayName: ann.userId?.slice(-4), avatarColor: null, since: /Z$/ }],
  });
  bens.send({ type: 'view', threadId: thread });
  await seen(anns, thread, [ann.userId, ben.userId]);

  const cids = await connect(1, cid);
  await seen(cids, thread, [ann.userId, ben.userId]);
  t.equal(readChanges(cids).length, 1, 'whoever comes is told who is there');

  anns.send({ type: 'view', threadId: other });
  await seen(bens, thread, [ben.userId]);
  await seen(bens, other, [ann.userId]);
  bens.send({ type: 'view', threadId: null });
  await seen(anns, thread, []);
  anns.socket.terminate();
  await seen(cids, other, []);
});

t.test('a user is one viewer, however many sockets look', async t => {
  const { connect } = await setUp(t);
  const ann = admission();
  const [one, two] = [await connect(0, ann), await connect(1, ann)];
  one.send({ type: 'view', threadId: thread });
  await seen(two, thread, [ann.userId]);
  two.frames.length = 0;
  two.send({ type: 'view', threadId: thread });
  await seen(two, thread, [ann.userId]);
  one.socket.terminate();
  two.send({ type: 'view', threadId: null });
  await seen(two, thread, []);
});

t.test('what a socket may not see, it is not told: other environments, unknown threads, keys', async t => {
  const { connect } = await setUp(t);
  const ann = admission();
  const anns = await connect(0, ann);
  const limited = await connect(0, admission(), { environmentId: sandbox });
  const names = new Set([...everything.names].filter(name => name !== 'thread.viewer.changed'));
  const key = await connect(
    0,
    admission({ userId: undefined, apiKeyId: newId('apiKey'), view: { id: 1, names } }),
  );
  key.send({ type: 'view', threadId: thread });
  limited.send({ type: 'view', threadId: live });
  anns.send({ type: 'view', threadId: live });
  await seen(anns, live, [ann.userId]);
  anns.send({ type: 'view', threadId: newId('thread') });
  await seen(anns, live, []);
  anns.send({ type: 'view', threadId: thread });
  await seen(limited, thread, [ann.userId]);
  t.same(readChanges(limited), [{ threadId: thread, userIds: [ann.userId] }]);
  t.same(readChanges(key), []);
});

t.test('frames that cannot be, and too many', async t => {
  const { connect } = await setUp(t);
  const client = await connect(0);
  client.send({ type: 'view', threadId: 'thread_1' });
  t.equal(await client.end(), 1007);
  const busy = await connect(0);
  for (let i = 0; i <= 500; i++) busy.send({ type: 'view', threadId: null });
  t.equal(await busy.end(), 1008);
});
