/** What operators ask a node, and what a node answers that is not ready for anything else. */
import { once } from 'node:events';
import t from 'tap';
import WebSocket from 'ws';
import { ServiceTokens } from '../../../gateway/auth/service-tokens.ts';
import type { SocketEndpoint, SocketSession } from '../../../gateway/http/websocket.ts';
import { serveClusterStatus } from '../../../gateway/monitoring/cluster-status.ts';
import { startServer } from '../http/http-fixture.ts';

const token = 't'.repeat(32);
const tokens = new ServiceTokens([{ name: 'operator', token }]);

t.test('shows the cluster to services only', async t => {
  const cluster = { node: 'one', shards: 256 };
  const { url } = await startServer(t, server =>
    serveClusterStatus(server, tokens, { describe: () => cluster }),
  );
  const get = (authorization?: string): Promise<Response> =>
    fetch(`${url}/_internal/cluster`, authorization === undefined ? {} : { headers: { authorization } });
  const answer = await get(`Bearer ${token}`);
  t.equal(answer.status, 200);
  t.same(await answer.json(), cluster);
  t.match(await (await get()).json(), { error: 'svc/auth/missing_credentials' });
  const wrong = await get(`Bearer ${token}x`);
  t.equal(wrong.status, 401);
  t.match(await wrong.json(), { error: 'svc/auth/invalid_token' });
});

t.test('a node that is alone has no cluster to show', async t => {
  const { url } = await startServer(t, server =>
    serveClusterStatus(server, tokens, { describe: () => undefined }),
  );
  const answer = await fetch(`${url}/_internal/cluster`, { headers: { authorization: `Bearer ${token}` } });
  t.equal(answer.status, 404);
});

t.test('a server that is held takes routes and endpoints while it listens', async t => {
  const { url, server } = await startServer(t, server => {
    server.route('GET', '/healthz', () => ({ status: 204 }), { always: true });
    server.hold();
  });
  t.equal((await fetch(`${url}/v1/late`)).status, 503);
  server.route('GET', '/v1/late', () => ({ status: 200, body: '"late"' }));
  server.route('POST', '/v1/late/{id}', request => ({ status: 201, body: JSON.stringify(request.params) }));
  const echo: SocketEndpoint<SocketSession> = {
    upgrade: () => ({}),
    open: socket => socket.subscribe('all'),
    message: (socket, text) => void socket.send(text),
    close: () => undefined,
  };
  server.websocket('/v1/socket', echo);
  t.equal((await fetch(`${url}/v1/late`)).status, 503);
  server.release();
  t.equal((await fetch(`${url}/v1/late`)).status, 200);
  t.equal(await (await fetch(`${url}/v1/late/7`, { method: 'POST' })).text(), '["7"]');
  t.equal((await fetch(`${url}/v1/late`, { method: 'PUT' })).status, 405);
  t.equal((await fetch(`${url}/v1/later`)).status, 404);
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/socket`);
  t.teardown(() => socket.terminate());
  await once(socket, 'open');
  for (const say of [() => socket.send('hello'), () => server.publish('all', 'hello')]) {
    const heard = once(socket, 'message');
    say();
    t.equal(String((await heard)[0]), 'hello');
  }
});

t.test('while the server is held, it answers 503 to all but what is always served', async t => {
  let served = 0;
  const { url, server } = await startServer(t, server => {
    server.route('GET', '/healthz', () => ({ status: 204 }), { always: true });
    server.route('POST', '/v1/things', () => {
      served++;
      return { status: 201 };
    });
    server.hold();
  });
  const post = (): Promise<Response> =>
    fetch(`${url}/v1/things`, { method: 'POST', body: 'x'.repeat(100_000) });
  const answer = await post();
  t.equal(answer.status, 503);
  t.equal(answer.headers.get('retry-after'), '1');
  t.match(await answer.json(), { error: 'svc/runtime/unavailable' });
  t.equal((await fetch(`${url}/healthz`)).status, 204);
  t.equal((await fetch(`${url}/healthz`, { method: 'HEAD' })).status, 204);
  t.equal(served, 0);
  server.release();
  t.equal((await post()).status, 201);
});
