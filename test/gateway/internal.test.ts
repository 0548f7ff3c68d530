/** What operators ask a node, and what a node answers that is not ready for anything else. */
import t from 'tap';
import { ServiceTokens } from '../../gateway/auth/service-tokens.ts';
import { serveInternal } from '../../gateway/internal.ts';
import { startServer } from './http-raw.ts';

const token = 't'.repeat(32);
const tokens = new ServiceTokens([{ name: 'operator', token }]);

t.test('shows the cluster to services, and to nobody else', async t => {
  const cluster = { node: 'one', shards: 256 };
  const { url } = await startServer(t, server => serveInternal(server, tokens, { describe: () => cluster }));
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
    serveInternal(server, tokens, { describe: () => undefined }),
  );
  const answer = await fetch(`${url}/_internal/cluster`, { headers: { authorization: `Bearer ${token}` } });
  t.equal(answer.status, 404);
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
