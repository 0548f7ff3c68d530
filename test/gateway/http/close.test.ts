/** How the server closes: nobody is cut off who was being answered, and nobody is waited for longer than was said. */
import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import { gate, RawClient, rawRequest, startServer } from './http-fixture.ts';

/** Those who knocked before the close are still let in: the server looks at its sockets once more. */
async function doorShut(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await turn();
}

t.test('close waits for the answers in flight, and says goodbye in them', async t => {
  const proceed = gate();
  const { port, server } = await startServer(t, server => {
    server.route('GET', '/slow', async () => {
      await proceed.opened;
      return { status: 200, body: '"done"' };
    });
    server.route('GET', '/head', () => ({ status: 200, body: '{}' }));
  });
  const idle = new RawClient(port, t);
  await idle.send(rawRequest('GET', '/head')).answers(1);
  const slow = new RawClient(port, t).send(rawRequest('GET', '/slow'));
  while (server.stats.inFlight === 0) await turn();
  const closed = server.close(600_000);
  t.equal(server.close(600_000), closed, 'idempotent');
  await doorShut();
  const late = new RawClient(port, t);
  await late.closed;
  t.equal(late.received, '', 'nobody new is let in');
  const [last] = await idle
    .send(rawRequest('HEAD', '/head'))
    .answers(2, [1])
    .then(answers => answers.slice(1));
  t.equal(last?.headers.connection, 'close', 'who is here already is served and sent away');
  proceed.open();
  const [answer] = await slow.untilClosed();
  t.equal(answer?.body, '"done"');
  t.equal(answer?.headers.connection, 'close');
  await closed;
  await idle.closed;
});

t.test('requests that arrived while the process was blocked are served', async t => {
  const { port, server } = await startServer(t, server => {
    server.route('GET', '/', () => ({ status: 200, body: '{}' }));
  });
  const idle = new RawClient(port, t);
  await idle.send(rawRequest('GET', '/')).answers(1);
  const knocking = new RawClient(port, t);
  // The kernel has made the connection by then, and the server has not seen it.
  await new Promise<void>(resolve => process.nextTick(resolve));
  const closed = server.close(600_000);
  await once(knocking.socket, 'connect');
  idle.send(rawRequest('GET', '/'));
  knocking.send(rawRequest('GET', '/'));
  // For longer than the server lingers.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500);
  t.equal((await idle.untilClosed()).length, 2);
  t.equal((await knocking.untilClosed()).length, 1);
  await closed;
});

t.test('close waits for a client that is still reading', async t => {
  const body = Buffer.alloc(8_000_000, 'x');
  const { port, server } = await startServer(t, server => {
    server.route('GET', '/before', () => ({ status: 200, body }));
    server.route('GET', '/during', () => ({ status: 200, body }));
  });
  const during = new RawClient(port, t).send(rawRequest('GET', '/none'));
  await during.answers(1);
  const before = new RawClient(port, t);
  before.socket.pause();
  before.send(rawRequest('GET', '/before'));
  while (server.stats.inFlight === 0) await turn();
  const closed = server.close(600_000);
  await doorShut();
  during.socket.pause();
  during.send(rawRequest('GET', '/during'));
  while (server.stats.inFlight === 1) await turn();
  before.socket.resume();
  t.equal((await before.answers(1))[0]?.body.length, body.length);
  during.socket.resume();
  const [, last] = await during.answers(2);
  t.equal(last?.body.length, body.length);
  t.equal(last?.headers.connection, 'close');
  await closed;
});

t.test('close does not wait longer than it was told to', async t => {
  const { port, server } = await startServer(t, server => {
    server.route('GET', '/', () => new Promise(() => undefined));
  });
  const client = new RawClient(port, t).send(rawRequest('GET', '/'));
  while (server.stats.inFlight === 0) await turn();
  await server.close(20);
  t.same(await client.untilClosed(), []);
});
