/** Where a request ends: what cannot be told for certain is closed, and nothing after it is executed. */
import t, { type Test } from 'tap';
import { RawClient, rawRequest, startServer } from './http-fixture.ts';

/** A server that notes what it was asked. */
async function witness(t: Test) {
  const seen: string[] = [];
  const note = (request: { method: string; path: string; body: Buffer }) => {
    seen.push(`${request.method} ${request.path} ${request.body.toString('latin1')}`.trim());
    return { status: 200, body: '{}' };
  };
  const { port, server } = await startServer(t, server => {
    server.route('POST', '/sync', note);
    server.route('POST', '/async', async request => {
      await new Promise(resolve => setImmediate(resolve));
      return note(request);
    });
    server.route('GET', '/get', note);
    server.route('GET', '/smuggled', note);
    server.websocket('/ws', {
      upgrade: () => ({}),
      open: () => undefined,
      message: () => undefined,
      close: () => undefined,
    });
  });
  return { port, server, seen };
}

const smuggled = rawRequest('GET', '/smuggled');
const length = (n: number | string) => `Content-Length: ${n}`;
const chunkedBody = '5\r\nhello\r\n0\r\n\r\n';

t.test(
  'a request whose end is in doubt is closed unanswered, and what follows it is not executed',
  async t => {
    const { port, seen, server } = await witness(t);
    const doubtful: Record<string, string> = {
      'two lengths, the smaller first': rawRequest(
        'POST',
        '/sync',
        [length(5), length(5 + smuggled.length)],
        'hello',
      ),
      'two lengths, the larger first': rawRequest(
        'POST',
        '/sync',
        [length(5 + smuggled.length), length(5)],
        'hello',
      ),
      'the same length twice': rawRequest('POST', '/sync', [length(5), length(5)], 'hello'),
      'two lengths in other letters': rawRequest('POST', '/sync', [length(5), 'content-LENGTH: 6'], 'hello'),
      'a list of lengths': rawRequest('POST', '/sync', [length('5, 5')], 'hello'),
      'a signed length': rawRequest('POST', '/sync', [length('+5')], 'hello'),
      'a negative length': rawRequest('POST', '/sync', [length(-5)], 'hello'),
      'a hexadecimal length': rawRequest('POST', '/sync', [length('0x5')], 'hello'),
      'an empty length': rawRequest('POST', '/sync', ['Content-Length:'], ''),
      'a length beyond counting': rawRequest('POST', '/sync', [length('18446744073709551621')], 'hello'),
      'length and chunks': rawRequest(
        'POST',
        '/sync',
        [length(5), 'Transfer-Encoding: chunked'],
        chunkedBody,
      ),
      'chunks and length': rawRequest(
        'POST',
        '/sync',
        ['Transfer-Encoding: chunked', length(5)],
        chunkedBody,
      ),
      'another encoding': rawRequest('POST', '/sync', ['Transfer-Encoding: gzip, chunked'], chunkedBody),
      'an unknown encoding': rawRequest('POST', '/sync', ['Transfer-Encoding: xchunked'], chunkedBody),
      'chunked twice': rawRequest(
        'POST',
        '/sync',
        ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'],
        chunkedBody,
      ),
      'two hosts': rawRequest('POST', '/sync', ['Host: other', length(5)], 'hello'),
      'chunks where no body is read': rawRequest('GET', '/get', ['Transfer-Encoding: chunked'], chunkedBody),
      'two lengths on no route': rawRequest('POST', '/none', [length(5), length(6)], 'hello'),
      'two lengths on a wrong method': rawRequest('PUT', '/sync', [length(5), length(6)], 'hello'),
      'chunks on no route': rawRequest('POST', '/none', ['Transfer-Encoding: chunked'], chunkedBody),
      'two lengths on HEAD': rawRequest('HEAD', '/get', [length(5), length(6)], 'hello'),
      'a body before a websocket': rawRequest(
        'GET',
        '/ws',
        [
          'Connection: Upgrade',
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
          length(5),
        ],
        'hello',
      ),
    };
    for (const [name, text] of Object.entries(doubtful)) {
      const client = new RawClient(port, t);
      await client.send(text, smuggled).untilClosed();
      t.notMatch(client.received, / 2\d\d /, name);
    }
    t.same(seen, [], 'nothing was executed');
    t.equal(server.stats.inFlight, 0);
  },
);

t.test('what is plain is answered, also when it comes in pieces', async t => {
  const { port, seen } = await witness(t);
  const client = new RawClient(port, t);
  const text = rawRequest('POST', '/sync', [length(5)], 'hello');
  // In one piece up to here: this version of the server answers 505 where the first line itself is torn.
  const line = text.indexOf('\n') + 1;
  client.send(text.slice(0, line));
  for (const character of text.slice(line)) {
    client.send(character);
    await new Promise(resolve => setImmediate(resolve));
  }
  const [answer] = await client.answers(1);
  t.equal(answer?.status, 200);
  t.same(seen, ['POST /sync hello']);
});

t.test('a chunked request is answered, and is the last of its connection', async t => {
  const { port, seen } = await witness(t);
  for (const path of ['/sync', '/async']) {
    const client = new RawClient(port, t);
    client.send(rawRequest('POST', path, ['Transfer-Encoding: chunked'], '3\r\nhel\r\n2\r\nlo\r\n'));
    await new Promise(resolve => setImmediate(resolve));
    const [answer] = await client.send('0\r\n\r\n').untilClosed();
    t.equal(answer?.status, 200, path);
    t.equal(answer?.headers.connection, 'close');
  }
  t.same(seen, ['POST /sync hello', 'POST /async hello']);
});

t.test('what follows a chunked body is never executed, whatever its end looked like', async t => {
  const { port, seen } = await witness(t);
  const ends = {
    'as it should be': '0\r\n\r\n',
    'with trailers': '0\r\nX-Trailer: 1\r\n\r\n',
    'with a request for a trailer': '0\r\nxxGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n',
    'with a wrong terminator': '0XXXX',
    'with an empty size': '\r\n5\r\nhello\r\n0\r\n\r\n',
  };
  for (const path of ['/sync', '/async']) {
    for (const [name, end] of Object.entries(ends)) {
      const client = new RawClient(port, t);
      const head = rawRequest('POST', path, ['Transfer-Encoding: chunked'], '5\r\nhello\r\n');
      await client.send(head, end, smuggled).untilClosed();
      t.notOk(
        seen.some(line => line.includes('smuggled')),
        `${path} ${name}`,
      );
    }
  }
});

t.test('chunk sizes that are none close the connection', async t => {
  const { port, seen } = await witness(t);
  for (const size of ['x', '-5', 'fffffffffffffffff', '5;ext=1']) {
    const client = new RawClient(port, t);
    const text = rawRequest('POST', '/sync', ['Transfer-Encoding: chunked'], `${size}\r\nhello\r\n0\r\n\r\n`);
    await client.send(text, smuggled).untilClosed();
    t.notMatch(client.received, / 2\d\d /, JSON.stringify(size));
  }
  t.same(seen, []);
});

t.test('pipelined requests that are answered at once are answered in order', async t => {
  const { port, seen } = await witness(t);
  const client = new RawClient(port, t);
  client.send(
    rawRequest('POST', '/sync', [length(3)], 'one'),
    rawRequest('GET', '/get'),
    rawRequest('POST', '/sync', [length(3)], 'two'),
    rawRequest('GET', '/none'),
    rawRequest('GET', '/get', [length(5)], 'GET /'),
    rawRequest('GET', '/get'),
  );
  const answers = await client.answers(6);
  t.same(
    answers.map(answer => answer.status),
    [200, 200, 200, 404, 200, 200],
  );
  t.same(seen, ['POST /sync one', 'GET /get', 'POST /sync two', 'GET /get', 'GET /get']);
});

t.test('what is pipelined behind an answer that is not there yet closes the connection', async t => {
  const { port, seen, server } = await witness(t);
  const client = new RawClient(port, t);
  await client.send(rawRequest('POST', '/async', [length(3)], 'one'), smuggled).untilClosed();
  t.notOk(seen.includes('GET /smuggled'));
  t.equal(server.stats.inFlight, 0);
});

t.test('headers beyond measure are refused by the server beneath', async t => {
  const { port } = await witness(t);
  for (const headers of [
    [`X-Large: ${'x'.repeat(20_000)}`],
    Array.from({ length: 300 }, (_, i) => `X-${i}: 1`),
    ['X-Nul: a\0b'],
    ['X-Folded: a\r\n b', 'Connection: close'],
  ]) {
    const client = new RawClient(port, t);
    client.send(rawRequest('GET', '/get', headers));
    client.socket.end();
    await client.closed;
    t.notMatch(client.received, / 2\d\d /, JSON.stringify(headers[0]?.slice(0, 20)));
  }
});

t.test('a repeated header is one value, as RFC 9110 joins it', async t => {
  const { port } = await startServer(t, server => {
    server.route('GET', '/', request => ({
      status: 200,
      body: JSON.stringify(['cookie', 'x-list', 'x-none'].map(name => request.header(name))),
    }));
  });
  const client = new RawClient(port, t);
  client.send(rawRequest('GET', '/', ['Cookie: a=1', 'X-List: 1', 'cookie: b=2', 'X-LIST: 2']));
  const [answer] = await client.answers(1);
  t.same(JSON.parse(answer?.body ?? ''), ['a=1; b=2', '1, 2', '']);
});
