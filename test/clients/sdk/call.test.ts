/** One call: its request, its tries, its end. */
import { getEventListeners } from 'node:events';
import t from 'tap';
import {
  ApiError,
  ConnectionError,
  Listing,
  Skein,
  TimeoutError,
  type Attempt,
  type Message,
} from '../../../clients/sdk/index.ts';
import {
  failure,
  inVirtualTime,
  lostConnection,
  rejection,
  scriptClient,
  type Scripted,
  type SentRequest,
} from './scripted-fetch.ts';

const message = { messageId: 'msg_1', body: 'Hello' };
const created: Scripted = [201, message];
const unavailable: Scripted = [503, failure('svc/runtime/unavailable')];
const limited = (seconds: number): Scripted => [
  429,
  failure('svc/rate_limit/exceeded'),
  { 'retry-after': String(seconds) },
];
const listKeys = (requests: readonly SentRequest[]): (string | null)[] =>
  requests.map(({ headers }) => headers.get('idempotency-key'));

/** The waits between the tries, in seconds. */
const listWaits = (requests: readonly SentRequest[]): number[] =>
  requests.slice(1).map(({ at }, index) => (at - (requests[index]?.at ?? 0)) / 1000);

t.test('path, query, body and headers', async t => {
  const { skein, requests } = scriptClient([[200, message]], { headers: { 'x-app': 'desk' } });
  await skein.messages.create('thread_/1?', { body: 'Hello' }, { headers: { 'x-call': '1' } });
  await skein.messages.list('thread_1', { order: 'desc', limit: 2, cursor: undefined });
  await skein.threads.list({ status: ['open', 'closed'], tag: 'vip' });
  const [post, get, several] = requests;
  t.equal(post?.method, 'POST');
  t.equal(post?.url.href, 'http://skein.test/v1/threads/thread_%2F1%3F/messages');
  t.strictSame(post?.body, { body: 'Hello', projectId: 'prj_1' });
  t.match(Object.fromEntries(post?.headers ?? []), {
    authorization: 'Bearer svc_test_1',
    'content-type': 'application/json',
    'idempotency-key': /^[0-9a-f]{32}$/,
    'x-app': 'desk',
    'x-call': '1',
  });
  t.equal(get?.url.search, '?order=desc&limit=2&projectId=prj_1');
  t.equal(several?.url.search, '?status=open&status=closed&tag=vip&projectId=prj_1&environmentId=env_1');
  t.equal(get?.headers.has('idempotency-key'), false);
  t.equal(get?.body, undefined);
});

t.test('lines of JSON are a text, whole and as they came', async t => {
  const lines = '{"auditLogId":"aud_1"}\n{"auditLogId":"aud_2"}\n';
  const answer = () =>
    new Response(lines, { headers: { 'content-type': 'application/x-ndjson; charset=utf-8' } });
  const { skein, requests } = scriptClient([answer]);
  t.equal(await skein.auditLogs.export({ action: 'api_key.created', since: '2026-11-01T00:00:00Z' }), lines);
  t.equal(requests[0]?.url.pathname, '/v1/audit-logs/export');
  t.equal(requests[0]?.url.searchParams.get('action'), 'api_key.created');
});

t.test('an id that is missing, or would be a relative path, is refused before anything is sent', async t => {
  const { skein, requests } = scriptClient([created]);
  for (const id of ['', '.', '..', undefined as unknown as string]) {
    t.match(await rejection(skein.threads.get(id)), {
      name: 'TypeError',
      message: 'getThread: threadId is no id',
    });
  }
  t.equal(requests.length, 0);
});

t.test('project and environment are the client’s, the call’s before them, or the key’s own', async t => {
  const ids = { projectId: 'prj_1', environmentId: 'env_1' };
  const unknown = { projectId: undefined, environmentId: undefined };
  const own = scriptClient([[200, { data: [], nextCursor: null, hasMore: false }]], ids);
  await own.skein.threads.list();
  await own.skein.threads.list({ projectId: 'prj_2' });
  await own.skein.threads.create({ externalRef: 'a' });
  await own.skein.console.listEvents();
  t.strictSame(
    own.requests.map(({ url, body }) => body ?? url.pathname + url.search),
    [
      '/v1/threads?projectId=prj_1&environmentId=env_1',
      '/v1/threads?projectId=prj_2&environmentId=env_1',
      { externalRef: 'a', ...ids },
      '/v1/console/projects/prj_1/events',
    ],
  );
  const keyed = scriptClient(
    [
      [401, failure('svc/auth/invalid_api_key')],
      [200, { type: 'api_key', projectId: 'prj_3', environmentId: 'env_3' }],
      [200, { data: [], nextCursor: null, hasMore: false }],
    ],
    unknown,
  );
  t.match(await rejection(keyed.skein.console.listEvents()), { code: 'svc/auth/invalid_api_key' });
  await keyed.skein.console.listEvents();
  await keyed.skein.console.listEvents();
  t.strictSame(
    keyed.requests.map(({ url }) => url.pathname),
    ['/v1/caller', '/v1/caller', ...Array(2).fill('/v1/console/projects/prj_3/events')],
    'who the key is, is asked until it is known, and then no more',
  );
  const nobody = scriptClient([[200, { type: 'user', projectId: null }]], unknown);
  t.match(await rejection(nobody.skein.console.listEvents()), {
    name: 'TypeError',
    message: /projectId is missing/,
  });
});

t.test('a lost answer: the try after it has the same key, and gets what was done', async t => {
  const { skein, requests } = scriptClient([
    lostConnection(),
    [
      201,
      message,
      { 'idempotent-replayed': 'true', 'x-ratelimit-limit': '25', 'x-ratelimit-remaining': '24' },
    ],
  ]);
  const answer = await inVirtualTime(() =>
    skein.messages.create('thread_1', { body: 'Hello' }).withResponse(),
  );
  t.match(answer, {
    data: message,
    requestId: 'req_1',
    replayed: true,
    rateLimit: { limit: 25, remaining: 24 },
  });
  t.equal(answer.response.status, 201);
  const [first, second] = listKeys(requests);
  t.ok(first);
  t.equal(second, first);
});

t.test('a key of the caller’s is sent as it is, and another call has another', async t => {
  const { skein, requests } = scriptClient([created]);
  const own = { idempotencyKey: 'order-1', maxRetries: 0 };
  await skein.messages.create('thread_1', {}, own);
  await skein.messages.create('thread_1', {}, { maxRetries: 0 });
  await skein.messages.create('thread_1');
  const keys = listKeys(requests);
  t.equal(keys[0], 'order-1');
  t.equal(new Set(keys).size, 3);
  t.notOk(keys.includes(null));
});

t.test('no answer and 5xx are tried twice more, after a doubled wait', async t => {
  for (const [bad, name] of [
    [unavailable, 'ApiError'],
    [lostConnection(), 'ConnectionError'],
    [[408], 'ApiError'],
    [[502, '<html>'], 'ApiError'],
  ] as const) {
    const { skein, requests } = scriptClient([bad]);
    const error = await inVirtualTime(() => rejection(skein.threads.get('thread_1')));
    t.equal(error.name, name);
    const [first = 0, second = 0, ...rest] = listWaits(requests);
    t.ok(first >= 0.375 && first <= 0.55, `first wait ${first}`);
    t.ok(second >= 0.75 && second <= 1.05, `second wait ${second}`);
    t.equal(rest.length, 0);
  }
});

t.test('Retry-After is obeyed, and 429 uses up no try', async t => {
  const { skein, requests } = scriptClient([
    limited(3),
    limited(1),
    limited(1),
    limited(1),
    unavailable,
    created,
  ]);
  t.match(await inVirtualTime(() => skein.messages.create('thread_1', {}, { maxRetries: 1 })), message);
  const waits = listWaits(requests);
  t.ok((waits[0] ?? 0) >= 3 && (waits[0] ?? 0) < 3.3, `${waits}`);
  t.ok((waits[1] ?? 0) >= 1 && (waits[1] ?? 0) < 1.3, `${waits}`);
  t.equal(requests.length, 6);
});

t.test('an hour of Retry-After is thrown at once, and a minute of waiting is enough', async t => {
  const far = scriptClient([limited(3600)]);
  t.match(await rejection(far.skein.threads.get('thread_1')), {
    kind: 'rate_limit',
    retryAfterSeconds: 3600,
  });
  t.equal(far.requests.length, 1);
  const long = scriptClient([limited(25)]);
  await inVirtualTime(() => rejection(long.skein.threads.get('thread_1')));
  t.equal(long.requests.length, 3, 'twice 25 seconds');
  const soon = scriptClient([limited(0)]);
  await inVirtualTime(() => rejection(soon.skein.threads.get('thread_1')));
  t.ok(soon.requests.length < 15, `${soon.requests.length} requests where the server says 0`);
  const none = scriptClient([limited(1)]);
  await rejection(none.skein.threads.get('thread_1', { maxRetries: 0 }));
  t.equal(none.requests.length, 1, 'with no retries there are none');
});

t.test('what another try would not change is thrown at once', async t => {
  for (const [status, code] of [
    [400, 'svc/runtime/invalid_request'],
    [401, 'svc/auth/invalid_api_key'],
    [404, 'svc/runtime/not_found'],
    [409, 'svc/runtime/conflict'],
    [422, 'svc/validation/invalid_request'],
    [501, 'svc/runtime/not_implemented'],
    [507, 'svc/runtime/storage_full'],
  ] as const) {
    const { skein, requests } = scriptClient([[status, failure(code)]]);
    t.match(await rejection(skein.messages.create('thread_1')), { code, status });
    t.equal(requests.length, 1, code);
  }
});

t.test('what keeps no key is not sent twice, unless it was refused by a quota', async t => {
  const login = { email: 'ann@example.com', password: 'correct horse battery' };
  for (const bad of [lostConnection(), unavailable] as const) {
    const { skein, requests } = scriptClient([bad]);
    await rejection(skein.auth.login(login));
    t.equal(requests.length, 1);
  }
  const limitedFirst = scriptClient([limited(1), [200, { accessToken: 'a' }]]);
  await inVirtualTime(() => limitedFirst.skein.auth.login(login));
  t.equal(limitedFirst.requests.length, 2);
  const refresh = scriptClient([lostConnection(), [200, { accessToken: 'a' }]]);
  await inVirtualTime(() => refresh.skein.auth.refresh());
  t.equal(refresh.requests.length, 2, 'the contract says what comes of a second refresh');
});

t.test('409 idempotency_conflict: only a request that is in progress is worth another try', async t => {
  const code = 'svc/runtime/idempotency_conflict';
  const conflict = (reason?: string): Scripted => [
    409,
    failure(code, reason === undefined ? undefined : { reason }),
  ];
  const tryIt = async (...script: readonly Scripted[]): Promise<number> => {
    const { skein, requests } = scriptClient([...script, created]);
    await inVirtualTime(() => skein.messages.create('thread_1').catch(() => undefined));
    return requests.length;
  };
  t.equal(await tryIt(conflict('in_progress')), 2);
  t.equal(await tryIt(conflict('other_payload')), 1);
  t.equal(await tryIt(conflict()), 1, 'an older server, and a key that was used before');
  t.equal(await tryIt(lostConnection(), conflict()), 3, 'an older server, still at work on the first try');
});

t.test('a body that stalls, and a fetch that ignores its signal, are timeouts', async t => {
  const stalled: Scripted = () =>
    new Response(
      new ReadableStream({ start: controller => controller.enqueue(new TextEncoder().encode('{"da')) }),
      {
        headers: { 'content-type': 'application/json' },
      },
    );
  const deaf: Scripted = () => new Promise(() => undefined);
  for (const never of [stalled, deaf]) {
    const { skein, requests } = scriptClient([never, [200, message]]);
    await inVirtualTime(() => skein.threads.get('thread_1'));
    t.ok(Math.abs((requests[1]?.at ?? 0) - 30_500) < 700, `the second try after ${requests[1]?.at}`);
    const short = scriptClient([never]);
    const options = { timeoutMs: 100, maxRetries: 0 };
    const error = await inVirtualTime(() => rejection(short.skein.threads.get('thread_1', options)));
    t.ok(error instanceof TimeoutError);
    t.equal(error.message, 'no answer within 100 ms');
  }
});

t.test('a signal ends tries and waits with its reason, and keeps no listener', async t => {
  const reason = new Error('enough');
  const during = new AbortController();
  const trying = scriptClient([() => new Promise(() => undefined)]);
  const tried = rejection(trying.skein.threads.get('thread_1', { signal: during.signal }));
  setImmediate(() => during.abort(reason));
  t.equal(await tried, reason);

  const between = new AbortController();
  const waiting = scriptClient([limited(30)]);
  const waited = rejection(waiting.skein.threads.get('thread_1', { signal: between.signal }));
  setTimeout(() => between.abort(reason), 20);
  t.equal(await waited, reason);
  t.equal(waiting.requests.length, 1);

  t.equal(
    await rejection(waiting.skein.threads.get('thread_1', { signal: AbortSignal.abort(reason) })),
    reason,
  );
  t.equal(waiting.requests.length, 1, 'nothing is sent for one that was aborted before');

  const many = new AbortController();
  const { skein } = scriptClient([lostConnection(), [200, message]]);
  await inVirtualTime(() =>
    Promise.all(Array.from({ length: 100 }, () => skein.threads.get('thread_1', { signal: many.signal }))),
  );
  t.equal(getEventListeners(many.signal, 'abort').length, 0);
});

t.test('what is none of Skein’s answers is said to be none', async t => {
  const page =
    (status: number, headers = {}): Scripted =>
    () =>
      new Response('<html>Sign in to the network</html>', {
        status,
        headers: { 'content-type': 'text/html', ...headers },
      });
  const captive = scriptClient([page(200)]);
  const error = await rejection(captive.skein.threads.get('thread_1'));
  t.match(error, { code: 'http/200', message: /text\/html.*check the base URL/ });
  t.notMatch(error.message, '<html>');
  t.equal(captive.requests.length, 1, 'the next page would be the same');
  const moved = scriptClient([page(302, { location: 'https://elsewhere.test/' })]);
  t.match(await rejection(moved.skein.threads.get('thread_1')), {
    code: 'http/302',
    message: /redirected to https:\/\/elsewhere\.test/,
  });
  const proxied = scriptClient([page(502), [200, message]]);
  t.match(await inVirtualTime(() => proxied.skein.threads.get('thread_1')), message);
  const cut: Scripted = () =>
    new Response('{"messageId":"ms', { headers: { 'content-type': 'application/json' } });
  const truncated = scriptClient([cut, [200, message]]);
  t.match(await inVirtualTime(() => truncated.skein.threads.get('thread_1')), message);
  t.ok(
    (await rejection(scriptClient([cut]).skein.auth.login({ email: 'a', password: 'b' }))) instanceof
      ConnectionError,
  );
});

t.test('answers without a body, and in plain text', async t => {
  const { skein } = scriptClient([
    [204],
    () => new Response('1158201444', { headers: { 'content-type': 'text/plain' } }),
  ]);
  t.equal(await skein.stitches.archive('stitch_1'), undefined);
  const query = { 'hub.challenge': '1158201444', 'hub.verify_token': 'token' };
  t.equal(await skein.chatapp.verifyWebhook('ch_1', query), '1158201444');
});

t.test('an access token is asked for at each try', async t => {
  let asked = 0;
  const { skein, requests } = scriptClient([unavailable, [200, message]], {
    apiKey: async () => `token-${++asked}`,
  });
  await inVirtualTime(() => skein.threads.get('thread_1'));
  t.strictSame(
    requests.map(({ headers }) => headers.get('authorization')),
    ['Bearer token-1', 'Bearer token-2'],
  );
  const gone = new Error('signed out');
  const out = scriptClient([created], { apiKey: () => Promise.reject(gone) });
  t.equal(await rejection(out.skein.threads.get('thread_1')), gone);
  const none = scriptClient([[200, {}]], { apiKey: null });
  await none.skein.events.listTypes();
  t.equal(none.requests[0]?.headers.has('authorization'), false);
});

t.test('onAttempt sees every try, and no secret', async t => {
  const attempts: Attempt[] = [];
  const { skein } = scriptClient([lostConnection(), unavailable, [200, message]], {
    onAttempt: attempt => attempts.push(attempt),
  });
  await inVirtualTime(() => skein.threads.get('thread_1'));
  t.match(attempts, [
    {
      operationId: 'getThread',
      attempt: 1,
      status: undefined,
      error: { kind: 'connection', code: 'ECONNRESET' },
    },
    { attempt: 2, status: 503, requestId: 'req_1', error: { kind: 'api' } },
    { attempt: 3, status: 200, requestId: 'req_1', error: undefined },
  ]);
  t.notMatch(JSON.stringify(attempts), 'svc_test_1');
});

t.test('any operation by its id, and lists as lists', async t => {
  const { skein, requests } = scriptClient([
    [200, message],
    [200, { data: [message], nextCursor: null, hasMore: false }],
  ]);
  const input = { params: { threadId: 'thread_1', messageId: 'msg_1' } };
  t.match(await skein.request<Message>('getMessage', input), message);
  const list = skein.request('listMessages', { params: { threadId: 'thread_1' }, query: { limit: 1 } });
  t.ok(list instanceof Listing);
  await list;
  t.equal(requests[1]?.url.searchParams.get('limit'), '1');
  t.throws(() => skein.request('getNothing' as 'getThread'), { message: /no operation getNothing/ });
});

t.test('an etag that was read is sent as If-Match', async t => {
  const { skein, requests } = scriptClient([[200, {}, { etag: '"v7"' }]]);
  const { etag } = await skein.looms.get('loom_1').withResponse();
  await skein.looms.update('loom_1', { name: 'Sales' }, { ifMatch: etag });
  t.equal(requests[1]?.headers.get('if-match'), '"v7"');
});

t.test(
  'a change with If-Match of which no answer came is not sent again: it may have been carried out',
  async t => {
    const { skein, requests } = scriptClient([
      lostConnection(),
      [412, failure('svc/runtime/precondition_failed')],
    ]);
    const change = skein.looms.update('loom_1', { name: 'Sales' }, { ifMatch: '"v7"' });
    t.ok((await rejection(change)) instanceof ConnectionError);
    t.equal(requests.length, 1);
  },
);

t.test('messages.check is the dry run of messages.create', async t => {
  const { skein, requests } = scriptClient([[200, { allowed: true }]]);
  t.match(await skein.messages.check('thread_1', { body: 'Hello' }), { allowed: true });
  t.equal(requests[0]?.url.href, 'http://skein.test/v1/threads/thread_1/messages?dryRun=true');
  t.strictSame(requests[0]?.body, { body: 'Hello', projectId: 'prj_1' });
});

t.test('fields and codes of a newer server pass', async t => {
  const { skein } = scriptClient([
    [200, { ...message, mood: 'glad' }],
    [418, failure('svc/tea/pot', { spout: 'short' })],
  ]);
  t.match(await skein.messages.get('thread_1', 'msg_1'), { mood: 'glad' });
  const error = await rejection(skein.messages.get('thread_1', 'msg_1'));
  t.ok(error instanceof ApiError);
  t.match(error, { kind: 'api', code: 'svc/tea/pot', details: { spout: 'short' } });
});

t.test('options come from the environment, and bad ones name themselves', async t => {
  const names = ['SKEIN_API_KEY', 'SKEIN_BASE_URL', 'SKEIN_PROJECT_ID'] as const;
  t.teardown(() => names.forEach(name => delete process.env[name]));
  t.throws(() => new Skein(), { name: 'TypeError', message: /no apiKey, and no SKEIN_API_KEY/ });
  process.env['SKEIN_API_KEY'] = ' svc_test_2\n';
  process.env['SKEIN_BASE_URL'] = 'http://api.test/v1/';
  process.env['SKEIN_PROJECT_ID'] = 'prj_1';
  const sent: string[] = [];
  const fetch = async (url: string, init: RequestInit): Promise<Response> => {
    sent.push(`${url} ${new Headers(init.headers).get('authorization')}`);
    return new Response(null, { status: 204 });
  };
  await new Skein({ fetch }).threads.list();
  t.strictSame(sent, ['http://api.test/v1/threads?projectId=prj_1 Bearer svc_test_2']);
  for (const baseUrl of ['localhost', 'javascript:1', 'http://me:hidden@localhost', 'http://'])
    t.throws(() => new Skein({ baseUrl }), { message: /^(?!.*hidden).*baseUrl is no address/ });
  t.throws(() => new Skein({ apiKey: '' }), { message: /apiKey is empty/ });
  t.throws(() => new Skein({ apiKey: 'svc_test_1\n' }), { message: /characters that no key has/ });
  Object.assign(globalThis, { document: {} });
  t.teardown(() => void Reflect.deleteProperty(globalThis, 'document'));
  t.throws(() => new Skein({ apiKey: 'svc_live_1' }), { message: /a live key in a browser/ });
  t.doesNotThrow(() => new Skein({ apiKey: 'svc_test_1' }));
});

t.test('what throws in onAttempt changes nothing of the call', async t => {
  const fails = (): never => {
    throw new Error('hook');
  };
  // As callers do pass: the promise is nobody's.
  const rejects = (): unknown => Promise.reject(new Error('hook'));
  for (const onAttempt of [fails, rejects]) {
    const { skein, requests } = scriptClient([created], { onAttempt });
    t.match(await skein.messages.create('thread_1', { body: 'x' }), message);
    t.equal(requests.length, 1);
  }
});

t.test('amounts and headers that cannot be are refused before anything is sent', async t => {
  const { skein, requests } = scriptClient([created]);
  const create = (options: object): Promise<Error> =>
    rejection(skein.messages.create('thread_1', { body: 'x' }, options));
  for (const options of [
    { timeoutMs: 0 },
    { timeoutMs: NaN },
    { maxRetries: NaN },
    { idempotencyKey: 'a\r\nb' },
    { idempotencyKey: '' },
    { ifMatch: '' },
    { headers: { 'x-a': 'ж' } },
  ])
    t.match(await create(options), { name: 'TypeError' }, Object.keys(options).join());
  t.equal(requests.length, 0);
  for (const timeoutMs of [Infinity, 2 ** 31])
    t.match(await skein.messages.create('thread_1', { body: 'x' }, { timeoutMs }), message);
});

t.test('a header does not replace the credential', async t => {
  const { skein, requests } = scriptClient([created], { headers: { Authorization: 'Bearer other' } });
  await skein.messages.create('thread_1', { body: 'x' });
  t.equal(requests[0]?.headers.get('authorization'), 'Bearer svc_test_1');
});

t.test('an empty answer is no success, but where there is nothing to say', async t => {
  const empty = (status: number): Scripted => [status];
  const { skein } = scriptClient([empty(200), empty(201), empty(204)]);
  t.match(await rejection(skein.threads.list()), { kind: 'api', code: 'http/200' });
  t.match(await rejection(skein.messages.create('thread_1', { body: 'x' })), { code: 'http/201' });
  t.equal(await skein.threads.archive('thread_1'), undefined);
});
