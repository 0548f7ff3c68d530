/** Resuming: a real server, real clients, and cursors of every sort. */
import t, { type Test } from 'tap';
import { newId } from '../../../protocol/ids.ts';
import {
  admission,
  Client,
  ManualClock,
  MemoryEvents,
  numbers,
  production,
  projectId,
  sandbox,
  settle,
  startNode,
  type NodeParts,
} from './stream-fixture.ts';

async function setUp(t: Test, parts: Partial<NodeParts> = {}) {
  const events = new MemoryEvents();
  const node = await startNode({ events, ...parts });
  const clients: Client[] = [];
  t.teardown(async () => {
    for (const client of clients) client.socket.terminate();
    await node.close();
  });
  const connect = (): Client => {
    const client = new Client(node.url);
    clients.push(client);
    return client;
  };
  /** Commits and tells the node, as the store does. */
  const commit = (environmentId?: string): void =>
    node.stream.context.hub.onEvents([events.append(environmentId)]);
  return { events, node, connect, commit };
}

t.test('without a cursor the stream begins now', async t => {
  const { events, connect, commit } = await setUp(t);
  events.appendMany(3);
  const client = connect();
  t.same(await client.resume(), { type: 'resumed', epoch: 'first', seq: 3, head: 3 });
  commit();
  commit();
  t.same(await client.through(5), [4, 5]);
  t.equal(client.frames[1]?.event?.eventName, 'thread.message.received');
});

t.test('from every cursor, exactly what comes after it', async t => {
  const { events, connect, commit } = await setUp(t, { maxPerHolder: 100 });
  events.appendMany(30);
  const clients = numbers(30, 0).map(seq => ({ seq, client: connect() }));
  for (const { seq, client } of clients) {
    t.same(await client.resume({ epoch: 'first', seq }), { type: 'resumed', epoch: 'first', seq, head: 30 });
  }
  commit();
  for (const { seq, client } of clients) t.same(await client.through(31), numbers(31, seq + 1));
});

t.test('many pages, while more is committed all the time', async t => {
  const { events, connect, commit } = await setUp(t);
  events.appendMany(1_000);
  // Commits between the pages: the catch-up chases a head that moves.
  const page = events.page.bind(events);
  events.page = async span => {
    const rows = await page(span);
    if (events.rows.length < 1_300) for (let i = 0; i < 60; i++) commit();
    return rows;
  };
  const client = connect();
  await client.resume({ epoch: 'first', seq: 0 });
  t.same(await client.through(1_300), numbers(1_300));
  commit();
  t.same(await client.through(1_301), numbers(1_301));
});

t.test('another epoch, or none: reset, and the stream goes on from the head', async t => {
  const { events, connect, commit } = await setUp(t);
  events.appendMany(5);
  const other = connect();
  t.same(await other.resume({ epoch: 'older', seq: 2 }), {
    type: 'reset',
    epoch: 'first',
    seq: 5,
    reason: 'epoch',
  });
  const none = connect();
  t.match(await none.resume({ seq: 2 }), { type: 'reset', reason: 'epoch' });
  commit();
  t.same(await other.through(6), [6]);
  t.same(await none.through(6), [6]);
});

t.test('a cursor any number of events old: resumed, a page at a time', async t => {
  const { events, connect } = await setUp(t);
  events.appendMany(60_000);
  const page = events.page.bind(events);
  let reads = 0;
  events.page = async span => {
    reads++;
    return page(span);
  };
  const client = connect();
  t.match(await client.resume({ epoch: 'first', seq: 1 }), { type: 'resumed', seq: 1 });
  t.equal((await client.through(60_000)).length, 59_999);
  t.ok(reads >= 300, `${reads} pages`);
});

t.test('the log of one environment that has lost what comes after the cursor: reset', async t => {
  const { events, connect } = await setUp(t);
  events.appendMany(5);
  const environmentId = events.rows[0]?.environmentId ?? '';
  const page = events.page.bind(events);
  events.page = async span =>
    (await page({ ...span, limit: 200 })).filter(({ seq }) => seq > 3).slice(0, span.limit);
  t.match(await connect().resume({ epoch: 'first', seq: 2, environmentId }), {
    type: 'reset',
    reason: 'expired',
  });
  t.match(await connect().resume({ epoch: 'first', seq: 3, environmentId }), { type: 'resumed', seq: 3 });
});

t.test('a cursor whose next event is more than 24 hours old: reset', async t => {
  const { events, connect } = await setUp(t);
  events.occurredAt = new Date(Date.now() - 24 * 3_600_000 - 60_000);
  events.append();
  events.occurredAt = new Date(Date.now() - 24 * 3_600_000 + 60_000);
  events.append();
  t.match(await connect().resume({ epoch: 'first', seq: 0 }), { type: 'reset', seq: 2, reason: 'expired' });
  const kept = connect();
  t.match(await kept.resume({ epoch: 'first', seq: 1 }), { type: 'resumed', seq: 1 });
  t.same(await kept.through(2), [2]);
});

t.test('a log that has lost what comes next: reset', async t => {
  const { events, connect } = await setUp(t);
  events.appendMany(5);
  const page = events.page.bind(events);
  events.page = async span => (await page(span)).slice(2);
  t.match(await connect().resume({ epoch: 'first', seq: 0 }), { type: 'reset', seq: 5, reason: 'expired' });
});

t.test('a cursor beyond the log: reset', async t => {
  const { events, connect } = await setUp(t);
  events.appendMany(5);
  t.match(await connect().resume({ epoch: 'first', seq: 6 }), { type: 'reset', seq: 5, reason: 'ahead' });
});

t.test('a cursor that another node has brought further than this one has heard: resumed', async t => {
  const { events, connect, commit } = await setUp(t);
  events.appendMany(5);
  const here = connect();
  await here.resume();
  events.appendMany(3);
  const fromThere = connect();
  t.match(await fromThere.resume({ epoch: 'first', seq: 7 }), { type: 'resumed', seq: 7 });
  commit();
  t.same(await fromThere.through(9), [8, 9]);
  t.same(await here.through(9), [6, 7, 8, 9]);
});

t.test('numbers that start over while the stream is live: reset', async t => {
  const clock = new ManualClock();
  const { events, connect, commit } = await setUp(t, { clock });
  events.appendMany(5);
  const client = connect();
  await client.resume();
  events.rows.length = 1;
  events.epoch = 'second';
  await clock.advance(3_000);
  await client.until(({ frames }) => frames.length === 2);
  t.same(client.frames[1], { type: 'reset', epoch: 'second', seq: 1, reason: 'epoch' });
  commit();
  t.same(await client.through(2), [2]);
});

t.test('ephemeral events have no number, and reach live clients only', async t => {
  const { node, connect, commit } = await setUp(t);
  const client = connect();
  await client.resume();
  const body = '{"eventName":"thread.typing.started","data":{}}';
  node.stream.ephemeral({ projectId, environmentId: sandbox, body });
  commit();
  await client.through(1);
  t.same(client.frames[1], { type: 'event', event: { eventName: 'thread.typing.started', data: {} } });
  const later = connect();
  await later.resume({ epoch: 'first', seq: 0 });
  await later.through(1);
  await settle();
  t.same(
    later.frames.map(({ type, seq }) => [type, seq]),
    [
      ['resumed', 0],
      ['event', 1],
    ],
  );
});

t.test('clients that were cut off together share what is read', async t => {
  const { events, connect, commit } = await setUp(t);
  events.appendMany(1_000);
  // A database that answers once all of them have asked.
  let open: () => void = () => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  const page = events.page.bind(events);
  events.page = async span => {
    await opened;
    return page(span);
  };
  const clients = Array.from({ length: 150 }, connect);
  for (const client of clients) {
    await client.opened();
    client.send({ type: 'resume', epoch: 'first', seq: 100 });
    client.send({ type: 'ping' });
  }
  for (const client of clients)
    await client.until(({ frames }) => frames.some(({ type }) => type === 'pong'));
  open();
  commit();
  for (const client of clients) t.strictSame(await client.through(1_001), numbers(1_001, 101));
  // 900 events are five pages: each client for itself would be 750 reads.
  t.ok(events.pages < 75, `${events.pages} reads`);
});

t.test('one environment alone: its events, with the numbers of the project', async t => {
  const { events, connect, commit } = await setUp(t);
  for (const environmentId of [sandbox, production, sandbox]) events.append(environmentId);
  const client = connect();
  const cursor = { epoch: 'first', seq: 0 };
  t.match(await client.resume({ ...cursor, environmentId: production }), { type: 'resumed', seq: 0 });
  commit(sandbox);
  commit(production);
  t.same(await client.through(5), [2, 5]);
  const all = connect();
  await all.resume(cursor);
  t.same(await all.through(5), numbers(5), 'the same cursor without an environment');
});

t.test('whoever may not see the last of what was missed is told that they have caught up', async t => {
  const { events, connect, commit } = await setUp(t);
  for (const environmentId of [sandbox, production, sandbox, sandbox]) events.append(environmentId);
  const resume = async (seq: number): Promise<unknown[][]> => {
    const client = connect();
    await client.resume({ epoch: 'first', seq, environmentId: production });
    commit(production);
    await client.through(events.rows.length);
    return client.frames.map(frame => [frame.type, frame.seq]);
  };
  t.strictSame(await resume(1), [
    ['resumed', 1],
    ['event', 2],
    ['ping', 4],
    ['event', 5],
  ]);
  t.strictSame(
    await resume(2),
    [
      ['resumed', 2],
      ['event', 5],
      ['event', 6],
    ],
    'the last one is theirs',
  );
  t.strictSame(
    await resume(6),
    [
      ['resumed', 6],
      ['event', 7],
    ],
    'nothing was missed',
  );
});

t.test("an environment that the project does not have, or that is not the key's", async t => {
  const { connect } = await setUp(t);
  const foreign = await connect().opened();
  foreign.send({ type: 'resume', environmentId: newId('environment') });
  t.equal(await foreign.end(), 1007);
  t.equal(foreign.closed?.reason, 'no such environment in the project');
  const limited = await setUp(t, { admit: () => admission({ environmentId: sandbox }) });
  const key = await limited.connect().opened();
  key.send({ type: 'resume', environmentId: production });
  t.equal(await key.end(), 1007);
  const own = limited.connect();
  t.match(await own.resume({ environmentId: sandbox }), { type: 'resumed' });
});
