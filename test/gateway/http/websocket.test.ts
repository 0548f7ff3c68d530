/** Websocket endpoints: who is let in, what becomes of frames, and how sockets end. */
import { once } from 'node:events';
import t, { type Test } from 'tap';
import { fetch } from 'undici';
import { WebSocket } from 'ws';
import type { HttpAnswer, HttpRequest } from '../../../gateway/http/message.ts';
import type { SendOutcome, Socket, SocketEndpoint } from '../../../gateway/http/websocket.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { gate, RawClient, rawRequest, startServer } from './http-fixture.ts';

interface Guest {
  readonly name: string;
}

/** A server with one endpoint, and notes of what it was told. */
async function setUp(t: Test, parts: Partial<SocketEndpoint<Guest>> = {}) {
  const notes: string[] = [];
  const sockets: Socket<Guest>[] = [];
  const started = await startServer(t, server => {
    server.websocket<Guest>('/rooms/{room}/ws', {
      upgrade: request => ({ name: request.query }),
      open: socket => {
        sockets.push(socket);
        notes.push(`open ${socket.session.name}`);
      },
      message: (socket, text) => {
        notes.push(`message ${text}`);
        socket.send(`echo ${text}`);
      },
      close: (_, code, reason) => notes.push(`close ${code} ${reason}`.trim()),
      ...parts,
    });
  });
  const connect = (path = '/rooms/1/ws', headers: Record<string, string> = {}): WebSocket => {
    const client = new WebSocket(`ws://127.0.0.1:${started.port}${path}`, { headers });
    client.on('error', () => undefined);
    t.teardown(() => client.terminate());
    return client;
  };
  return { ...started, notes, sockets, connect };
}

/** The status that an upgrade was refused with. */
async function getRefusal(client: WebSocket): Promise<number> {
  const [, response] = (await once(client, 'unexpected-response')) as [unknown, { statusCode: number }];
  return response.statusCode;
}

function nextText(client: WebSocket): Promise<string> {
  return new Promise((resolve, reject) => {
    client.once('message', (data: Buffer) => resolve(data.toString()));
    client.once('close', code => reject(new Error(`closed with ${code} before a frame came`)));
  });
}

/** Waits for an effect that the server has on its own side. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise(resolve => setImmediate(resolve));
}

t.test('a client is let in with its session, and frames go both ways', async t => {
  let seen:
    | (Pick<HttpRequest, 'path' | 'params' | 'address'> & { readonly authorization: string })
    | undefined;
  const { connect, notes, server } = await setUp(t, {
    upgrade: async request => {
      const { path, params, address } = request;
      await new Promise(resolve => setImmediate(resolve));
      seen = { path, params, address, authorization: request.header('authorization') };
      return { name: request.query };
    },
  });
  const client = connect('/rooms/7/ws?anna', { Authorization: 'Bearer x' });
  await once(client, 'open');
  client.send('grüße 🙂');
  t.equal(await nextText(client), 'echo grüße 🙂');
  t.same(seen, { path: '/rooms/7/ws', params: ['7'], address: '127.0.0.1', authorization: 'Bearer x' });
  t.equal(server.stats.sockets, 1);
  t.equal(server.stats.inFlight, 0, 'an open socket is no request under way');
  client.close(4000, 'bye');
  await until(() => notes.length === 3);
  t.same(notes, ['open anna', 'message grüße 🙂', 'close 4000 bye']);
  t.equal(server.stats.sockets, 0);
});

t.test('a client is refused with an answer, at once or later', async t => {
  const refusals: Record<string, () => Guest | HttpAnswer | Promise<Guest | HttpAnswer>> = {
    now: () => ({ status: 403, body: '{}' }),
    later: () => Promise.resolve({ status: 401, body: '{}' }),
    thrown: () => {
      throw new ServiceError('svc/console/forbidden');
    },
    rejected: () => Promise.reject(new ServiceError('svc/console/not_found')),
    broken: () => Promise.reject(new Error('by design')),
  };
  const { connect, notes, log } = await setUp(t, {
    upgrade: request => refusals[request.query]?.() ?? { name: '' },
  });
  const statuses: number[] = [];
  for (const how of Object.keys(refusals)) statuses.push(await getRefusal(connect(`/rooms/1/ws?${how}`)));
  t.same(statuses, [403, 401, 403, 404, 500]);
  t.same(notes, []);
  t.equal(log.entries.length, 1, 'only what nobody expected is logged');
});

t.test('a client that leaves while it is being looked at is forgotten', async t => {
  const proceed = gate();
  const { port, notes, server } = await setUp(t, {
    upgrade: async () => {
      await proceed.opened;
      return { name: 'late' };
    },
  });
  const client = new RawClient(port, t);
  client.send(
    rawRequest('GET', '/rooms/1/ws', [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ]),
  );
  await until(() => server.stats.inFlight === 1);
  client.socket.resetAndDestroy();
  await until(() => server.stats.inFlight === 0);
  proceed.open();
  await new Promise(resolve => setImmediate(resolve));
  t.same(notes, []);
  t.equal(server.stats.sockets, 0);
});

t.test('a plain GET of a websocket is 426', async t => {
  const { url } = await setUp(t);
  const answer = await fetch(`${url}/rooms/1/ws`);
  t.equal(answer.status, 426);
  t.equal(answer.headers.get('upgrade'), 'websocket');
});

t.test('publish reaches those who have subscribed, and no others', async t => {
  const { connect, server, sockets } = await setUp(t, {
    open: socket => {
      sockets.push(socket);
      socket.subscribe('news');
    },
  });
  const [one, two] = [connect(), connect()];
  await Promise.all([once(one, 'open'), once(two, 'open')]);
  await until(() => sockets.length === 2);
  const both = Promise.all([nextText(one), nextText(two)]);
  server.publish('news', 'first');
  t.same(await both, ['first', 'first']);
  // uWebSockets.js sends in turns: the leaver is told by a frame, after which it knows the order.
  for (const socket of sockets) socket.unsubscribe('news');
  server.publish('news', 'second');
  const marks = Promise.all([nextText(one), nextText(two)]);
  for (const socket of sockets) socket.send('mark');
  t.same(await marks, ['mark', 'mark']);
});

t.test('publish without any endpoint is nothing', async t => {
  const { server } = await startServer(t, () => undefined);
  server.publish('news', 'text');
  t.equal(server.stats.sockets, 0);
});

t.test('a callback that fails closes its socket and no other', async t => {
  const { connect, log, notes } = await setUp(t, {
    message: (socket, text) => {
      if (text === 'fail') throw new Error('by design');
      socket.send(text);
    },
  });
  const [bad, good] = [connect(), connect()];
  await Promise.all([once(bad, 'open'), once(good, 'open')]);
  bad.send('fail');
  const [code] = (await once(bad, 'close')) as [number];
  t.equal(code, 1011);
  t.match(log.entries, [{ level: 'error', message: /websocket callback failed/ }]);
  good.send('still here');
  t.equal(await nextText(good), 'still here');
  t.ok(notes.some(note => note.startsWith('close 1011')));
});

t.test('frames that nobody wants close the socket', async t => {
  const { connect } = await setUp(t, { maxPayload: 1_000 });
  const binary = connect();
  await once(binary, 'open');
  binary.send(Buffer.from('x'), { binary: true });
  t.equal(((await once(binary, 'close')) as [number])[0], 1003);
  for (const [frame, code] of [
    ['x'.repeat(1_001), 1009],
    ['ü'.repeat(501), 1009],
    // Beyond what the server beneath takes, which drops the connection.
    ['x'.repeat(70_000), 1006],
  ] as const) {
    const large = connect();
    await once(large, 'open');
    large.send(frame);
    t.equal(((await once(large, 'close')) as [number])[0], code);
  }
  const full = connect();
  await once(full, 'open');
  full.send('x'.repeat(1_000));
  t.equal((await nextText(full)).length, 1_005, 'the limit itself is taken');
});

t.test('a subprotocol that no endpoint knows is not confirmed', async t => {
  const { port } = await setUp(t);
  const client = new RawClient(port, t);
  client.send(
    rawRequest('GET', '/rooms/1/ws', [
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Protocol: chat, superchat',
    ]),
  );
  await until(() => client.received.includes('\r\n\r\n'));
  t.match(client.received, /^HTTP\/1.1 101 /);
  t.notMatch(client.received, /sec-websocket-protocol/i);
});

t.test('a socket that does not read: queued, then dropped, then told, and it can be ended', async t => {
  const dropped = gate();
  let drops = 0;
  const { connect, sockets, notes } = await setUp(t, {
    maxBackpressure: 100_000,
    open: socket => {
      sockets.push(socket);
      socket.subscribe('flood');
    },
    dropped: socket => {
      drops++;
      socket.end(4008, 'too slow');
      dropped.open();
    },
  });
  const client = connect();
  await once(client, 'open');
  await until(() => sockets.length === 1);
  client.pause();
  const [socket] = sockets;
  const outcomes = new Set<SendOutcome | undefined>();
  const frame = 'x'.repeat(10_000);
  for (let i = 0; i < 10_000 && !outcomes.has('dropped'); i++) outcomes.add(socket?.send(frame));
  t.same([...outcomes], ['sent', 'queued', 'dropped']);
  t.ok((socket?.buffered() ?? 0) <= 110_000, 'the buffer is bounded');
  await dropped.opened;
  t.equal(drops, 1, 'told once');
  t.same(notes, ['close 4008 too slow']);
  t.equal(socket?.send('more'), 'dropped', 'a closed socket is safe to use');
  t.equal(socket?.buffered(), 0);
  socket?.cork(() => socket.send('more'));
  socket?.subscribe('flood');
  socket?.unsubscribe('flood');
  socket?.end(1000, 'again');
});

t.test('published frames that do not fit are told too', async t => {
  const dropped = gate();
  const { connect, sockets, server, notes } = await setUp(t, {
    maxBackpressure: 100_000,
    open: socket => {
      sockets.push(socket);
      socket.subscribe('flood');
    },
    dropped: socket => {
      socket.end(4008, 'too slow');
      dropped.open();
    },
  });
  const client = connect();
  await once(client, 'open');
  await until(() => sockets.length === 1);
  client.pause();
  const frame = 'x'.repeat(10_000);
  while (notes.length === 0) {
    server.publish('flood', frame);
    await new Promise(resolve => setImmediate(resolve));
  }
  await dropped.opened;
  t.same(notes, ['close 4008 too slow']);
});

t.test('a socket that reads again is told that its buffer has shrunk', async t => {
  const drained = gate();
  const { connect, sockets } = await setUp(t, { drain: () => drained.open() });
  const client = connect();
  await once(client, 'open');
  await until(() => sockets.length === 1);
  client.pause();
  const [socket] = sockets;
  while (socket?.send('x'.repeat(50_000)) === 'sent');
  client.resume();
  await drained.opened;
  t.ok((socket?.buffered() ?? 0) <= 1_048_576);
});

t.test('cork gathers frames', async t => {
  const { connect } = await setUp(t, {
    message: socket => socket.cork(() => ['a', 'b', 'c'].forEach(text => socket.send(text))),
  });
  const client = connect();
  await once(client, 'open');
  const texts: string[] = [];
  client.on('message', (data: Buffer) => texts.push(data.toString()));
  client.send('go');
  await until(() => texts.length === 3);
  t.same(texts, ['a', 'b', 'c']);
});

t.test('close sends the sockets away', async t => {
  const { connect, server, notes } = await setUp(t);
  const client = connect('/rooms/1/ws?guest');
  await once(client, 'open');
  const gone = once(client, 'close') as Promise<[number]>;
  await server.close(1_000);
  t.equal((await gone)[0], 1001);
  t.same(notes, ['open guest', 'close 1001 going away']);
  server.publish('news', 'nobody is there');
});
