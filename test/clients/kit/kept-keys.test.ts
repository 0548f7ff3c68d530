/** What got no answer goes under its key again, whoever sends it again. */
import t from 'tap';
import { KeptKeys } from '../../../clients/kit/kept-keys.ts';

const conflict = JSON.stringify({ error: 'svc/runtime/idempotency_conflict' });

/** A browser whose requests are answered in turn; undefined: not at all. */
function start(...answers: (Response | undefined)[]) {
  const sent: (string | null)[] = [];
  let now = 0;
  const keys = new KeptKeys(
    async (_url, init) => {
      sent.push(new Headers(init.headers).get('idempotency-key'));
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError('Failed to fetch');
      return answer;
    },
    () => now,
  );
  const send = (key: string | undefined, body = '{"name":"Shop"}', url = '/v1/channels') => {
    const headers = new Headers(key === undefined ? {} : { 'idempotency-key': key });
    return keys.fetch(url, { method: 'POST', headers, body }).then(
      ({ status }) => status,
      () => undefined,
    );
  };
  return { sent, send, pass: (ms: number) => (now += ms) };
}

const ok = (): Response => new Response('{}', { status: 201 });

t.test('the same request, tried again, is the same one to the server', async t => {
  const { sent, send } = start(undefined, undefined, ok(), ok());
  t.equal(await send('a'), undefined);
  t.equal(await send('b'), undefined);
  t.equal(await send('c'), 201);
  t.equal(await send('d'), 201);
  t.strictSame(sent, ['a', 'a', 'a', 'd'], 'and what is asked for after its answer is another one');
});

t.test('an answer of what stands before the server, or that it is at work, is no answer', async t => {
  const { sent, send } = start(
    new Response('', { status: 502 }),
    new Response(conflict, { status: 409 }),
    new Response('{"error":"svc/runtime/conflict"}', { status: 409 }),
    ok(),
  );
  for (const key of ['a', 'b', 'c', 'd']) await send(key);
  t.strictSame(sent, ['a', 'a', 'a', 'd']);
});

t.test('what is answered before anybody looks for an earlier try is no answer to it', async t => {
  for (const status of [401, 408, 429]) {
    const { sent, send } = start(undefined, new Response('', { status }), ok());
    for (const key of ['a', 'b', 'c']) await send(key);
    t.strictSame(sent, ['a', 'a', 'a'], `${status}`);
  }
});

t.test('what is asked for once more after something else was done is another request', async t => {
  for (const key of ['b', undefined]) {
    const { sent, send } = start(undefined, ok(), ok());
    await send('a', '{}', '/v1/channels/ch_1/disconnect');
    await send(key, '{}', '/v1/channels/ch_1/connect');
    await send('c', '{}', '/v1/channels/ch_1/disconnect');
    t.strictSame(sent, ['a', key ?? null, 'c']);
  }
});

t.test('another request, one without a key, and one much later go as they are', async t => {
  const { sent, send, pass } = start(undefined, undefined, undefined, undefined, ok());
  await send('a');
  await send('b', '{"name":"Bar"}');
  await send('c', '{"name":"Shop"}', '/v1/agents');
  await send(undefined);
  pass(10 * 60_000);
  await send('e');
  t.strictSame(sent, ['a', 'b', 'c', null, 'e']);
});

t.test('of many without an answer the last are kept', async t => {
  const { sent, send } = start();
  for (let n = 0; n <= 50; n++) await send(`key-${n}`, `{"n":${n}}`);
  await send('again', '{"n":50}');
  await send('anew', '{"n":0}');
  t.strictSame(sent.slice(-2), ['key-50', 'anew']);
});
