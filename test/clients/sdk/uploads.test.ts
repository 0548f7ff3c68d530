/** Files: announced, sent, and sent again. */
import t from 'tap';
import {
  failure,
  inVirtualTime,
  lostConnection,
  rejection,
  scriptClient,
  type Scripted,
} from './scripted-fetch.ts';
import { shareSdkAccount } from './sdk-account.ts';

const announced: Scripted = [
  201,
  { attachmentId: 'att_1', uploadUrl: 'http://store.test/att_1?signature=a' },
];
const conflict: Scripted = [409, failure('svc/runtime/conflict')];
const file = new Blob(['Opening hours: 9 to 17\n'], { type: 'text/plain' });

t.test('a file is announced with its size, and sent to the address without the credential', async t => {
  const { skein, requests } = scriptClient([announced, [204]]);
  const id = await skein.attachments.upload(file, { filename: 'hours.txt', idempotencyKey: 'hours' });
  t.equal(id, 'att_1');
  t.match(requests[0]?.body, {
    filename: 'hours.txt',
    mimeType: 'text/plain',
    sizeBytes: 23,
    projectId: 'prj_1',
  });
  t.equal(requests[0]?.headers.get('idempotency-key'), 'hours');
  t.match(requests[1], { method: 'PUT', body: file });
  t.equal(requests[1]?.url.href, 'http://store.test/att_1?signature=a');
  t.equal(requests[1]?.headers.has('authorization'), false);
});

t.test('names and types that nobody gave', async t => {
  for (const [source, expected] of [
    [
      new File(['a'], 'a.pdf', { type: 'application/pdf' }),
      { filename: 'a.pdf', mimeType: 'application/pdf' },
    ],
    [new Uint8Array([1]), { filename: 'file', mimeType: 'application/octet-stream', sizeBytes: 1 }],
  ] as const) {
    const { skein, requests } = scriptClient([announced, [204]]);
    await skein.attachments.upload(source);
    t.match(requests[0]?.body, expected);
  }
});

t.test('a lost answer: what was uploaded by then is not uploaded again', async t => {
  const lost = scriptClient([announced, lostConnection(), conflict]);
  t.equal(await inVirtualTime(() => lost.skein.attachments.upload(file)), 'att_1');
  const passing = scriptClient([announced, [503], [204]]);
  t.equal(await inVirtualTime(() => passing.skein.attachments.upload(file)), 'att_1');
  t.equal(passing.requests.length, 3);
  const twice = scriptClient([announced, conflict]);
  t.match(await rejection(twice.skein.attachments.upload(file)), { code: 'svc/runtime/conflict' });
  const expired = scriptClient([announced, () => new Response('<Error/>', { status: 403 })]);
  t.match(await rejection(expired.skein.attachments.upload(file)), { code: 'http/403', kind: 'auth' });
});

t.test('an upload that hangs is given up with its address, and goes to another one', async t => {
  const other: Scripted = [201, { attachmentId: 'att_2', uploadUrl: 'http://store.test/att_2?signature=b' }];
  const { skein, requests } = scriptClient([announced, () => new Promise(() => undefined), other, [204]]);
  t.equal(await inVirtualTime(() => skein.attachments.upload(file, { idempotencyKey: 'hours' })), 'att_2');
  t.equal(requests[3]?.url.href, 'http://store.test/att_2?signature=b');
  t.not(requests[2]?.headers.get('idempotency-key'), 'hours', 'which would give the first address again');
});

t.test('a signal ends it', async t => {
  const abort = new AbortController();
  const { skein } = scriptClient([announced, () => new Promise(() => setImmediate(() => abort.abort()))]);
  t.match(await rejection(skein.attachments.upload(file, { signal: abort.signal })), { name: 'AbortError' });
});

t.test('an upload that is aborted in its first progress sends nothing', async t => {
  const { skein, requests } = scriptClient([announced, [204]]);
  const abort = new AbortController();
  const call = skein.attachments.upload(file, { signal: abort.signal, onProgress: () => abort.abort() });
  t.match(await rejection(call), { name: 'AbortError' });
  t.equal(requests.length, 1, 'it was announced');
});

t.test('on a node: the bytes arrive, and progress is that of the bytes', async t => {
  const { skein, channelId } = await shareSdkAccount(t);
  const { threadId } = await skein.channels.receive(channelId, {
    externalParticipantRef: 'a',
    body: 'Hello',
  });
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
  const progress: number[] = [];
  const attachmentId = await skein.attachments.upload(new Blob([bytes]), {
    filename: 'a.bin',
    onProgress: (sent, total) => {
      t.equal(total, bytes.length);
      progress.push(sent);
    },
  });
  t.equal(progress[0], 0);
  t.equal(progress.at(-1), bytes.length);
  t.ok(progress.length > 3, `${progress.length} steps`);
  t.strictSame(
    progress,
    progress.toSorted((a, b) => a - b),
  );
  const message = await skein.messages.create(threadId, {
    attachments: [{ kind: 'document', attachmentId }],
    body: 'Here.',
  });
  t.match(message.attachments, [{ attachmentId, sizeBytes: bytes.length }]);
  const { url } = await skein.attachments.getUrl(attachmentId);
  t.ok(Buffer.from(await (await fetch(url)).arrayBuffer()).equals(bytes));
});
