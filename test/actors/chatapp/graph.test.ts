/** What a call of the provider's API that fails says: above all, whether it may have been carried out. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { Graph, type GraphCall, GraphError, type NoAnswer } from '../../../actors/chatapp/graph.ts';

async function listen(t: Test, answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** How calls have ended. */
const ends: (GraphError | undefined)[] = [];

async function refuse(url: string, signal = AbortSignal.timeout(10_000)): Promise<GraphError> {
  const graph = new Graph({ url, version: 'v25.0' }, error => void ends.push(error));
  try {
    await graph.call({ method: 'POST', path: 'messages', as: { token: 'secret' }, body: {} }, signal);
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    if (ends.pop() !== error) throw new Error('it was not told');
    return error;
  }
  throw new Error('it was answered');
}

t.test('what has not left was not carried out', async t => {
  const url = await listen(t, () => undefined);
  const { port } = new URL(url);
  // The second is EACCES, which stands for any error of a connection.
  for (const none of [`http://127.0.0.1:${port === '1' ? 2 : 1}`, 'http://255.255.255.255:8000']) {
    t.match(await refuse(none), { mayBeDone: false, isTransient: true, noAnswer: 'unreachable' }, none);
  }
});

t.test('a lost answer, a late one, and one that is none of the provider’s leave it open', async t => {
  const cases: Readonly<Record<string, readonly [NoAnswer, (response: ServerResponse) => void]>> = {
    reset: ['unreachable', response => response.socket?.destroy()],
    'half an answer': [
      'unreachable',
      response => {
        response.writeHead(200, { 'content-length': 100 }).write('{"mess');
        setImmediate(() => response.socket?.destroy());
      },
    ],
    html: ['server_error', response => response.writeHead(502).end('<html></html>')],
    'an empty 500': ['server_error', response => response.writeHead(500).end()],
    'a 200 without JSON': ['invalid_answer', response => response.end('ok')],
    'a 500 without the envelope': ['server_error', response => response.writeHead(500).end('{}')],
  };
  for (const [name, [noAnswer, answer]] of Object.entries(cases)) {
    t.match(await refuse(await listen(t, answer)), { mayBeDone: true, noAnswer }, name);
  }
  const waiting = new AbortController();
  const url = await listen(t, () => waiting.abort());
  t.match(await refuse(url, waiting.signal), {
    mayBeDone: true,
    message: 'The provider did not answer in time.',
    noAnswer: 'stopped',
  });
  t.match(await refuse(await listen(t, () => undefined), AbortSignal.timeout(1)), { noAnswer: 'timeout' });
  const limited = await listen(t, response => response.writeHead(429).end('slow down'));
  t.match(await refuse(limited), { mayBeDone: false, noAnswer: 'rate_limited' });
});

t.test('a call that is answered is told as such', async t => {
  const url = await listen(t, response => response.end('{"id":"1"}'));
  const graph = new Graph({ url, version: 'v25.0' }, error => void ends.push(error));
  t.same(await graph.call({ path: '1' }, AbortSignal.timeout(10_000)), { id: '1' });
  t.strictSame(ends.splice(0), [undefined]);
});

t.test('a refusal in the provider’s own words is one', async t => {
  const error = { message: 'Something went wrong', code: 131000, is_transient: true };
  const answer = (status: number) => (response: ServerResponse) =>
    response.writeHead(status).end(JSON.stringify({ error }));
  for (const status of [400, 500]) {
    t.match(await refuse(await listen(t, answer(status))), {
      mayBeDone: false,
      code: 131000,
      isTransient: true,
      noAnswer: undefined,
    });
  }
  t.match(await refuse(await listen(t, response => response.writeHead(404).end('<html>'))), {
    mayBeDone: false,
    code: undefined,
  });
});

t.test('a refusal that is written otherwise is read all the same', async t => {
  const refuseWith = async (status: number, body: unknown) =>
    refuse(await listen(t, response => response.writeHead(status).end(JSON.stringify(body))));
  t.match(await refuseWith(400, { error: { code: '131047', error_subcode: '2' } }), {
    code: 131_047,
    subcode: 2,
  });
  for (const body of [null, [], 'no', { error: null }, { error: 'no' }, { error: { code: 'x' } }]) {
    t.match(await refuseWith(400, body), { name: 'GraphError', code: undefined, mayBeDone: false });
    t.match(await refuseWith(500, body), { name: 'GraphError', code: undefined, mayBeDone: true });
  }
});

t.test('what is shown of a refusal has no secret of the call', async t => {
  const repeat = async (call: GraphCall): Promise<string> => {
    const told = JSON.stringify(call);
    const url = await listen(t, response => {
      response.writeHead(400).end(JSON.stringify({ error: { code: 190, message: `Malformed: ${told}` } }));
    });
    const graph = new Graph({ url, version: 'v25.0' });
    const refused: unknown = await graph
      .call(call, AbortSignal.timeout(10_000))
      .catch((error: unknown) => error);
    if (!(refused instanceof GraphError)) throw new Error('it was answered');
    return refused.message;
  };
  const secrets = ['token-0123', 'secret-0123', 'input-0123', 'code-0123'] as const;
  const [token, appSecret, input_token, code] = secrets;
  const said = await Promise.all([
    repeat({ path: '1/messages', as: { token, appSecret } }),
    repeat({ path: 'debug_token', as: { token: `1234|${appSecret}` }, query: { input_token } }),
    repeat({ path: 'oauth/access_token', query: { client_id: '1234', client_secret: appSecret, code } }),
  ]);
  for (const text of said) {
    t.match(text, /^Malformed: .*\(removed\)/);
    t.notOk(
      secrets.some(secret => text.includes(secret)),
      text,
    );
  }
});
