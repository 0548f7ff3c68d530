/** Which route answers, what every answer carries, and what is answered where there is no route. */
import t from 'tap';
import { fetch } from 'undici';
import { createAddressFinder } from '../../../gateway/http/headers.ts';
import { errorAnswer } from '../../../gateway/http/message.ts';
import { isId } from '../../../protocol/ids.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import { apiVersion } from '../../../protocol/version.ts';
import { docsUrl, RawClient, rawRequest, startServer } from './http-fixture.ts';

interface ErrorShape {
  readonly error: string;
  readonly message: string;
  readonly requestId: string;
  readonly docsUrl: string;
}

t.test('a request reaches its route, with parameters in order and the query as sent', async t => {
  const { url } = await startServer(t, server => {
    server.route('GET', '/a/{one}/b/{two}', request => ({
      status: 200,
      body: JSON.stringify([request.method, request.path, request.query, request.params]),
    }));
  });
  const answer = await fetch(`${url}/a/x%20y/b/2?q=1&q=%32`);
  t.equal(answer.status, 200);
  t.same(await answer.json(), ['GET', '/a/x%20y/b/2', 'q=1&q=%32', ['x%20y', '2']]);
});

t.test('literal segments win over parameters, whichever came first', async t => {
  const { url } = await startServer(t, server => {
    server.route('GET', '/a/{id}', () => ({ status: 200, body: '"parameter"' }));
    server.route('GET', '/a/literal', () => ({ status: 200, body: '"literal"' }));
    server.route('POST', '/a/{other}', () => ({ status: 200, body: '"posted"' }));
  });
  t.equal(await (await fetch(`${url}/a/literal`)).json(), 'literal');
  t.equal(await (await fetch(`${url}/a/else`)).json(), 'parameter');
  const posted = await fetch(`${url}/a/literal`, { method: 'POST' });
  t.equal(await posted.json(), 'posted', 'a literal of another method does not hide it');
});

t.test('every answer names its request and the contract, and is safe in a browser', async t => {
  const { url } = await startServer(
    t,
    server => {
      server.route('GET', '/json', () => ({ status: 200, body: '{}' }));
      server.route('GET', '/page', () => ({
        status: 200,
        body: '<p>',
        contentType: 'text/html',
        headers: { 'Cache-Control': 'max-age=60', 'Content-Security-Policy': "default-src 'self'" },
      }));
      server.route('GET', '/none', () => ({ status: 204 }));
      server.route('GET', '/fails', () => {
        throw new Error('by design');
      });
    },
    { https: true },
  );
  const ids = new Set<string>();
  for (const path of ['/json', '/page', '/none', '/fails', '/unknown']) {
    const { headers } = await fetch(url + path);
    const requestId = headers.get('x-request-id') ?? '';
    t.ok(isId('request', requestId), `${path} has a request id`);
    ids.add(requestId);
    t.equal(headers.get('service-version'), apiVersion);
    t.equal(headers.get('x-content-type-options'), 'nosniff');
    t.equal(headers.get('referrer-policy'), 'no-referrer');
    t.match(headers.get('strict-transport-security'), /max-age=\d+/);
    t.equal(headers.get('uwebsockets'), null, 'the server software is not named');
    t.equal(headers.get('cache-control'), path === '/page' ? 'max-age=60' : 'no-store');
    t.match(headers.get('content-security-policy'), path === '/page' ? /'self'/ : /frame-ancestors 'none'/);
  }
  t.equal(ids.size, 5, 'no two the same');
});

t.test('a request id of the client is not taken over', async t => {
  const { port } = await startServer(t, server => {
    server.route('GET', '/', request => ({ status: 200, body: JSON.stringify(request.requestId) }));
  });
  const client = new RawClient(port, t);
  client.send(rawRequest('GET', '/', ['X-Request-Id: req_mine', 'X-Request-Id: a\tb<script>']));
  const [answer] = await client.answers(1);
  t.ok(isId('request', answer?.headers['x-request-id'] ?? ''));
  t.equal(JSON.parse(answer?.body ?? ''), answer?.headers['x-request-id']);
});

t.test('a header that would be two is an error of ours, and not two headers', async t => {
  const { url, log } = await startServer(t, server => {
    for (const [path, headers] of Object.entries({
      '/value': { 'X-Name': 'a\r\nSet-Cookie: b=c' },
      '/name': { 'X-Name: a\r\nSet-Cookie': 'b=c' },
      '/list': { 'Set-Cookie': ['a=b', 'c=d\nX-Evil: 1'] },
      '/text': { 'X-Name': 'snowman \u2603' },
    })) {
      server.route('GET', path, () => ({ status: 200, body: '{}', headers }));
    }
    server.route('GET', '/type', () => ({ status: 200, body: '{}', contentType: 'text/html\r\nX-Evil: 1' }));
  });
  for (const path of ['/value', '/name', '/list', '/text', '/type']) {
    const answer = await fetch(url + path);
    t.equal(answer.status, 500, path);
    t.equal(answer.headers.get('set-cookie'), null);
    t.equal(answer.headers.get('x-evil'), null);
  }
  t.equal(log.entries.filter(entry => entry.level === 'error').length, 5, 'each is logged');
});

t.test('several values of a header are several headers', async t => {
  const { url } = await startServer(t, server => {
    server.route('GET', '/', () => ({ status: 200, body: '{}', headers: { 'Set-Cookie': ['a=1', 'b=2'] } }));
  });
  t.same((await fetch(url)).headers.getSetCookie(), ['a=1', 'b=2']);
});

t.test('an unknown path is 404 in the shape of all errors', async t => {
  const { url } = await startServer(t, server => {
    server.route('GET', '/known', () => ({ status: 200, body: '{}' }));
  });
  for (const path of ['/', '/other', '/known/', '//known', '/a/../known', '/KNOWN', '/%6bnown']) {
    const { port } = new URL(url);
    const client = new RawClient(Number(port), t);
    const [answer] = await client.send(rawRequest('GET', path)).answers(1);
    t.equal(answer?.status, 404, path);
    const body = JSON.parse(answer?.body ?? '') as ErrorShape;
    t.equal(body.error, 'svc/runtime/not_found');
    t.equal(body.requestId, answer?.headers['x-request-id']);
    t.equal(body.docsUrl, `${docsUrl}/errors`);
    t.match(answer?.headers['content-type'], /^application\/json/);
  }
});

t.test('a known path with another method is 405 and says which there are', async t => {
  const { url } = await startServer(t, server => {
    server.route('GET', '/a/{id}', () => ({ status: 200, body: '{}' }));
    server.route('PATCH', '/a/{id}', () => ({ status: 200, body: '{}' }));
    server.route('POST', '/a/special', () => ({ status: 200, body: '{}' }));
  });
  const answer = await fetch(`${url}/a/1`, { method: 'DELETE' });
  t.equal(answer.status, 405);
  t.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS, PATCH');
  t.equal(((await answer.json()) as ErrorShape).error, 'svc/runtime/invalid_request');
  const special = await fetch(`${url}/a/special`, { method: 'PUT', body: 'x' });
  t.equal(special.headers.get('allow'), 'GET, HEAD, OPTIONS, PATCH, POST', 'of all patterns that match');
});

t.test('OPTIONS says which methods a path has', async t => {
  const { url } = await startServer(t, server => {
    server.route('POST', '/a', () => ({ status: 200, body: '{}' }));
  });
  const answer = await fetch(`${url}/a`, { method: 'OPTIONS' });
  t.equal(answer.status, 204);
  t.equal(answer.headers.get('allow'), 'OPTIONS, POST');
  t.equal(answer.headers.get('access-control-allow-origin'), null, 'no other origin is let in');
  t.equal((await fetch(`${url}/b`, { method: 'OPTIONS' })).status, 404);
});

t.test('HEAD is GET without the body, and the connection stays open', async t => {
  const { port } = await startServer(t, server => {
    server.route('GET', '/a', request => ({ status: 200, body: JSON.stringify(`${request.method} é`) }));
    server.route('GET', '/late', async () => {
      await Promise.resolve();
      return { status: 200, body: '"late"' };
    });
  });
  const client = new RawClient(port, t);
  client.send(
    rawRequest('HEAD', '/a'),
    rawRequest('HEAD', '/late'),
    rawRequest('HEAD', '/no'),
    rawRequest('GET', '/a'),
  );
  const [head, late, unknown, get] = await client.answers(4, [0, 1, 2]);
  t.same([head?.status, late?.status, unknown?.status, get?.status], [200, 200, 404, 200]);
  t.equal(
    head?.headers['content-length'],
    get?.headers['content-length'],
    'the length of the body it stands for',
  );
  t.equal(late?.headers['content-length'], '6');
  t.equal(Buffer.from(get?.body ?? '', 'latin1').toString(), '"GET é"');
});

t.test('an answer without a body has none', async t => {
  const { port } = await startServer(t, server => {
    server.route('DELETE', '/a', () => ({ status: 204 }));
    server.route('POST', '/a', () => ({ status: 202 }));
  });
  const client = new RawClient(port, t);
  client.send(rawRequest('DELETE', '/a'), rawRequest('POST', '/a', ['Content-Length: 0']));
  const [gone, taken] = await client.answers(2);
  t.equal(gone?.status, 204);
  t.equal(gone?.headers['content-length'], undefined, 'RFC 9110 section 8.6');
  t.equal(taken?.status, 202);
  t.equal(taken?.headers['content-length'], '0');
});

t.test('the address is the peer, or what our own proxies saw', async t => {
  const forwardedFor = 'evil, 2001:db8::1, 10.0.0.3';
  for (const [trustedProxies, peer, expected] of [
    [0, '127.0.0.1', '127.0.0.1'],
    [1, '127.0.0.1', '10.0.0.3'],
    [2, '::1', '2001:db8::1'],
    [3, '10.0.0.9', '10.0.0.9'],
    [9, 'fd00::9', 'fd00::9'],
    // A direct caller: it cannot choose its address.
    [1, '192.0.2.1', '192.0.2.1'],
    [2, '2001:db8::9', '2001:db8::9'],
    [['10.0.0.0/8', '192.0.2.1'], '192.0.2.1', '2001:db8::1'],
    [['10.0.0.0/8'], '192.0.2.1', '192.0.2.1'],
    [['10.0.0.0/8'], '127.0.0.1', '127.0.0.1'],
    [['::/0', '0.0.0.0/0'], '192.0.2.1', '2001:db8::1'],
  ] as const) {
    t.equal(createAddressFinder(trustedProxies)(peer, forwardedFor), expected, `${trustedProxies} ${peer}`);
  }
  const { url } = await startServer(
    t,
    server => server.route('GET', '/', request => ({ status: 200, body: JSON.stringify(request.address) })),
    { trustedProxies: ['127.0.0.1'] },
  );
  const headers = { 'X-Forwarded-For': forwardedFor };
  t.equal(await (await fetch(url, { headers })).json(), '10.0.0.3');
});

t.test('patterns that the router would misread do not start', async t => {
  await startServer(t, server => {
    for (const path of ['a', '/a/:id', '/a/{id', '/a/*/b', '/a//b', '/a b']) {
      t.throws(() => server.route('GET', path, () => ({ status: 200 })), path);
    }
  });
});

t.test('two servers cannot share a port', async t => {
  const { port } = await startServer(t, () => undefined);
  await t.rejects(
    startServer(t, () => undefined).then(({ server }) => server.listen('127.0.0.1', port)),
    new RegExp(`cannot listen on 127.0.0.1:${port}`),
  );
});

t.test('errors say where they are explained and when to come back', t => {
  const of = (error: ServiceError) => errorAnswer(error, 'req_1', docsUrl);
  const getBody = (error: ServiceError) => JSON.parse(String(of(error).body)) as ErrorShape;
  t.equal(getBody(new ServiceError('svc/auth/expired_token')).docsUrl, `${docsUrl}/errors/auth`);
  t.equal(
    getBody(new ServiceError('svc/validation/invalid_request')).docsUrl,
    `${docsUrl}/errors/validation`,
  );
  t.equal(getBody(new ServiceError('svc/runtime/conflict')).docsUrl, `${docsUrl}/errors`);
  t.same(of(new ServiceError('svc/auth/expired_token')).headers, { 'WWW-Authenticate': 'Bearer' });
  const busy = new ServiceError('svc/rate_limit/exceeded', { retryAfterSeconds: 1.2 });
  t.same(of(busy).headers, { 'Retry-After': '2' });
  t.same(of(new ServiceError('svc/runtime/unavailable')).headers, { 'Retry-After': '1' });
  t.notOk('details' in getBody(busy), 'no details where there is nothing to do');
  t.end();
});
