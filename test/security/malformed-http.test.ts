/**
 * Requests that two servers could read in two ways (RFC 9112 sections 5 and 6), and paths that could be read as other paths: the node
 * neither executes a hidden request nor shows a page that has another path.
 */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { RawClient, rawRequest } from '../gateway/http/http-fixture.ts';
import { shareSkein } from '../support/skein.ts';

const skein = await shareSkein(t);
const port = Number(new URL(skein.url).port);
const earlier = skein.log.lines.length;
const { key, projectId, channelId } = await skein.tenant();
const signedIn = [`Authorization: Bearer ${key.bearer ?? ''}`, 'Content-Type: application/json'];

/** A request that leaves a thread behind if it is executed. */
function buildWrite(participant: string): string {
  const body = JSON.stringify({ projectId, externalParticipantRef: participant, body: 'hidden' });
  return rawRequest(
    'POST',
    `/v1/channels/${channelId}/inbound-messages`,
    [...signedIn, `Idempotency-Key: ${randomBytes(9).toString('hex')}`, `Content-Length: ${body.length}`],
    body,
  );
}

const getParticipants = async (): Promise<(string | null)[]> =>
  (await key.all<{ externalRef: string | null }>('listThreads', { query: { projectId } })).map(
    ({ externalRef }) => externalRef,
  );

const login = (headers: readonly string[], body = '{}'): string =>
  rawRequest('POST', '/v1/studio/auth/login', ['Content-Type: application/json', ...headers], body);
const chunked = 'Transfer-Encoding: chunked';

/** Heads whose end, or the end of whose body, is in doubt. */
const doubtful: Readonly<Record<string, string>> = {
  'two lengths': login(['Content-Length: 2', 'Content-Length: 400']),
  'two lengths, the larger first': login(['Content-Length: 400', 'Content-Length: 2']),
  'the same length twice': login(['Content-Length: 2', 'Content-Length: 2']),
  'a list of lengths': login(['Content-Length: 2, 2']),
  'a length and chunks': login(['Content-Length: 2', chunked], '2\r\n{}\r\n0\r\n\r\n'),
  'a space before the colon': login(['Content-Length : 2']),
  'a tab before the colon': login(['Content-Length\t: 2']),
  'a folded line': login(['X: a', ' Content-Length: 2']),
  'a folded encoding': login(['Content-Length: 2', 'Transfer-Encoding:', ' chunked']),
  'a line break of one character': login(['X: a\nContent-Length: 2']),
  'a carriage return in a value': login(['X: a\rContent-Length: 2']),
  'a line without a colon': login(['Content-Length 2']),
  'a NUL in a name': login(['Content-\0Length: 2']),
  'a vertical tab before the encoding': login(['Transfer-Encoding: \x0bchunked'], '2\r\n{}\r\n0\r\n\r\n'),
  'an encoding in capitals': login(['Transfer-Encoding: CHUNKED'], '2\r\n{}\r\n0\r\n\r\n'),
  'an extension of a chunk': login([chunked], '2;a=b\r\n{}\r\n0\r\n\r\n'),
  'an extension with a line break': login([chunked], '2;a\n{}\r\n0\r\n\r\n'),
  'a chunk beyond counting': login([chunked], '10000000000000002\r\n{}\r\n0\r\n\r\n'),
  'a negative chunk': login([chunked], '-2\r\n{}\r\n0\r\n\r\n'),
  'a chunk in C notation': login([chunked], '0x2\r\n{}\r\n0\r\n\r\n'),
  trailers: login([chunked], '2\r\n{}\r\n0\r\nContent-Length: 2\r\n\r\n'),
  'HTTP/1.0': login(['Content-Length: 2']).replace('HTTP/1.1', 'HTTP/1.0'),
  'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'no version': 'GET /readyz\r\n',
  'no host': login(['Content-Length: 2']).replace('Host: test\r\n', ''),
  'two hosts': login(['Host: other', 'Content-Length: 2']),
  'a whole address as the target': login(['Content-Length: 2']).replace('/v1', 'http://test/v1'),
};

t.test('what follows a request whose end is in doubt is not executed', async t => {
  const before = await getParticipants();
  const clients = Object.entries(doubtful).map(([name, text], i) => {
    const client = new RawClient(port, t);
    client.send(text, buildWrite(`hidden-${i}`));
    return { name, client };
  });
  for (const { name, client } of clients) {
    const answers = await client.untilClosed();
    t.ok(answers.length <= 1, `${name}: closed after at most one answer`);
    t.not(answers[0]?.status, 201, name);
  }
  t.same(await getParticipants(), before);
  const plain = new RawClient(port, t);
  const [, second] = await plain.send(login(['Content-Length: 2']), buildWrite('plain')).answers(2);
  t.equal(second?.status, 201, 'and after one that ends where it says, it is');
});

t.test('a path is taken as it is written', async t => {
  const closed = ['/metrics', '/v1/openapi.json', '/v1/threads', '/docs'];
  const written = (path: string): string[] => [
    `/v1/..${path}`,
    `/v1/%2e%2e${path}`,
    `/healthz/..${path}`,
    `/healthz/%2e%2e${path}`,
    `/healthz;${path}`,
    `/.${path}`,
    `/${path}`,
    `${path}%00`,
    `${path}/.`,
    `${path}#`,
    path.toUpperCase(),
    `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`,
    path.replaceAll('/', '\\'),
    path.replace('/', '/%2f'),
  ];
  for (const path of closed.flatMap(written)) {
    const [answer] = await new RawClient(port, t)
      .send(rawRequest('GET', path, [...signedIn, 'Connection: close']))
      .answers(1);
    t.ok([404, 422, 505, undefined].includes(answer?.status), `${path}: ${answer?.status}`);
    t.notMatch(answer?.body, /skein_|"openapi"|<html/, path);
  }
  // Out of a folder of files there is no way by their addresses.
  for (const id of ['..%2f..%2fetc%2fpasswd', '%2e%2e', '..', '.%00', 'att_%2fetc%2fpasswd', '\\..\\..']) {
    for (const method of ['GET', 'PUT']) {
      const head = rawRequest(method, `/media/${id}?expires=9999999999&signature=x`, ['Content-Length: 0']);
      const [answer] = await new RawClient(port, t).send(head).answers(1);
      t.ok([401, 403, 404].includes(answer?.status ?? 0), `${method} ${id}: ${answer?.status}`);
    }
  }
});

t.test('a head with too much in it ends its connection, and no other', async t => {
  const heads = {
    '500 headers': Array.from({ length: 500 }, (_, i) => `X-${i}: 1`),
    'a header of 100 KB': [`X: ${'a'.repeat(100_000)}`],
    'a cookie of 5 KB': [`Cookie: svc_refresh=${'a'.repeat(5_000)}`],
    'a token of 8 KB': [`Authorization: Bearer ${'a'.repeat(8_000)}`],
  };
  for (const [name, headers] of Object.entries(heads)) {
    const clients = Array.from({ length: 10 }, () =>
      new RawClient(port, t).send(rawRequest('GET', '/v1/threads', headers), buildWrite('after')),
    );
    for (const client of clients) {
      const statuses = (await client.untilClosed()).map(({ status }) => status);
      if (statuses.some(status => status !== 431)) t.fail(`${name}: ${statuses.join()}`);
    }
  }
  t.notOk((await getParticipants()).includes('after'));
});

t.test('bodies that are nested as deep as they may be', async t => {
  for (const depth of [3_000, 9_999, 400_000]) {
    for (const text of [
      `${'['.repeat(depth)}${']'.repeat(depth)}`,
      `{"projectId":"${projectId}","metadata":${'{"a":'.repeat(depth >> 1)}1${'}'.repeat(depth >> 1)}}`,
      `{"projectId":"${projectId}","metadata":{"a":${'['.repeat(depth - 10)}${']'.repeat(depth - 10)}}}`,
    ]) {
      const { status } = await key.send('POST', '/v1/threads', {
        text,
        headers: { 'idempotency-key': 'deep' },
      });
      t.ok(status === 422 || status === 413, `${depth} ${text.slice(0, 12)}: ${status}`);
    }
  }
});

t.test('the node has no fault to report', async t => {
  t.equal((await key.send('GET', '/readyz')).status, 200);
  t.same(
    skein.log.lines.slice(earlier).filter(({ level }) => level >= 50),
    [],
  );
});
