/** The page's requests: given up together when a connection has died, with the connections that may be dead, too. */
import { getEventListeners } from 'node:events';
import t from 'tap';
import { Requests } from '../../../clients/kit/requests.ts';
import { TimeoutError } from '../../../clients/sdk/index.ts';
import { inVirtualTime } from '../sdk/scripted-fetch.ts';

/** A server that answers when it is told to. */
function createServer() {
  const asked: { readonly url: string; readonly init: RequestInit; readonly answer: () => void }[] = [];
  let givenUp = 0;
  const requests = new Requests(
    (url, init) =>
      new Promise((resolve, reject) => {
        const { signal } = init;
        asked.push({ url, init, answer: () => resolve(new Response('ok')) });
        signal?.addEventListener('abort', () => {
          givenUp++;
          // As fetch does.
          reject(signal.reason instanceof TimeoutError ? signal.reason : new Error('given up'));
        });
      }),
  );
  return { requests, asked, countGivenUp: () => givenUp };
}

t.test('what waits for an answer fails, and each connection is tried once, for a while', async t => {
  const { requests, asked, countGivenUp } = createServer();
  const answered = requests.fetch('/v1/threads', {});
  asked[0]?.answer();
  await answered;
  const waiting = requests.fetch('/v1/threads', {});
  const refused = t.rejects(waiting, { message: 'given up' });
  await inVirtualTime(async () => {
    const renewed = Promise.all([requests.renewConnections(), requests.renewConnections()]);
    t.strictSame(
      asked.slice(2).map(({ url }) => url),
      Array.from({ length: 6 }, (_none, index) => `/healthz?connection=${index}`),
      'all at once, and not twice',
    );
    t.ok(
      asked.every(({ init }) => init.credentials === undefined),
      'browsers keep connections of requests without cookies apart',
    );
    await refused;
    t.equal(countGivenUp(), 1);
    asked[2]?.answer();
    await renewed;
  });
  t.equal(countGivenUp(), 1 + 5, 'those that are dead are given up');
  const next = requests.renewConnections();
  t.equal(asked.length, 2 + 6 + 6, 'another time they are tried again');
  for (const { answer } of asked) answer();
  await next;
});

t.test('who has asked may give it up, before and after', async t => {
  const { requests, countGivenUp } = createServer();
  const end = new AbortController();
  const asked = requests.fetch('/v1/threads', { signal: end.signal });
  end.abort();
  await t.rejects(asked, { message: 'given up' });
  t.equal(countGivenUp(), 1);
  t.equal(getEventListeners(end.signal, 'abort').length, 0);
});

t.test('a file that is being sent goes on: it may be why the answers of others are late', async t => {
  const { requests, asked, countGivenUp } = createServer();
  const sent = requests.fetch('/upload', { method: 'PUT', body: new Blob(['a photo']) });
  const refused = t.rejects(requests.fetch('/v1/threads', {}), { message: 'given up' });
  const renewed = requests.renewConnections();
  await refused;
  for (const { answer } of asked) answer();
  await renewed;
  t.equal((await sent).status, 200);
  t.equal(countGivenUp(), 1);
});

t.test('a file that hangs is given up after a while, once other connections live', async t => {
  const { requests, asked, countGivenUp } = createServer();
  const sent = requests.fetch('/upload', { method: 'PUT', body: new Blob(['x'.repeat(50_000)]) });
  let isSettled = false;
  const outcome = sent.catch((error: unknown) => error).finally(() => (isSettled = true));
  await inVirtualTime(async () => {
    const began = Date.now();
    await requests.renewConnections();
    t.equal(countGivenUp(), 6, 'nothing lives, and so nothing is known of the file');
    const renewed = requests.renewConnections();
    for (const { url, answer } of asked) if (url.startsWith('/healthz')) answer();
    await renewed;
    t.equal(isSettled, false);
    await requests.renewConnections();
    await outcome;
    t.equal(Date.now() - began, 2_000 + 30_000 + 1_000, 'and a second for its size');
  });
  t.match(await outcome, { name: 'TimeoutError' });
});
