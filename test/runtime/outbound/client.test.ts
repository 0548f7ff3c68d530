/** Requests to addresses that customers name, over real sockets, through real worker threads. */
import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import { OutboundClient } from '../../../runtime/outbound/client.ts';
import { maxConnectionsPerOrigin } from '../../../runtime/outbound/request.ts';
import type { OutboundRequest, OutboundResult } from '../../../runtime/outbound/request.ts';
import type { PoolOptions } from '../../../runtime/pool/pool.ts';
import { authority, receiverTest } from '../../support/certificates.ts';
import { NameServer, type Zone } from '../../support/name-server.ts';
import { OneOwnerPool } from '../../support/one-owner-pool.ts';
import {
  answer,
  hasValidSignature,
  hasValidStandardSignature,
  Receiver,
  silence,
  type ReceiverOptions,
} from '../../support/receiver.ts';

async function poolFor(t: Test, options: PoolOptions = {}): Promise<OneOwnerPool> {
  const pool = new OneOwnerPool(options);
  t.teardown(() => pool.drain());
  await pool.ready();
  return pool;
}

async function receiverFor(t: Test, options: ReceiverOptions = {}): Promise<Receiver> {
  const receiver = await Receiver.start(options);
  t.teardown(() => receiver.stop());
  return receiver;
}

async function namesFor(t: Test, zone: Zone): Promise<NameServer> {
  const server = await NameServer.start(zone);
  t.teardown(() => server.stop());
  return server;
}

const post = (url: string, more: Partial<OutboundRequest> = {}): OutboundRequest => ({
  method: 'POST',
  url,
  headers: { 'content-type': 'application/json' },
  body: '{"a":"ü"}',
  ...more,
});

t.test('what is sent, and what comes back', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  receiver.behaviour = answer(201, { 'content-type': 'text/plain; charset=utf-8' }, 'thänks');
  const secrets = ['whsec_' + 'bmV3ZXN0'.repeat(4), 'whsec_' + 'b2xkZXIh'.repeat(4)];
  const result = await pool.send(post(receiver.url('/a/b?c=d'), { sign: { secrets, id: 'evt_1' } }));
  t.match(result, { status: 201, body: 'thänks', contentType: 'text/plain; charset=utf-8' });
  t.ok(result.durationMs >= 0 && Math.abs(Date.now() - result.at) < 600_000);
  const [received] = receiver.received;
  if (received === undefined) return t.fail('nothing was received');
  t.match(received, { path: '/a/b?c=d', body: '{"a":"ü"}', headers: { 'content-type': 'application/json' } });
  for (const secret of secrets) {
    t.ok(hasValidSignature(received, secret), 'each secret signs');
    t.ok(hasValidStandardSignature(received, secret));
  }
  t.notOk(hasValidSignature(received, 'whsec_another'));
  t.equal(received.headers['webhook-id'], 'evt_1');
});

t.test('the wait for a connection is no part of the time that a request has', async t => {
  const receiver = await receiverFor(t);
  const held: (() => void)[] = [];
  receiver.behaviour = (received, response) => void held.push(() => answer(204)(received, response));
  const client = new OutboundClient({ reach: 'loopback' });
  t.teardown(() => client.close());
  const send = (timeoutMs: number): Promise<OutboundResult> =>
    new Promise(resolve => client.send(post(receiver.url(), { timeoutMs }), resolve));
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const before = Array.from({ length: maxConnectionsPerOrigin }, () => send(600_000));
  await receiver.arrived(maxConnectionsPerOrigin);
  const queued = send(10_000);
  mock.timers.tick(60_000);
  receiver.behaviour = answer(204);
  for (const release of held) release();
  const { status, failure, durationMs } = await queued;
  t.match({ status, failure }, { status: 204, failure: undefined }, 'its time began with its connection');
  const others = await Promise.all(before);
  t.ok(others.every(each => each.status === 204));
  t.ok(
    others.some(each => each.durationMs >= durationMs),
    'and so does what is told of it',
  );

  receiver.behaviour = silence;
  const late = send(10_000);
  await receiver.arrived(maxConnectionsPerOrigin + 2);
  mock.timers.tick(10_000);
  t.match(await late, { failure: 'timeout' }, 'from then on it runs');
});

t.test('a connection is used again', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  for (let i = 0; i < 10; i++) await pool.send(post(receiver.url()));
  t.equal(receiver.connections, 1);
});

t.test(
  'beyond half of the connections to one origin requests of one owner wait, unless they are cancelled',
  async t => {
    const pool = await poolFor(t);
    const receiver = await receiverFor(t);
    const held: (() => void)[] = [];
    receiver.behaviour = (_request, response) => held.push(() => response.writeHead(204).end());
    const sent = Array.from({ length: 258 }, () => pool.send(post(receiver.url())));
    const unwanted = new AbortController();
    const never = pool.send(post(receiver.url()), unwanted.signal);
    await receiver.arrived(256);
    unwanted.abort(new Error('not wanted any more'));
    await t.rejects(never, { message: 'not wanted any more' });
    receiver.behaviour = answer(204);
    for (const end of held) end();
    t.ok((await Promise.all(sent)).every(({ status }) => status === 204));
    t.equal(receiver.connections, 256);
    t.equal(receiver.received.length, 258);
  },
);

t.test('a connection that failed, or that the receiver closed, is replaced', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  receiver.behaviour = (_request, response) => response.destroy();
  t.match(await pool.send(post(receiver.url())), { failure: 'connect' });
  receiver.behaviour = answer(204, { connection: 'close' });
  for (let i = 0; i < 3; i++) t.match(await pool.send(post(receiver.url())), { status: 204 });
  t.equal(receiver.connections, 4);
});

t.test('an answer outside 2xx is an answer, and a redirect is not followed', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  const elsewhere = await receiverFor(t);
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.behaviour = answer(status, { location: elsewhere.url('/') });
    t.match(await pool.send(post(receiver.url())), { status });
  }
  t.equal(elsewhere.connections, 0);
  receiver.behaviour = answer(503, { 'retry-after': '17' }, 'busy');
  t.match(await pool.send(post(receiver.url())), { status: 503, retryAfter: '17', body: 'busy' });
});

t.test('of a long answer the beginning is kept, and an endless one is given up', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  receiver.behaviour = answer(200, {}, 'é'.repeat(20_000));
  const long = await pool.send(post(receiver.url()));
  t.equal(long.truncated, true);
  t.equal(Buffer.byteLength(long.body ?? ''), 16_384);
  t.equal((await pool.send(post(receiver.url(), { keepBytes: 4 }))).body, 'éé');
  t.equal(receiver.connections, 1, 'it was read to its end');
  receiver.behaviour = (_request, response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(65_536, 120)));
    };
    response.on('drain', more);
    more();
  };
  const endless = await pool.send(post(receiver.url()));
  t.match(endless, { status: 200, truncated: true });
  t.equal(endless.body?.length, 16_384);
});

t.test('deadlines', async t => {
  const pool = await poolFor(t, { connectTimeoutMs: 200 });
  const silent = await receiverFor(t);
  silent.behaviour = silence;
  t.match(await pool.send(post(silent.url(), { timeoutMs: 100 })), { failure: 'timeout' }, 'no answer');
  silent.behaviour = (_request, response) => void response.writeHead(200).write('a drop');
  t.match(await pool.send(post(silent.url(), { timeoutMs: 100 })), { failure: 'timeout' }, 'no end of it');
  silent.behaviour = (_request, response) => {
    const drops = setInterval(() => response.write('a drop'), 10);
    response.on('close', () => clearInterval(drops));
  };
  t.match(await pool.send(post(silent.url(), { timeoutMs: 100 })), { failure: 'timeout' }, 'drop by drop');
  const unread = await receiverFor(t, { neverRead: true });
  const large = post(unread.url(), { timeoutMs: 100, body: 'x'.repeat(8_000_000) });
  t.match(await pool.send(large), { failure: 'timeout' }, 'never read');
  const secure = unread.url().replace('http:', 'https:');
  const handshake = await pool.send(post(secure, { timeoutMs: 60_000 }));
  t.match(handshake, { failure: 'timeout', error: /connection/ }, 'no handshake within the time to connect');
});

t.test('a slow receiver does not delay others', async t => {
  const pool = await poolFor(t);
  const slow = await receiverFor(t);
  const quick = await receiverFor(t);
  slow.behaviour = silence;
  const unwanted = new AbortController();
  const waiting = Array.from({ length: 250 }, () =>
    pool.send(post(slow.url(), { timeoutMs: 600_000 }), unwanted.signal).catch((error: unknown) => error),
  );
  await slow.arrived(200);
  const answers = await Promise.all(Array.from({ length: 50 }, () => pool.send(post(quick.url()))));
  t.ok(answers.every(({ status }) => status === 204));
  t.equal(pool.stats.inFlight, 250, 'while all others still wait');
  const reason = new Error('not wanted any more');
  unwanted.abort(reason);
  t.ok((await Promise.all(waiting)).every(outcome => outcome === reason));
});

t.test('failures to connect', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  const url = receiver.url();
  await receiver.stop();
  t.match(await pool.send(post(url)), { failure: 'connect', error: 'connection refused' });
  const dropping = await receiverFor(t);
  dropping.behaviour = (_request, response) => void response.socket?.destroy();
  t.match(await pool.send(post(dropping.url())), { failure: 'connect' });
  const plain = await receiverFor(t);
  const garbled = await pool.send(post(plain.url().replace('http:', 'https:')));
  t.equal(garbled.failure, 'tls', 'no TLS there');
});

t.test('every address of a host name must be permitted, at every connection', async t => {
  const receiver = await receiverFor(t);
  const names = await namesFor(t, {
    'good.test': () => ['127.0.0.1'],
    'both.test': () => ['::1', '127.0.0.1'],
    'mixed.test': () => ['127.0.0.1', '10.0.0.1'],
    'mapped.test': () => ['::ffff:127.0.0.1'],
    'empty.test': () => [],
    'silent.test': () => undefined,
    // DNS rebinding: allowed at first, then not.
    'turning.test': asked => (asked === 1 ? ['127.0.0.1'] : ['169.254.169.254']),
  });
  const pool = await poolFor(t, { nameServers: [names.address], connectTimeoutMs: 60_000 });
  const hasty = await poolFor(t, { nameServers: [names.address], connectTimeoutMs: 200 });
  const send = (host: string, more: Partial<OutboundRequest> = {}): Promise<OutboundResult> =>
    pool.send(post(`http://${host}:${receiver.port}/`, more));

  t.match(await send('good.test'), { status: 204 });
  t.equal(receiver.received[0]?.headers.host, `good.test:${receiver.port}`, 'the name stays');
  t.match(await send('both.test'), { status: 204 }, 'the address that answers is used');
  for (const host of ['mixed.test', 'mapped.test']) {
    t.match(await send(host), { failure: 'blocked_address', error: 'the address is not public' }, host);
  }
  for (const host of ['empty.test', 'unknown.test']) t.match(await send(host), { failure: 'dns' }, host);
  t.match(await hasty.send(post('http://silent.test/')), { failure: 'timeout' });

  const before = receiver.connections;
  t.match(await send('turning.test', { headers: { connection: 'close' } }), { status: 204 });
  t.equal(
    names.asked.get('turning.test/A'),
    1,
    'what was checked is what was connected to: nobody asks twice',
  );
  t.match(await send('turning.test'), { failure: 'blocked_address' }, 'a new connection is checked anew');
  t.equal(receiver.connections, before + 1);
});

t.test('only public addresses are reached', async t => {
  const receiver = await receiverFor(t);
  const names = await namesFor(t, { 'inside.test': () => ['127.0.0.1'] });
  const pool = await poolFor(t, { reach: 'public', nameServers: [names.address] });
  const { port } = receiver;
  const hosts = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'inside.test',
  ];
  for (const host of hosts) {
    t.match(await pool.send(post(`http://${host}:${port}/`)), { failure: 'blocked_address' }, host);
  }
  t.match(await pool.send(post(`http://user:pass@inside.test:${port}/`)), { failure: 'blocked_address' });
  t.match(await pool.send(post('not a URL')), { failure: 'blocked_address' });
  const plain = await pool.send(post('http://inside.test/', { httpsOnly: true }));
  t.match(plain, { failure: 'blocked_address', error: /https/ });
  t.equal(receiver.connections, 0);
});

t.test('TLS', async t => {
  const receiver = await receiverFor(t, { tls: receiverTest });
  const names = await namesFor(t, {
    'receiver.test': () => ['127.0.0.1'],
    'another.test': () => ['127.0.0.1'],
  });
  const trusting = await poolFor(t, { nameServers: [names.address], ca: [authority] });
  const doubting = await poolFor(t, { nameServers: [names.address] });
  const url = (host: string): string => `https://${host}:${receiver.port}/`;
  t.match(await trusting.send(post(url('receiver.test'), { httpsOnly: true })), { status: 204 });
  t.equal(receiver.received.length, 1);
  t.match(await trusting.send(post(url('another.test'))), {
    failure: 'tls',
    error: 'the certificate is for another host',
  });
  t.match(await trusting.send(post(url('127.0.0.1'))), { failure: 'tls' });
  t.match(await doubting.send(post(url('receiver.test'))), { failure: 'tls' });
  t.equal(receiver.received.length, 1);
});

t.test('the body of an answer is kept in a file, with its digest', async t => {
  const pool = await poolFor(t);
  const receiver = await receiverFor(t);
  const bytes = randomBytes(3 * 1_048_576);
  receiver.behaviour = (_request, response) => response.end(bytes);
  const folder = t.testdir({ taken: 'by something else' });
  const fetch = (name: string, more: Partial<OutboundRequest> = {}) =>
    pool.send({
      method: 'GET',
      url: receiver.url(),
      headers: {},
      saveTo: join(folder, name),
      keepBytes: bytes.length,
      ...more,
    });
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const result = await fetch('whole');
  t.match(result, {
    status: 200,
    saved: { bytes: bytes.length, sha256 },
    body: undefined,
    truncated: undefined,
  });
  t.ok((await readFile(join(folder, 'whole'))).equals(bytes));
  t.match(await fetch('long', { keepBytes: 1_000 }), { status: 200, truncated: true });
  t.match(await fetch('taken'), { status: 200, saved: undefined }, 'a file that is there is not written');
  t.equal(await readFile(join(folder, 'taken'), 'utf8'), 'by something else');
  receiver.behaviour = answer(404, {}, 'no file');
  t.match(await fetch('missing'), { status: 404, body: 'no file', saved: undefined });
  receiver.behaviour = (_request, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('half of it');
    setImmediate(() => response.destroy());
  };
  t.match(await fetch('broken'), { failure: 'connect', saved: undefined });
});

t.test('a request that names a wider reach has connections of its own', async t => {
  const pool = await poolFor(t, { reach: 'public' });
  const receiver = await receiverFor(t);
  t.match(await pool.send(post(receiver.url())), { failure: 'blocked_address' });
  t.match(await pool.send(post(receiver.url(), { reach: 'loopback' })), { status: 204 });
  t.match(await pool.send(post(receiver.url())), { failure: 'blocked_address' }, 'and shares none of them');
});
