/** Bodies that are streamed, in both directions. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import t, { type Test } from 'tap';
import { ServiceError } from '../../../protocol/errors.ts';
import type { HttpAnswer, HttpRequest } from '../../../gateway/http/message.ts';
import type { HttpServer, HttpServerOptions } from '../../../gateway/http/server.ts';
import { eventually } from '../../support/eventually.ts';
import { gate, RawClient, startServer } from './http-fixture.ts';

const megabyte = 1_048_576;
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Resolves when the server has nothing under way. */
function idle(server: HttpServer): Promise<void> {
  return eventually('rest', () => Promise.resolve(server.stats.inFlight === 0));
}

type Take = (body: Readable, request: HttpRequest) => Promise<HttpAnswer>;

const digest: Take = async body => {
  const hash = createHash('sha256');
  for await (const piece of body) hash.update(piece as Buffer);
  return { status: 200, body: JSON.stringify(hash.digest('hex')) };
};

function startUpload(t: Test, take: Take, options: Partial<HttpServerOptions> = {}) {
  return startServer(
    t,
    server => {
      const handler = async (request: HttpRequest): Promise<HttpAnswer> => {
        if (request.incoming === undefined) throw new Error('the body is not streamed');
        return take(request.incoming, request);
      };
      server.route('PUT', '/up', handler, { streamsBody: true, maxBodyBytes: 40 * megabyte });
      server.route('GET', '/plain', () => ({ status: 200, body: '"plain"' }));
    },
    options,
  );
}

t.test('a body is read as it arrives, whole and in order', async t => {
  const { url, server } = await startUpload(t, digest);
  for (const size of [0, 1, 70_000, 8 * megabyte]) {
    const bytes = randomBytes(size);
    const answer = await fetch(`${url}/up`, { method: 'PUT', body: bytes });
    t.strictSame([answer.status, await answer.json()], [200, sha(bytes)], `${size} bytes`);
  }
  const bytes = randomBytes(megabyte);
  const chunked = await fetch(`${url}/up`, {
    method: 'PUT',
    body: new Blob([bytes]).stream(),
    duplex: 'half',
  } as RequestInit);
  t.equal(await chunked.json(), sha(bytes), 'chunked');
  await idle(server);
});

t.test('a slow reader holds the client back, not the body in memory', async t => {
  let arrived = 0;
  let go: () => void = () => undefined;
  const started = new Promise<void>(resolve => (go = resolve));
  let open: () => void = () => undefined;
  const opened = new Promise<void>(resolve => (open = resolve));
  const { port } = await startUpload(t, async body => {
    go();
    await opened;
    for await (const piece of body) arrived += (piece as Buffer).length;
    return { status: 200, body: String(arrived) };
  });
  const size = 32 * megabyte;
  const client = new RawClient(port, t);
  client.send(`PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: ${size}\r\n\r\n`);
  await started;
  const bytes = randomBytes(size);
  t.notOk(client.socket.write(bytes), 'more than the way takes');
  await new Promise<void>(resolve => setImmediate(resolve));
  t.ok(client.socket.writableLength > size / 2, 'most of it waits at the client');
  open();
  const [answer] = await client.answers(1);
  t.strictSame([answer?.status, answer?.body], [200, String(size)]);
});

t.test('an early answer reaches the client, and the connection stays open', async t => {
  const { port, url } = await startUpload(t, () => Promise.reject(new ServiceError('svc/runtime/not_found')));
  const answer = await fetch(`${url}/up`, { method: 'PUT', body: randomBytes(2 * megabyte) });
  t.equal(answer.status, 404);
  const client = new RawClient(port, t);
  client.send(`PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(200_000)}`);
  client.send('GET /plain HTTP/1.1\r\nHost: a\r\n\r\n');
  const answers = await client.answers(2);
  t.strictSame(
    answers.map(({ status, body }) => [status, body === '"plain"']),
    [
      [404, false],
      [200, true],
    ],
  );
});

t.test('an answer that comes in the middle of a body reaches the client, again and again', async t => {
  const { url } = await startUpload(t, async () => {
    await new Promise(resolve => setImmediate(resolve));
    throw new ServiceError('svc/runtime/conflict');
  });
  for (const size of [100_000, megabyte, 3 * megabyte, 12 * megabyte, 3 * megabyte]) {
    const answer = await fetch(`${url}/up`, { method: 'PUT', body: randomBytes(size) });
    t.equal(answer.status, 409, `${size} bytes`);
  }
});

t.test('what is too large is 413, by its announcement or by its length', async t => {
  const { url } = await startUpload(t, digest);
  const tooLarge = randomBytes(41 * megabyte);
  const announced = await fetch(`${url}/up`, { method: 'PUT', body: tooLarge });
  t.equal(announced.status, 413);
  const unannounced = await fetch(`${url}/up`, {
    method: 'PUT',
    body: new Blob([tooLarge]).stream(),
    duplex: 'half',
  } as RequestInit).then(
    answer => answer.status,
    () => 'cut off',
  );
  t.ok([413, 'cut off'].includes(unannounced), String(unannounced));
});

t.test('the reader learns that the client has gone', async t => {
  let failed: (error: unknown) => void = () => undefined;
  const failure = new Promise<unknown>(resolve => (failed = resolve));
  const { port, server } = await startUpload(t, body =>
    digest(body, undefined as never).catch((error: unknown) => {
      failed(error);
      throw error;
    }),
  );
  const client = new RawClient(port, t);
  client.send(`PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc`);
  await eventually('request', () => Promise.resolve(server.stats.inFlight === 1));
  client.socket.destroy();
  t.match(await failure, { name: 'BodyCut' });
  await idle(server);
});

t.test('streams beyond the limit are told to retry, and do not delay others', async t => {
  const { url, port, server } = await startUpload(t, digest, { maxStreamsPerAddress: 1 });
  const client = new RawClient(port, t);
  client.send(`PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na`);
  await eventually('request', () => Promise.resolve(server.stats.inFlight === 1));
  const refused = await fetch(`${url}/up`, { method: 'PUT', body: 'abc' });
  t.strictSame([refused.status, refused.headers.get('retry-after')], [503, '1']);
  t.equal((await fetch(`${url}/plain`)).status, 200);
  client.send('bc');
  await client.answers(1);
  t.equal((await fetch(`${url}/up`, { method: 'PUT', body: 'abc' })).status, 200);
  await idle(server);
  t.equal(server.stats.bodyBytes, 0);
});

t.test('a transfer that takes too long is ended', async t => {
  const { port } = await startUpload(t, digest, { transferDeadlineMs: 50 });
  const client = new RawClient(port, t);
  client.send(`PUT /up HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nabc`);
  t.strictSame(await client.untilClosed(), []);
});

t.test('a body that its route does not admit takes no room, and its answer does not wait for it', async t => {
  const { port, url } = await startServer(
    t,
    server => {
      const handler = (request: HttpRequest): HttpAnswer => ({
        status: 200,
        body: String(request.body.length),
      });
      const refuse = (request: HttpRequest): HttpAnswer | undefined =>
        request.header('x-pass') === '' ? { status: 401, body: '"who?"' } : undefined;
      const refuseLater = async (request: HttpRequest): Promise<HttpAnswer | undefined> => {
        await new Promise<void>(resolve => setImmediate(resolve));
        return refuse(request);
      };
      server.route('PUT', '/up', handler, { streamsBody: true, admitBody: refuse, maxBodyBytes: megabyte });
      server.route('POST', '/whole', handler, { admitBody: refuse });
      server.route('POST', '/later', handler, { admitBody: refuseLater });
    },
    { maxStreams: 1, maxBodyBytesInFlight: 500_000, discardDeadlineMs: 30 },
  );
  const slow = (target: string, sent: number, pass = ''): RawClient =>
    new RawClient(port, t).send(
      `${target} HTTP/1.1\r\nHost: a\r\nX-Pass: ${pass}\r\nContent-Length: 200000\r\n\r\n${'x'.repeat(sent)}`,
    );
  for (const target of ['PUT /up', 'POST /whole', 'POST /later']) {
    // Those that somebody is still asked about hold what has come of them: at most 40 KB each.
    const clients = Array.from({ length: target === 'POST /later' ? 5 : 30 }, () =>
      slow(target, target === 'PUT /up' ? 1 : 20_000),
    );
    for (const client of clients) {
      const answers = await client.untilClosed();
      t.strictSame(
        answers.map(({ status }) => status),
        [401],
        target,
      );
    }
  }
  for (const path of ['/whole', '/later']) {
    const free = await fetch(`${url}${path}`, { method: 'POST', body: 'x'.repeat(10_000) });
    t.equal(await free.text(), '10000', 'a little is taken from everybody');
    const client = slow(`POST ${path}`, 20_000, 'yes').send('x'.repeat(180_000));
    const [admitted] = await client.answers(1);
    t.strictSame([admitted?.status, admitted?.body], [200, '200000'], path);
  }
});

t.test('slow bodies of one address have a limit, and quick ones go on', async t => {
  const { port, url, server } = await startServer(
    t,
    server => server.route('POST', '/whole', ({ body }) => ({ status: 200, body: String(body.length) })),
    { maxSlowBodiesPerAddress: 2, discardDeadlineMs: 30 },
  );
  const slow = (): RawClient =>
    new RawClient(port, t).send('POST /whole HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\na');
  const [first, second] = [slow(), slow()];
  await eventually('two bodies', () => Promise.resolve(server.stats.bodyBytes >= 2));
  const [refused] = await slow().untilClosed();
  t.equal(refused?.status, 503);
  t.equal((await fetch(`${url}/whole`, { method: 'POST', body: 'abc' })).status, 200);
  for (const client of [first, second]) t.equal((await client.send('bc').answers(1))[0]?.body, '3');
  t.equal((await slow().send('bc').answers(1))[0]?.body, '3', 'there is room again');
});

function startDownload(
  t: Test,
  make: () => { stream: Readable; size?: number },
  options: Partial<HttpServerOptions> = {},
) {
  const streams: Readable[] = [];
  const handler = (): HttpAnswer => {
    const outgoing = make();
    streams.push(outgoing.stream);
    return { status: 200, contentType: 'application/octet-stream', outgoing };
  };
  const set = (server: HttpServer): void => {
    server.route('GET', '/down', handler, { streamsAnswer: true });
    server.route('GET', '/plain', () => ({ status: 200, body: '"plain"' }));
  };
  return startServer(t, set, options).then(started => ({ ...started, streams }));
}

t.test('an answer is streamed with its length', async t => {
  for (const size of [0, 10, 8 * megabyte]) {
    const bytes = randomBytes(size);
    const pieces = (): Readable =>
      Readable.from(
        Array.from({ length: Math.ceil(size / 50_000) }, (_, i) =>
          bytes.subarray(i * 50_000, (i + 1) * 50_000),
        ),
        { objectMode: false },
      );
    const { url, streams, server } = await startDownload(t, () => ({ stream: pieces(), size }));
    const answer = await fetch(`${url}/down`);
    t.equal(answer.headers.get('content-length'), String(size));
    t.equal(answer.headers.get('content-type'), 'application/octet-stream');
    t.equal(sha(new Uint8Array(await answer.arrayBuffer())), sha(bytes), `${size} bytes`);
    const head = await fetch(`${url}/down`, { method: 'HEAD' });
    t.strictSame([head.status, head.headers.get('content-length')], [200, String(size)]);
    await idle(server);
    t.ok(streams.every(({ destroyed }) => destroyed));
  }
});

t.test('a client that does not read is not read for', async t => {
  let read = 0;
  const size = 64 * megabyte;
  const endless = (): Readable =>
    new Readable({
      read() {
        read += 65_536;
        this.push(read > size ? null : Buffer.alloc(65_536));
      },
    });
  const { port, streams, server } = await startDownload(t, () => ({ stream: endless(), size }));
  const client = new RawClient(port, t);
  client.socket.pause();
  client.send('GET /down HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually('pause', () => Promise.resolve(streams[0]?.isPaused() === true));
  t.ok(read < size / 2, `${read} bytes read`);
  client.socket.destroy();
  await idle(server);
  t.ok(streams[0]?.destroyed, 'given up with the client');
});

t.test('a stream that fails or ends early ends the connection: half a file is no file', async t => {
  const broken = [
    () =>
      new Readable({
        read() {
          this.push('abc');
          this.destroy(new Error('disk'));
        },
      }),
    () => Readable.from([Buffer.from('abc')], { objectMode: false }),
    () => Readable.from([Buffer.alloc(11)], { objectMode: false }),
  ];
  for (const make of broken) {
    const { port, server } = await startDownload(t, () => ({ stream: make(), size: 10 }));
    const client = new RawClient(port, t);
    client.send('GET /down HTTP/1.1\r\nHost: a\r\n\r\n');
    await (client.socket.destroyed ? undefined : once(client.socket, 'close'));
    t.notOk(client.received.endsWith('\0'.repeat(10)));
    await idle(server);
  }
});

t.test('an answer of unknown size is streamed in chunks, and the connection goes on', async t => {
  for (const size of [10, 8 * megabyte]) {
    const bytes = randomBytes(size);
    const pieces = (): Readable =>
      Readable.from(
        // One of them is empty, and not the last.
        [0, 0, 50_000, 3 * megabyte, 8 * megabyte].map((end, i, ends) =>
          bytes.subarray(ends[i - 1] ?? 0, end),
        ),
        { highWaterMark: 1 },
      );
    const { url, port, streams, server } = await startDownload(t, () => ({ stream: pieces() }));
    const answer = await fetch(`${url}/down`);
    t.equal(answer.headers.get('content-length'), null);
    t.equal(answer.headers.get('transfer-encoding'), 'chunked');
    t.equal(sha(new Uint8Array(await answer.arrayBuffer())), sha(bytes), `${size} bytes`);
    const head = await fetch(`${url}/down`, { method: 'HEAD' });
    t.strictSame([head.status, head.headers.get('content-length')], [200, null]);
    await idle(server);
    t.ok(streams.every(({ destroyed }) => destroyed));
    const client = new RawClient(port, t);
    for (let i = 0; i < 2; i++) {
      client.send('GET /down HTTP/1.1\r\nHost: a\r\n\r\n');
      await eventually('the last chunk', () =>
        Promise.resolve(client.received.split('\r\n0\r\n\r\n').length === i + 2),
      );
    }
  }
});

t.test('an empty stream of unknown size is an empty answer', async t => {
  const { url, server } = await startDownload(t, () => ({ stream: Readable.from([]) }));
  const answer = await fetch(`${url}/down`);
  t.strictSame([answer.status, await answer.text()], [200, '']);
  await idle(server);
});

t.test('a client that does not read an answer in chunks is not read for', async t => {
  let read = 0;
  const endless = (): Readable =>
    new Readable({
      read() {
        // Small ones, too.
        read += 1_000;
        this.push(Buffer.alloc(1_000));
      },
    });
  const { port, streams, server } = await startDownload(t, () => ({ stream: endless() }));
  const client = new RawClient(port, t);
  client.socket.pause();
  client.send('GET /down HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually('pause', () => Promise.resolve(streams[0]?.isPaused() === true));
  const before = read;
  t.ok(before < 32 * megabyte, `${before} bytes read`);
  client.socket.resume();
  await eventually('more', () => Promise.resolve(read > before + megabyte));
  client.socket.destroy();
  await idle(server);
  t.ok(streams[0]?.destroyed, 'given up with the client');
});

t.test('an answer in chunks that fails ends without its last chunk', async t => {
  const broken = (): Readable =>
    new Readable({
      read() {
        this.push('abc');
        this.destroy(new Error('disk'));
      },
    });
  const { port, server } = await startDownload(t, () => ({ stream: broken() }));
  const client = new RawClient(port, t);
  client.send('GET /down HTTP/1.1\r\nHost: a\r\n\r\n');
  await (client.socket.destroyed ? undefined : once(client.socket, 'close'));
  t.notOk(client.received.endsWith('0\r\n\r\n'));
  await idle(server);
});

t.test('streamed answers that nobody reads have a limit for a client, and one in all', async t => {
  const size = 64 * megabyte;
  const endless = (): Readable =>
    new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
  const limits = { maxDownloadsPerAddress: 2, maxDownloads: 3, trustedProxies: 1 };
  const { url, port, streams, server } = await startDownload(t, () => ({ stream: endless(), size }), limits);
  const ask = (from: string) => fetch(`${url}/down`, { headers: { 'X-Forwarded-For': from } });
  const stall = async (from: string): Promise<RawClient> => {
    const begun = streams.length;
    const client = new RawClient(port, t);
    client.socket.pause();
    client.send(`GET /down HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${from}\r\n\r\n`);
    await eventually('download', () => Promise.resolve(streams.length > begun));
    return client;
  };
  const first = await stall('2001:db8:0:1::1');
  const second = await stall('2001:db8:0:1:9:9:9:9');
  const refused = await ask('2001:db8:0:1::5');
  t.strictSame([refused.status, refused.headers.get('retry-after')], [503, '1'], 'of one network of IPv6');
  t.equal(streams.length, 2, 'before anything is opened');
  const third = await stall('192.0.2.1');
  t.equal((await ask('192.0.2.2')).status, 503, 'in all');
  t.equal((await fetch(`${url}/plain`)).status, 200, 'other answers are given');
  first.socket.destroy();
  await eventually('room', () => Promise.resolve(server.stats.inFlight === 2));
  const taken = await ask('2001:db8:0:1::5');
  t.equal(taken.status, 200, 'there is room again');
  await taken.body?.cancel();
  for (const client of [second, third]) client.socket.destroy();
  await idle(server);
});

t.test('a route that does not say that it streams its answer does not', async t => {
  const stream = Readable.from([Buffer.from('abc')]);
  const { url, log } = await startServer(t, server =>
    server.route('GET', '/', () => ({ status: 200, outgoing: { stream } })),
  );
  t.equal((await fetch(url)).status, 500);
  t.ok(stream.destroyed);
  t.equal(log.entries.length, 1);
});

async function startLarge(t: Test, options: Partial<HttpServerOptions>) {
  // More than the system takes of an answer before its client reads.
  const body = 'x'.repeat(16 * megabyte);
  const asked = gate();
  const handler = (): HttpAnswer => {
    asked.open();
    return { status: 200, body };
  };
  const started = await startServer(t, server => server.route('GET', '/large', handler), options);
  return { ...started, asked: asked.opened };
}

const roomForTwo = 40 * megabyte;
for (const limit of ['maxSlowBytesPerAddress', 'maxSlowBytes'])
  t.test(
    `answers that clients take slowly have a limit of bytes, and quick ones go on: ${limit}`,
    async t => {
      const { port, server, log } = await startLarge(t, { [limit]: roomForTwo });
      const slow = Array.from({ length: 2 }, () => {
        const client = new RawClient(port, t);
        client.socket.pause();
        return client.send('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
      });
      await eventually('two answers', () => Promise.resolve(server.stats.inFlight === 2));
      t.strictSame(
        await new RawClient(port, t).send('GET /large HTTP/1.1\r\nHost: a\r\n\r\n').untilClosed(),
        [],
      );
      slow[0]?.socket.destroy();
      await eventually('room', () => Promise.resolve(server.stats.inFlight === 1));
      const whole = await fetch(`http://127.0.0.1:${port}/large`);
      t.equal((await whole.arrayBuffer()).byteLength, 16 * megabyte, 'there is room again');
      slow[1]?.socket.destroy();
      await idle(server);
      t.equal(log.entries.length, 0);
    },
  );

t.test('a slow answer that takes too long is ended', async t => {
  const { port, server, asked } = await startLarge(t, { transferDeadlineMs: 50 });
  const client = new RawClient(port, t);
  client.socket.pause();
  client.send('GET /large HTTP/1.1\r\nHost: a\r\n\r\n');
  await asked;
  await idle(server);
  client.socket.resume();
  t.strictSame(await client.untilClosed(), []);
});
