/** What clients and handlers do wrong, and that the server outlives it. */
import { createHash } from 'node:crypto';
import t from 'tap';
import { Agent, fetch, request } from 'undici';
import { ServiceError } from '../../../protocol/errors.ts';
import { eventually } from '../../support/eventually.ts';
import { gate, RawClient, rawRequest, startServer } from './http-fixture.ts';

const length = (n: number) => `Content-Length: ${n}`;

t.test('a handler that fails is a 500 that tells nothing, and a line in the log that tells all', async t => {
  const { url, log, server } = await startServer(t, server => {
    server.route('GET', '/sync', () => {
      throw new Error('secret of /sync');
    });
    server.route('GET', '/async', async () => {
      await Promise.resolve();
      throw new Error('secret of /async');
    });
    server.route('POST', '/body', () => {
      throw new Error('secret of /body');
    });
    server.route('GET', '/odd', () => Promise.reject('not even an error' as unknown as Error));
  });
  for (const path of ['/sync', '/async', '/odd', '/body']) {
    const init = path === '/body' ? { method: 'POST', body: 'x' } : {};
    const answer = await fetch(url + path, init);
    t.equal(answer.status, 500, path);
    const body = (await answer.json()) as { error: string; requestId: string };
    t.equal(body.error, 'svc/runtime/internal_error');
    t.notMatch(JSON.stringify(body), /secret|stack|odd/);
    const entry = log.entries.find(each => each.fields.requestId === body.requestId);
    t.equal(entry?.level, 'error');
    t.ok(entry?.fields.err);
  }
  t.equal(server.stats.inFlight, 0);
});

t.test('a refusal is answered as it is', async t => {
  const { url, log } = await startServer(t, server => {
    server.route('GET', '/sync', () => {
      throw new ServiceError('svc/runtime/conflict', { details: { threadId: 'thread_1' } });
    });
    server.route('GET', '/async', () => Promise.reject(new ServiceError('svc/runtime/not_found')));
  });
  const conflict = await fetch(`${url}/sync`);
  t.equal(conflict.status, 409);
  t.match(await conflict.json(), { error: 'svc/runtime/conflict', details: { threadId: 'thread_1' } });
  t.equal((await fetch(`${url}/async`)).status, 404);
  t.equal(log.entries.length, 0, 'and is nothing to log');
});

t.test('where it is wanted, each request is a line of the log, without its query', async t => {
  const reached = gate();
  const { url, port, log } = await startServer(
    t,
    server => {
      server.route('GET', '/items/{id}', () => ({ status: 200, body: '{}' }));
      server.route('GET', '/waits', () => {
        reached.open();
        return new Promise(() => undefined);
      });
    },
    { logsRequests: true },
  );
  const answer = await fetch(`${url}/items/one?signature=secret`);
  const requestId = answer.headers.get('x-request-id');
  await fetch(`${url}/nowhere?ticket=secret`, { method: 'DELETE' });
  const client = new RawClient(port, t).send(rawRequest('GET', '/waits'));
  await reached.opened;
  client.socket.destroy();
  await eventually('line of each', async () => log.entries.length === 3);
  t.match(log.entries, [
    {
      level: 'debug',
      message: 'request',
      fields: { method: 'GET', path: '/items/one', status: 200, ms: Number, requestId },
    },
    { level: 'debug', fields: { method: 'DELETE', path: '/nowhere', status: 404 } },
    { level: 'debug', fields: { method: 'GET', path: '/waits', status: undefined } },
  ]);
  t.notMatch(JSON.stringify(log.entries), /secret/);
});

t.test('a client that disconnects before the answer does not affect others', async t => {
  const reached = gate();
  const proceed = gate();
  const finished = gate();
  const { port, server, log } = await startServer(t, server => {
    server.route('GET', '/answers', async request => {
      reached.open();
      await proceed.opened;
      finished.open();
      return { status: 200, body: JSON.stringify(request.address) };
    });
    server.route('GET', '/throws', async () => {
      await proceed.opened;
      throw new ServiceError('svc/runtime/conflict');
    });
  });
  const one = new RawClient(port, t).send(rawRequest('GET', '/answers'));
  const two = new RawClient(port, t).send(rawRequest('GET', '/throws'));
  await reached.opened;
  while (server.stats.inFlight < 2) await new Promise(resolve => setImmediate(resolve));
  one.socket.resetAndDestroy();
  two.socket.destroy();
  while (server.stats.inFlight > 0) await new Promise(resolve => setImmediate(resolve));
  proceed.open();
  await finished.opened;
  await new Promise(resolve => setImmediate(resolve));
  t.same(log.entries, []);
});

t.test('a handler that does not answer in time is answered for, once', async t => {
  const proceed = gate();
  const { url, server, log } = await startServer(
    t,
    server => {
      server.route('GET', '/', async () => {
        await proceed.opened;
        return { status: 200, body: '"too late"' };
      });
    },
    { answerDeadlineMs: 30 },
  );
  const answer = await fetch(url);
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '1');
  t.match(await answer.json(), { error: 'svc/runtime/unavailable' });
  t.match(log.entries, [{ level: 'warn', message: /deadline/ }]);
  proceed.open();
  await new Promise(resolve => setImmediate(resolve));
  t.equal(server.stats.inFlight, 0);
  t.equal((await fetch(`${url}/none`)).status, 404, 'the connection is as good as before');
});

t.test('a body up to the limit is taken, one byte more is 413', async t => {
  const { url, server } = await startServer(t, server => {
    server.route('POST', '/', request => ({
      status: 200,
      body: JSON.stringify(createHash('sha256').update(request.body).digest('hex')),
    }));
  });
  const largest = Buffer.alloc(1_048_576, 'abc');
  const taken = await fetch(url, { method: 'POST', body: largest });
  t.equal(taken.status, 200);
  t.equal(await taken.json(), createHash('sha256').update(largest).digest('hex'), 'to the byte');
  const refused = await fetch(url, { method: 'POST', body: Buffer.alloc(1_048_577) });
  t.equal(refused.status, 413);
  t.match(await refused.json(), { error: 'svc/validation/invalid_request' });
  t.equal(server.stats.bodyBytes, 0, 'no memory is kept');
});

t.test('a length over the limit is refused before the body is sent', async t => {
  const { port } = await startServer(
    t,
    server => {
      server.route('POST', '/', () => ({ status: 200, body: '{}' }));
    },
    { maxBodyBytes: 1_000 },
  );
  const client = new RawClient(port, t);
  const [early] = await client.send(rawRequest('POST', '/', [length(5_000)])).answers(1);
  t.equal(early?.status, 413);
  client.send('x'.repeat(5_000), rawRequest('POST', '/', [length(2)], '{}'));
  const answers = await client.answers(2);
  t.equal(answers[1]?.status, 200, 'a client that sent it anyway gets its next answer');

  const flood = new RawClient(port, t);
  const [last] = await flood.send(rawRequest('POST', '/', [length(1_000_000_000)])).untilClosed();
  t.equal(last?.status, 413, 'what nobody would wait for ends the connection');
  t.equal(last?.headers.connection, 'close');
});

t.test('a chunked body over the limit is 413 however small its chunks are', async t => {
  const { port, server } = await startServer(
    t,
    server => {
      server.route('POST', '/', () => ({ status: 200, body: '{}' }));
    },
    { maxBodyBytes: 1_000 },
  );
  const client = new RawClient(port, t);
  client.send(rawRequest('POST', '/', ['Transfer-Encoding: chunked']), '1\r\nx\r\n'.repeat(1_001));
  const [answer] = await client.untilClosed();
  t.equal(answer?.status, 413);
  t.equal(server.stats.bodyBytes, 0);
});

t.test('a body that does not arrive in time closes the connection', async t => {
  let handled = 0;
  const { port, server } = await startServer(
    t,
    server => {
      server.route('POST', '/', () => {
        handled++;
        return { status: 200, body: '{}' };
      });
    },
    { uploadDeadlineMs: 40 },
  );
  const silent = new RawClient(port, t).send(rawRequest('POST', '/', [length(10)]));
  const slow = new RawClient(port, t).send(rawRequest('POST', '/', [length(10)], 'abc'));
  const chunked = new RawClient(port, t).send(
    rawRequest('POST', '/', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n'),
  );
  for (const client of [silent, slow, chunked]) t.same(await client.untilClosed(), []);
  t.equal(handled, 0);
  t.match(server.stats, { inFlight: 0, bodyBytes: 0 });
});

t.test('an upload that is broken off leaves nothing behind', async t => {
  const { port, server } = await startServer(t, server => {
    server.route('POST', '/', () => ({ status: 200, body: '{}' }));
  });
  const client = new RawClient(port, t).send(rawRequest('POST', '/', [length(100_000)], 'x'.repeat(50_000)));
  while (server.stats.bodyBytes === 0) await new Promise(resolve => setImmediate(resolve));
  client.socket.resetAndDestroy();
  while (server.stats.inFlight > 0) await new Promise(resolve => setImmediate(resolve));
  t.equal(server.stats.bodyBytes, 0);
});

t.test('announced bodies cost nothing, arrived ones have a common limit', async t => {
  const { port, server, url } = await startServer(
    t,
    server => {
      server.route('POST', '/', () => ({ status: 200, body: '{}' }));
    },
    { maxBodyBytesInFlight: 100_000 },
  );
  const waiting = [1, 2, 3].map(() =>
    new RawClient(port, t).send(rawRequest('POST', '/', [length(900_000)], 'x')),
  );
  while (server.stats.bodyBytes < 3) await new Promise(resolve => setImmediate(resolve));
  t.ok(server.stats.bodyBytes < 100, 'a byte arrived of each');
  const [first] = waiting;
  first?.send('x'.repeat(200_000));
  const [refused] = (await first?.answers(1)) ?? [];
  t.equal(refused?.status, 503, 'too much at once');
  t.equal((await fetch(url, { method: 'POST', body: 'x'.repeat(50_000) })).status, 200, 'others fit');
});

t.test('requests under way have a limit', async t => {
  const proceed = gate();
  const { port, server } = await startServer(
    t,
    server => {
      server.route('GET', '/', async () => {
        await proceed.opened;
        return { status: 200, body: '{}' };
      });
    },
    { maxInFlight: 2 },
  );
  const clients = [1, 2, 3].map(() => new RawClient(port, t));
  clients[0]?.send(rawRequest('GET', '/'));
  clients[1]?.send(rawRequest('GET', '/'));
  while (server.stats.inFlight < 2) await new Promise(resolve => setImmediate(resolve));
  const [third] = (await clients[2]?.send(rawRequest('GET', '/')).answers(1)) ?? [];
  t.equal(third?.status, 503);
  t.equal(third?.headers['retry-after'], '1');
  proceed.open();
  const answers = await Promise.all([clients[0]?.answers(1), clients[1]?.answers(1)]);
  t.same(
    answers.map(each => each?.[0]?.status),
    [200, 200],
  );
});

t.test('a large answer arrives whole at a client that takes its time', async t => {
  const sizes = [1, 16_383, 16_384, 65_536, 1_000_000, 8_000_000];
  const bodies = new Map(
    sizes.map(size => [String(size), Buffer.alloc(size, 'abcdefghijklmnopqrstuvwxyz0123456789')]),
  );
  const { url, server } = await startServer(t, server => {
    const give = (size = '') => ({
      status: 200,
      body: bodies.get(size) ?? '',
      headers: { 'X-Pad': 'p'.repeat(2_000) },
    });
    server.route('GET', '/sync/{size}', request => give(request.params[0]));
    server.route('GET', '/async/{size}', async request => {
      await new Promise(resolve => setImmediate(resolve));
      return give(request.params[0]);
    });
  });
  const dispatcher = new Agent({ connections: 1 });
  t.teardown(() => dispatcher.close());
  for (const path of ['/sync', '/async']) {
    for (const size of sizes) {
      const { body } = await request(`${url}${path}/${size}`, { dispatcher });
      const chunks: Buffer[] = [];
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        await new Promise(resolve => setImmediate(resolve));
      }
      t.ok(Buffer.concat(chunks).equals(bodies.get(String(size)) ?? Buffer.alloc(0)), `${path} ${size}`);
    }
  }
  t.equal(server.stats.inFlight, 0);
});

t.test('a client that asks and asks and never reads is closed, not served from memory', async t => {
  let served = 0;
  const body = Buffer.alloc(15_000, 'x');
  const { port, url } = await startServer(t, server => {
    server.route('GET', '/', () => {
      served++;
      return { status: 200, body };
    });
  });
  const client = new RawClient(port, t);
  client.socket.pause();
  const many = rawRequest('GET', '/').repeat(500);
  while (!client.socket.destroyed && served < 20_000) {
    if (!client.socket.write(many))
      await Promise.race([client.closed, new Promise(resolve => setImmediate(resolve))]);
  }
  t.ok(served < 20_000, `closed after ${served} answers`);
  t.equal((await fetch(url)).status, 200, 'others are served');
});
