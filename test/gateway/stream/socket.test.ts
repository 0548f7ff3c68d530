/** One socket's life: what closes it and with which code, its heartbeat, its rights, its buffer. */
import t, { type Test } from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { toMemberKey } from '../../../storage/tenancy/credential-check.ts';
import {
  admission,
  Client,
  ManualClock,
  MemoryEvents,
  numbers,
  projectId,
  refusal,
  sandbox,
  settle,
  startNode,
  type NodeParts,
} from './stream-fixture.ts';

async function setUp(t: Test, parts: Partial<NodeParts> = {}) {
  const events = new MemoryEvents();
  const clock = parts.clock instanceof ManualClock ? parts.clock : new ManualClock();
  const node = await startNode({ ...parts, events, clock });
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
  const commit = (text?: string): void => node.stream.context.hub.onEvents([events.append(sandbox, text)]);
  /** Lets virtual seconds pass one by one, and what they make the sockets say arrive. */
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) await clock.advance(1_000);
  };
  return { events, clock, node, connect, commit, pass };
}

t.test('a first frame that does not come closes the socket after ten seconds', async t => {
  const { connect, pass } = await setUp(t);
  const client = await connect().opened();
  await pass(9);
  t.equal(client.closed, undefined);
  await pass(2);
  t.equal(await client.end(), 1008);
  t.equal(client.closed?.reason, 'no resume frame in time');
});

t.test('rubbish closes with a code that says so', async t => {
  const { connect } = await setUp(t);
  const says = async (frame: string | Buffer, resumed: boolean): Promise<number> => {
    const client = await connect().opened();
    if (resumed) await client.resume();
    client.socket.send(frame);
    return client.end();
  };
  for (const frame of ['no json', '1', 'null', '{}', '{"type":"subscribe"}', '{"type":"resume","seq":-1}']) {
    t.equal(await says(frame, false), 1007, frame);
  }
  t.equal(await says('{"type":"resume","seq":1.5}', false), 1007);
  t.equal(await says('{"type":"resume","epoch":7}', false), 1007);
  t.equal(await says('{"type":"resume"}', true), 1007, 'a second resume');
  t.equal(await says(Buffer.from('{"type":"resume"}'), false), 1003, 'a binary frame');
  t.equal(await says('x'.repeat(2_000), false), 1009, 'a frame too long');
});

t.test('more frames than any client needs close the socket', async t => {
  const { connect } = await setUp(t);
  const client = connect();
  await client.resume();
  for (let i = 0; i < 100; i++) client.send({ type: 'ping' });
  t.equal(await client.end(), 1008);
  t.equal(client.frames.filter(({ type }) => type === 'pong').length, 99, 'each was answered until then');
});

t.test('the heartbeat: every 25 seconds, with the place in the stream; two unanswered end it', async t => {
  const { connect, commit, pass } = await setUp(t);
  const client = connect();
  await client.resume();
  commit();
  const pings = (): number[] =>
    client.frames.filter(({ type }) => type === 'ping').map(({ seq }) => seq ?? -1);
  await pass(25);
  await client.until(() => pings().length === 1);
  t.same(pings(), [1]);
  client.send({ type: 'pong' });
  // It has arrived once the answer to what was sent after it has.
  client.send({ type: 'ping' });
  await client.until(({ frames }) => frames.some(({ type }) => type === 'pong'));
  commit();
  await client.through(2);
  await pass(25);
  await client.until(() => pings().length === 2);
  t.same(pings(), [1, 2]);
  await pass(25);
  await client.until(() => pings().length === 3);
  t.equal(client.closed, undefined, 'one missed');
  await pass(25);
  t.equal(await client.end(), 4009);
});

t.test('a credential that expires closes the socket with 4001', async t => {
  const clock = new ManualClock();
  const { connect, pass } = await setUp(t, {
    clock,
    admit: () => admission({ expiresAt: clock.now() + 20_000 }),
  });
  const client = connect();
  await client.resume();
  await pass(19);
  t.equal(client.closed, undefined);
  await pass(1);
  t.equal(await client.end(), 4001);
});

t.test('a session or key that is revoked: 4001; a membership that is gone: 4003; others stay', async t => {
  const sessionId = newId('session');
  const apiKeyId = newId('apiKey');
  const userId = newId('user');
  const people = [
    admission({ sessionId }),
    admission({ userId: undefined, sessionId: undefined, apiKeyId }),
    admission({ userId }),
    admission(),
  ];
  let gone = new Set<string>();
  const asked: number[] = [];
  const { connect, clock } = await setUp(t, {
    admit: () => people.shift() ?? admission(),
    findRevokedCredentials: standing => {
      asked.push(standing.sessionIds.length + standing.apiKeyIds.length + standing.members.length);
      return Promise.resolve(gone);
    },
  });
  const clients: Client[] = [];
  for (let i = 0; i < 4; i++) {
    const client = connect();
    await client.resume();
    clients.push(client);
  }
  await clock.advance(10_000);
  t.same(asked, [7], 'one question for all: three sessions, one key, three members');
  t.same(
    clients.map(client => client.closed),
    [undefined, undefined, undefined, undefined],
  );
  gone = new Set([sessionId, apiKeyId, toMemberKey(projectId, userId)]);
  await clock.advance(10_000);
  t.same(await Promise.all(clients.slice(0, 3).map(client => client.end())), [4001, 4001, 4003]);
  t.equal(clients[3]?.closed, undefined);
});

t.test('an event that withdraws a right has the rights checked at once', async t => {
  const userId = newId('user');
  const { events, node, connect } = await setUp(t, {
    admit: () => admission({ userId }),
    findRevokedCredentials: () => Promise.resolve(new Set([toMemberKey(projectId, userId)])),
  });
  const client = connect();
  await client.resume();
  node.stream.context.hub.onEvents([{ ...events.append(), eventName: 'project.member.removed' }]);
  t.equal(await client.end(), 4003);
  t.same(client.seqs, [1], 'the event itself was still shown');
});

t.test('rights that cannot be checked leave the sockets alone', async t => {
  let asked = 0;
  const { connect, clock } = await setUp(t, {
    findRevokedCredentials: () => {
      asked++;
      return Promise.reject(new Error('the database is away'));
    },
  });
  const client = connect();
  await client.resume();
  await clock.advance(20_000);
  t.equal(asked, 2);
  t.equal(client.closed, undefined);
});

t.test('concurrent upgrades do not pass the limit together', async t => {
  const userId = newId('user');
  const { node, connect } = await setUp(t, { admit: () => admission({ userId }), maxPerHolder: 3 });
  const clients = Array.from({ length: 8 }, connect);
  await Promise.all(clients.map(client => client.opened()));
  await settle();
  t.equal(node.stream.size, 3);
});

t.test('a refusal is an answer before the upgrade, and a plain GET is told to upgrade', async t => {
  const { node, connect } = await setUp(t, { admit: refusal });
  t.equal((await connect().opened()).refused, 403);
  const plain = await fetch(node.url.replace('ws:', 'http:'));
  t.equal(plain.status, 426);
  t.equal(plain.headers.get('upgrade'), 'websocket');
});

t.test('a node that shuts down sends everybody away, once', async t => {
  const { node, connect } = await setUp(t);
  const live = connect();
  await live.resume();
  const waiting = await connect().opened();
  node.stream.shutDown();
  node.stream.shutDown();
  t.same(await Promise.all([live.end(), waiting.end()]), [1001, 1001]);
  t.equal(node.stream.size, 0);
  t.equal((await connect().opened()).refused, 503);
});

t.test(
  'a socket that does not read is closed with 4008 and resumes completely; others are not slowed',
  async t => {
    const { events, connect, commit } = await setUp(t);
    const slow = connect();
    const quick = connect();
    const { epoch } = await slow.resume();
    await quick.resume();
    slow.socket.pause();
    const text = 'x'.repeat(20_000);
    // The kernel's buffers take some megabytes before ours fill.
    for (let seq = 1; seq <= 1_000; seq++) {
      commit(text);
      if (seq % 10 === 0) await quick.through(seq);
    }
    t.same(quick.seqs, numbers(1_000));
    slow.socket.resume();
    t.equal(await slow.end(), 4008);
    const seen = slow.seqs.length;
    t.ok(seen < 1_000, `it had got ${seen} of 1,000`);
    t.same(slow.seqs, numbers(seen), 'without a gap');
    const again = connect();
    await again.resume({ epoch: epoch ?? '', seq: seen });
    t.same(await again.through(1_000), numbers(1_000, seen + 1));
    t.equal(events.rows.length, 1_000);
  },
);

t.test(
  'a socket that does not read while it catches up is given no more than fits, and goes on when it reads',
  async t => {
    const { events, connect, commit } = await setUp(t);
    for (let i = 0; i < 2_000; i++) events.append(sandbox, 'x'.repeat(20_000));
    events.page = (
      page => span =>
        page({ ...span, limit: 20 })
    )(events.page.bind(events));
    const slow = connect();
    await slow.resume({ epoch: 'first', seq: 0 });
    slow.socket.pause();
    const quick = connect();
    await quick.resume();
    // Each answer shows that the server has had its turns; it stops reading pages for the slow one.
    let before = -1;
    let beat = 0;
    while (before !== events.pages) {
      before = events.pages;
      for (let i = 0; i < 5; i++) {
        commit();
        await quick.through(2_000 + ++beat);
      }
    }
    t.ok(events.pages < 60, `${events.pages} pages of 100 read`);
    slow.socket.resume();
    const all = 2_000 + beat;
    t.same(await slow.through(all), numbers(all));
    t.equal(slow.closed, undefined);
  },
);
