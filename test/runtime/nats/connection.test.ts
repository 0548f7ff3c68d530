import { once } from 'node:events';
import { createServer } from 'node:net';
import t from 'tap';
import { NatsConnection, NatsRefused, parseNatsAddress } from '../../../runtime/nats/connection.ts';
import { silentLog, type Log } from '../../../runtime/observability/log.ts';
import { becomes } from '../../support/nats-node.ts';
import { NatsServer } from '../../support/nats-server.ts';

/** A log that can be listened to. */
function hearing(): { log: Log; lines: string[]; said: (message: string) => Promise<void> } {
  const lines: string[] = [];
  const waiting = new Map<string, () => void>();
  const write = (fields: object, message: string): void => {
    lines.push(`${message} ${JSON.stringify(fields)}`);
    waiting.get(message)?.();
  };
  const said = (message: string): Promise<void> => new Promise(resolve => waiting.set(message, resolve));
  return { log: { debug: write, info: write, warn: write, error: write }, lines, said };
}

t.test('addresses', async t => {
  t.strictSame(parseNatsAddress(['nats://a']), { servers: ['a:4222'], tls: false });
  t.strictSame(parseNatsAddress(['tls://token%20x@a:1', 'nats://[::1]:2/']), {
    servers: ['a:1', '[::1]:2'],
    token: 'token x',
    tls: true,
  });
  t.strictSame(parseNatsAddress(['nats://a:1', 'nats://user:p%40ss@b:2']), {
    servers: ['a:1', 'b:2'],
    user: 'user',
    pass: 'p@ss',
    tls: false,
  });
  for (const bad of ['', 'secret', 'nats://']) {
    t.throws(() => parseNatsAddress([bad]), {
      name: 'TypeError',
      message: 'not the address of a NATS server',
    });
  }
  t.throws(() => parseNatsAddress([]), TypeError);
});

t.test('NATS that is absent at start is waited for, and the log says so', async t => {
  const server = await NatsServer.of(t, { jetStream: false, user: 'skein', password: 'secret word' });
  await server.kill();
  const { log, lines, said } = hearing();
  const url = server.url.replace('//', '//skein:secret%20word@');
  const opening = NatsConnection.open({ urls: [url], name: 'test', log });
  await said('waiting for NATS: no server can be reached');
  await server.restart();
  const connection = await opening;
  t.equal(connection.connected, true);
  await connection.close();
  t.equal(connection.connected, false);
  t.equal(lines.filter(line => line.startsWith('waiting')).length, 1, 'not at every try');
  t.notMatch(lines.join('\n'), /secret/);
});

t.test('the wait for NATS can be ended', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  await server.kill();
  const { log, said } = hearing();
  const ending = new AbortController();
  const opening = NatsConnection.open({ urls: [server.url], name: 'test', log, signal: ending.signal });
  await said('waiting for NATS: no server can be reached');
  ending.abort(new Error('going down'));
  await t.rejects(opening);
});

t.test('wrong credentials are said at once, without saying them', async t => {
  const server = await NatsServer.of(t, { jetStream: false, token: 'right' });
  for (const credentials of ['', 'wrong@', 'wrong:wrong@']) {
    const url = server.url.replace('//', `//${credentials}`);
    const refused = NatsConnection.open({ urls: [url], name: 'test', log: silentLog });
    const message = `NATS at 127.0.0.1:${server.port} refuses the credentials of NATS_URL`;
    await t.rejects(refused, { name: 'NatsRefused', message });
  }
  const right = server.url.replace('//', '//right@');
  await (await NatsConnection.open({ urls: [right], name: 'test', log: silentLog })).close();
});

t.test('TLS that the server does not offer is no connection', async t => {
  const server = await NatsServer.of(t, { jetStream: false });
  const url = server.url.replace('nats:', 'tls:');
  await t.rejects(NatsConnection.open({ urls: [url], name: 'test', log: silentLog }), NatsRefused);
});

t.test('a restart of NATS is seen, and survived', async t => {
  const server = await NatsServer.of(t, { jetStream: false, maxPayload: 100_000 });
  const { log, lines } = hearing();
  const connection = await NatsConnection.open({ urls: [server.url], name: 'test', log });
  t.teardown(() => connection.close());
  t.equal(connection.maxPayload, 100_000);
  const seen: boolean[] = [];
  connection.onConnection(() => {
    throw new Error('a bad listener');
  });
  const stop = connection.onConnection(connected => seen.push(connected));
  for (const end of [() => server.kill(), () => server.restart()]) {
    const lost = becomes(connection, false);
    await end();
    await lost;
    if (!seen.includes(true)) await server.restart();
    await becomes(connection, true);
  }
  t.strictSame(seen, [false, true, false, true]);
  stop();
  await connection.close();
  await connection.close();
  t.equal(seen.length, 4);
  t.equal(lines.filter(line => line.startsWith('the connection to NATS is lost')).length, 2);
});

t.test('something that is no NATS is waited for, too', async t => {
  const other = createServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.teardown(() => void other.close());
  const address = other.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const { log, said } = hearing();
  const ending = new AbortController();
  const urls = [`nats://127.0.0.1:${port}`];
  const opening = NatsConnection.open({ urls, name: 'test', log, signal: ending.signal });
  await said('waiting for NATS: no server can be reached');
  ending.abort();
  await t.rejects(opening);
});
