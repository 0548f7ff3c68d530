/** Pages of other origins: what they may do (the Fetch standard, "CORS protocol"), by raw requests and in a real browser. */
import t, { type Test } from 'tap';
import { Cors } from '../../../gateway/http/cors.ts';
import type { HttpServer } from '../../../gateway/http/server.ts';
import { startChromium } from '../../support/chromium.ts';
import { MemoryLog, startServer } from './http-fixture.ts';

const own = 'https://api.example.com';
const app = 'https://app.example.org';

function setRoutes(server: HttpServer): void {
  const answer = () => ({ status: 200, body: '{"ok":true}', headers: { ETag: '"a"' } });
  for (const method of ['GET', 'POST'] as const) server.route(method, '/v1/things', answer);
  server.route('GET', '/metrics', answer);
  server.route('GET', '/page', () => ({
    status: 200,
    contentType: 'text/html',
    body: '<!doctype html><title>A page</title>',
    headers: { 'Content-Security-Policy': 'connect-src *' },
  }));
}

const startWith = (t: Test, origins: readonly string[]) =>
  startServer(t, setRoutes, { cors: new Cors(origins, own) });

const preflight = (url: string, origin: string) =>
  fetch(url, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type,idempotency-key',
    },
  });

/** Names of the headers that are about other origins. */
const listNames = ({ headers }: Response): string[] =>
  [...headers.keys()].filter(name => name.startsWith('access-control-'));

t.test('a listed origin reads answers and errors, with their headers, and sends no cookies', async t => {
  const { url } = await startWith(t, [app]);
  for (const [path, method, status] of [
    ['/v1/things', 'GET', 200],
    ['/v1/nothing', 'GET', 404],
    ['/v1/things', 'DELETE', 405],
  ] as const) {
    const answer = await fetch(url + path, { method, headers: { origin: app } });
    t.equal(answer.status, status);
    t.equal(answer.headers.get('access-control-allow-origin'), app);
    t.match(answer.headers.get('access-control-expose-headers'), /X-Request-Id.*Retry-After.*ETag/);
    t.equal(answer.headers.get('access-control-allow-credentials'), null);
    t.equal(answer.headers.get('vary'), 'Origin');
  }
  const ours = await fetch(`${url}/v1/things`, { headers: { origin: own } });
  t.equal(ours.headers.get('access-control-allow-credentials'), 'true', 'the own origin alone');
});

t.test('a preflight says what may be asked, and may be kept', async t => {
  const { url } = await startWith(t, [app]);
  const answer = await preflight(`${url}/v1/things`, app);
  t.equal(answer.status, 204);
  t.match(Object.fromEntries(answer.headers), {
    'access-control-allow-origin': app,
    'access-control-allow-methods': /PATCH/,
    'access-control-allow-headers':
      /Authorization, Content-Type, Idempotency-Key, If-Match.*, Service-Acting-User/,
    'access-control-max-age': '7200',
    vary: 'Origin',
  });
  const plain = await fetch(`${url}/v1/things`, { method: 'OPTIONS' });
  t.equal(plain.headers.get('allow'), 'GET, HEAD, OPTIONS, POST', 'what is no preflight is answered as ever');
});

t.test('origins are compared as a whole, and what is for operators is for no page', async t => {
  const { url } = await startWith(t, [app]);
  for (const origin of [
    `${app}.evil.test`,
    'http://app.example.org',
    `${app}:8443`,
    'null',
    app.toUpperCase(),
  ]) {
    const answer = await fetch(`${url}/v1/things`, { headers: { origin } });
    t.strictSame(listNames(answer), [], origin);
    t.equal(answer.headers.get('vary'), 'Origin', 'a cache must not give it to a listed one');
    t.strictSame(listNames(await preflight(`${url}/v1/things`, origin)), [], origin);
  }
  t.strictSame(listNames(await fetch(`${url}/metrics`, { headers: { origin: app } })), []);
  t.strictSame(listNames(await preflight(`${url}/metrics`, app)), []);
});

t.test('without configuration nothing is said', async t => {
  const { url } = await startServer(t, setRoutes);
  const answer = await fetch(`${url}/v1/things`, { headers: { origin: app } });
  t.strictSame([listNames(answer), answer.headers.get('vary')], [[], null]);
  t.strictSame(listNames(await preflight(`${url}/v1/things`, app)), []);
});

t.test('in a browser', async t => {
  const page = await startServer(t, setRoutes);
  const outsider = await startServer(t, setRoutes);
  const log = new MemoryLog();
  const api = await startServer(t, setRoutes, { cors: new Cors([page.url], own), logsRequests: true, log });
  const browser = await startChromium(t);
  const ask = async (from: string, init: string): Promise<unknown> => {
    const tab = await browser.newPage();
    await tab.goto(`${from}/page`);
    const request = `fetch('${api.url}/v1/things', ${init})`;
    const read = `async answer => [answer.status, await answer.text(), answer.headers.get('etag')]`;
    const twice = `${request}.then(() => ${request}).then(${read})`;
    return tab.evaluate(`${twice}.catch(error => error.name)`);
  };
  const headers = `{ authorization: 'Bearer x', 'content-type': 'application/json', 'idempotency-key': 'k' }`;
  const post = `{ method: 'POST', body: '{}', headers: ${headers} }`;
  t.strictSame(await ask(page.url, post), [200, '{"ok":true}', '"a"']);
  const methods = log.entries.map(({ fields }) => fields['method']);
  t.strictSame(methods, ['OPTIONS', 'POST', 'POST'], 'the preflight was kept');
  t.equal(await ask(page.url, `{ credentials: 'include' }`), 'TypeError', 'no cookies');
  t.equal(await ask(outsider.url, post), 'TypeError');
  t.equal(await ask(outsider.url, '{}'), 'TypeError');
});
