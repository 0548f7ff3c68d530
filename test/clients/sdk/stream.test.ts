/** Following a project's events, over sockets whose other side is the test. stream-on-node.full.test.ts has a real server. */
import t, { type Test } from 'tap';
import {
  AuthError,
  ConnectionError,
  Skein,
  type ClientOptions,
  type Disconnect,
  type StreamItem,
  type StreamOptions,
} from '../../../clients/sdk/index.ts';
import { createSockets, type FakeSocket } from './fake-socket.ts';
import { failure, inVirtualTime, jsonResponse, rejection } from './scripted-fetch.ts';

const epoch = 'first';
const resumed = (seq: number, head?: number): object => ({ type: 'resumed', epoch, seq, head });
const event = (seq: number): object => ({ type: 'event', seq, event: { eventId: `evt_${seq}`, data: {} } });

/** A client of sockets of the test, and a stream of it, which is left at the end. */
function followFake(t: Test, options: StreamOptions = {}, clientOptions: ClientOptions = {}) {
  const sockets = createSockets();
  const skein = new Skein({
    apiKey: 'svc_test_1',
    baseUrl: 'http://skein.test',
    projectId: 'prj_1',
    webSocket: sockets.webSocket,
    fetch: async () => jsonResponse(200, { data: [], nextCursor: null, hasMore: false }),
    ...clientOptions,
  });
  const stream = skein.stream(options);
  t.teardown(() => void stream.return());
  const take = async (): Promise<StreamItem | undefined> => (await stream.next()).value ?? undefined;
  return { ...sockets, stream, take };
}

/** Takes the next item while the test plays the server on the next socket. */
async function takeOver(follow: ReturnType<typeof followFake>, play: (socket: FakeSocket) => void) {
  const [item, socket] = await Promise.all([
    follow.take(),
    follow.next().then(socket => (play(socket), socket)),
  ]);
  return { item, socket };
}

t.test('it opens, resumes, answers pings, and gives each event with its text and cursor', async t => {
  const follow = followFake(t, { from: { epoch, seq: 4 } });
  const raw = '{"eventId":"evt_5","data":{"a":"}\\u00e9"}}';
  const { item, socket } = await takeOver(follow, socket => socket.open().receive(resumed(4, 9)));
  t.equal(socket.url.href, 'ws://skein.test/v1/console/projects/prj_1/events/stream');
  t.equal(socket.headers?.['authorization'], 'Bearer svc_test_1');
  t.strictSame(socket.sent, [{ type: 'resume', epoch, seq: 4 }]);
  t.strictSame(item, { type: 'resumed', cursor: { epoch, seq: 4 }, head: 9 });
  socket
    .receive(`{"type":"event","seq":5,"event":${raw}}`)
    .receive({ type: 'event', event: { eventName: 'thread.typing.started' } })
    .receive({ type: 'ping' })
    .receive({ type: 'ping', seq: 5 })
    .receive({ type: 'ping', seq: 9 })
    .receive({ type: 'dance', tempo: 'allegro' })
    .receive('no JSON')
    .receive({ type: 'reset', epoch: 'second', seq: 2, reason: 'epoch' });
  t.strictSame(await follow.take(), {
    type: 'event',
    event: JSON.parse(raw),
    raw,
    cursor: { epoch, seq: 5 },
  });
  t.strictSame(await follow.take(), { type: 'ephemeral', event: { eventName: 'thread.typing.started' } });
  t.strictSame(await follow.take(), { type: 'position', cursor: { epoch, seq: 9 } });
  t.strictSame(await follow.take(), { type: 'reset', reason: 'epoch', cursor: { epoch: 'second', seq: 2 } });
  t.strictSame(socket.sent.slice(1), [{ type: 'pong' }, { type: 'pong' }, { type: 'pong' }]);
  await follow.stream.return();
  t.ok(socket.isClosed, 'who leaves the loop closes the socket');
});

t.test('it goes on behind what was taken: at once after 1001, soon after anything else', async t => {
  const disconnects: Disconnect[] = [];
  const follow = followFake(t, { onDisconnect: disconnect => disconnects.push(disconnect) });
  await inVirtualTime(async () => {
    await takeOver(follow, socket =>
      socket.open().receive(resumed(0)).receive(event(1)).end(1001, 'going away'),
    );
    t.match(await follow.take(), { cursor: { seq: 1 } }, 'what came before the end is given');
    const second = await takeOver(follow, socket => socket.open().receive(resumed(1)).end(4008, 'too slow'));
    t.strictSame(second.socket.sent, [{ type: 'resume', epoch, seq: 1 }]);
    const third = await takeOver(follow, socket => socket.open().receive(event(2)).fail());
    t.strictSame(third.socket.sent, [{ type: 'resume', epoch, seq: 1 }]);
    const fourth = await takeOver(follow, socket => socket.open().receive(resumed(2)));
    t.strictSame(fourth.socket.sent, [{ type: 'resume', epoch, seq: 2 }]);
  });
  t.match(disconnects, [
    { code: 1001, reason: 'going away', retryInMs: 0 },
    { code: 4008, reason: 'too slow' },
    { code: 1006, reason: 'no connection' },
  ]);
  t.ok(disconnects.every(({ retryInMs }) => retryInMs <= 250));
});

t.test('one environment, and what the user looks at, are told to each connection', async t => {
  const follow = followFake(t, { environmentId: 'env_1' });
  const resume = { type: 'resume', environmentId: 'env_1' };
  await inVirtualTime(async () => {
    follow.stream.view('thread_0');
    follow.stream.view('thread_1');
    const first = await takeOver(follow, socket => socket.open().receive(resumed(0)));
    t.strictSame(first.socket.sent, [resume, { type: 'view', threadId: 'thread_1' }]);
    follow.stream.view('thread_2');
    t.strictSame(first.socket.sent.at(-1), { type: 'view', threadId: 'thread_2' });
    first.socket.end(1006);
    const second = await takeOver(follow, socket => {
      follow.stream.view('thread_3');
      t.strictSame(socket.sent, [], 'not before it is open');
      socket.open().receive(resumed(0));
    });
    t.strictSame(second.socket.sent, [
      { ...resume, epoch, seq: 0 },
      { type: 'view', threadId: 'thread_3' },
    ]);
    t.equal(first.socket.sent.length, 3, 'nor to one that has ended');
    follow.stream.view(null);
    second.socket.end(1006);
    const third = await takeOver(follow, socket => socket.open().receive(resumed(0)));
    t.strictSame(third.socket.sent.at(-1), { type: 'view', threadId: null });
  });
});

t.test('waits between failures grow to five seconds, and begin anew after a success', async t => {
  const { random } = Math;
  Math.random = () => 1;
  t.teardown(() => void (Math.random = random));
  const waits: number[] = [];
  const follow = followFake(t, { onDisconnect: ({ retryInMs }) => waits.push(retryInMs) });
  await inVirtualTime(async () => {
    const first = follow.take();
    for (let failures = 0; failures < 7; failures++) (await follow.next()).fail();
    (await follow.next()).open().receive(resumed(0)).end(1006);
    await first;
    await takeOver(follow, socket => socket.open().receive(resumed(0)));
  });
  t.strictSame(waits, [250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 250]);
});

t.test('any frame is a sign of life', async t => {
  const follow = followFake(t, { onDisconnect: () => t.fail('it was alive') });
  await inVirtualTime(async () => {
    const { socket } = await takeOver(follow, socket => socket.open().receive(resumed(0)));
    for (const minutes of [1, 2, 3]) setTimeout(() => socket.receive({ type: 'ping' }), minutes * 60_000);
    setTimeout(() => socket.receive(event(1)), 240_000);
    t.match(await follow.take(), { cursor: { seq: 1 } });
  });
});

t.test('silence and a full queue end a connection, and not the stream', async t => {
  const ends: Disconnect[] = [];
  const follow = followFake(t, { onDisconnect: end => ends.push(end) });
  await inVirtualTime(async () => {
    const first = await takeOver(follow, socket => socket.open().receive(resumed(0)));
    const second = await takeOver(follow, socket => {
      t.ok(first.socket.isClosed, 'nothing came for 80 seconds');
      socket.open().receive(resumed(0));
      for (let seq = 1; seq <= 1_500; seq++) socket.receive(event(seq));
    });
    t.ok(second.socket.isClosed);
    let last: StreamItem | undefined;
    for (let taken = 1; taken < 1_000; taken++) last = await follow.take();
    t.match(last, { cursor: { seq: 999 } });
    const third = await takeOver(follow, socket => socket.open().receive(resumed(999)));
    t.strictSame(third.socket.sent, [{ type: 'resume', epoch, seq: 999 }], 'the rest is asked for again');
  });
  t.match(ends, [
    { reason: 'no sign of life', wasSilent: true },
    { reason: '1000 frames wait to be taken', wasSilent: false },
  ]);
});

t.test('a sign of life is asked for: what is dead ends in seconds, what lives stays', async t => {
  const reasons: string[] = [];
  const follow = followFake(t, { onDisconnect: ({ reason }) => reasons.push(reason) });
  await inVirtualTime(async () => {
    follow.stream.check();
    const first = await takeOver(follow, socket => socket.open().receive(resumed(0)));
    const startedAt = Date.now();
    follow.stream.check();
    t.strictSame(first.socket.sent.slice(1), [{ type: 'ping' }]);
    first.socket.receive({ type: 'pong' }).receive(event(1));
    t.match(await follow.take(), { cursor: { seq: 1 } }, 'it lives');
    follow.stream.check(3_000);
    const second = await takeOver(follow, socket => socket.open().receive(resumed(1)));
    t.ok(first.socket.isClosed);
    t.ok(Date.now() - startedAt < 10_000, 'and not after the silence of 80 seconds');
    t.strictSame(second.socket.sent, [{ type: 'resume', epoch, seq: 1 }], 'it goes on where it was');
    const taken = follow.take();
    second.socket.end(1006);
    const third = await follow.next();
    // The stream has it with the next turn.
    await new Promise(resolve => setImmediate(resolve));
    follow.stream.check(1_000);
    (await follow.next()).open().receive(resumed(1));
    t.match(await taken, { type: 'resumed' });
    t.ok(third.isClosed, 'one that does not open ends, too');
  });
  t.strictSame(reasons, ['no sign of life', '', 'no sign of life']);
});

t.test('a refused connection: REST says why, and what does not pass is thrown', async t => {
  let status = 503;
  const code = 'svc/auth/invalid_api_key';
  const fetch = async (): Promise<Response> => jsonResponse(status, failure(code));
  const follow = followFake(t, {}, { fetch });
  const error = await inVirtualTime(async () => {
    const rejected = rejection(follow.take());
    (await follow.next()).fail();
    const second = await follow.next();
    status = 401;
    second.fail();
    return rejected;
  });
  t.ok(error instanceof AuthError);
  t.match(error, { code });
  const revoked = followFake(t, {}, { fetch });
  const ended = rejection(revoked.take());
  (await revoked.next()).open().end(4001, 'the credential was revoked');
  t.ok((await ended) instanceof AuthError);
  t.equal(revoked.all.length, 1, 'it is not tried again');
  const renewed = followFake(t);
  const { item } = await inVirtualTime(async () => {
    const taken = renewed.take();
    (await renewed.next()).open().end(4001, 'the token has expired');
    (await renewed.next()).open().receive(resumed(7));
    return { item: await taken };
  });
  t.match(item, { cursor: { seq: 7 } }, 'with a new token it goes on');
  for (const protocolError of [1003, 1007]) {
    const wrong = followFake(t);
    const thrown = rejection(wrong.take());
    (await wrong.next()).open().end(protocolError, 'no such frame');
    t.ok((await thrown) instanceof ConnectionError, String(protocolError));
  }
});

t.test('a token that cannot be had for a while, and one that cannot be had', async t => {
  let asked = 0;
  const away = (): Promise<string> =>
    ++asked < 3 ? Promise.reject(new ConnectionError('no answer')) : Promise.resolve('token');
  const follow = followFake(t, {}, { apiKey: away });
  await inVirtualTime(() => takeOver(follow, socket => socket.open().receive(resumed(0))));
  t.equal(asked, 3);
  const gone = new Error('signed out');
  t.equal(await rejection(followFake(t, {}, { apiKey: () => Promise.reject(gone) }).take()), gone);
});

t.test('browsers get a ticket into the address, and no header', async t => {
  Object.assign(globalThis, { document: {} });
  t.teardown(() => void Reflect.deleteProperty(globalThis, 'document'));
  const asked: string[] = [];
  const fetch = async (url: string): Promise<Response> => {
    asked.push(url);
    return jsonResponse(200, { ticket: 'a+b', expiresIn: 30 });
  };
  const { socket } = await takeOver(followFake(t, {}, { fetch }), socket =>
    socket.open().receive(resumed(0)),
  );
  const address = 'http://skein.test/v1/console/projects/prj_1/events/tickets';
  t.strictSame(asked.splice(0), [address]);
  const untold = followFake(t, { projectId: 'prj_1' }, { fetch, projectId: undefined });
  await takeOver(untold, socket => socket.open().receive(resumed(0)));
  t.strictSame(asked, [address], 'who names the project is not asked for it');
  t.equal(socket.url.searchParams.get('ticket'), 'a+b');
  t.equal(socket.headers, undefined);
});

t.test('a signal ends the loop: before it, while it waits for an event, and between connections', async t => {
  t.equal(await followFake(t, { signal: AbortSignal.abort() }).take(), undefined);
  const waiting = new AbortController();
  const follow = followFake(t, { signal: waiting.signal });
  const { socket } = await takeOver(follow, socket => socket.open().receive(resumed(0)));
  const next = follow.take();
  waiting.abort();
  t.equal(await next, undefined);
  t.ok(socket.isClosed);
  const connecting = new AbortController();
  const failing = followFake(t, { signal: connecting.signal, onDisconnect: () => connecting.abort() });
  const ended = failing.take();
  (await failing.next()).fail();
  t.equal(await ended, undefined);
  const asking = new AbortController();
  const fetch = (): Promise<Response> => new Promise(() => undefined);
  const never = { projectId: undefined, fetch, timeoutMs: 100, maxRetries: 0 };
  const unknown = followFake(t, { signal: asking.signal }, never).take();
  asking.abort();
  t.equal(await unknown, undefined, 'nor does it wait to hear whose key it is');
});

t.test('where there is no WebSocket, the option is named', async t => {
  const { WebSocket } = globalThis;
  Object.assign(globalThis, { WebSocket: undefined });
  t.teardown(() => void Object.assign(globalThis, { WebSocket }));
  const skein = new Skein({ apiKey: 'svc_test_1', projectId: 'prj_1' });
  t.match(await rejection(skein.stream().next()), {
    name: 'TypeError',
    message: /pass the option webSocket/,
  });
});
