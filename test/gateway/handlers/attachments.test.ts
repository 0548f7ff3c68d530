/**
 * Files over the public API: announced, uploaded, attached to a message, downloaded, and removed when unused. Signed addresses:
 * test/gateway/media/links.test.ts. The sweep: test/storage/media.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { AttachmentLink, AttachmentUpload } from '../../../protocol/resources/attachment.ts';
import { MediaSweeper } from '../../../storage/media/sweep-media.ts';
import type { Refusal } from '../../node/client.ts';
import { newThread, readThreadEvents, receiveMessage, sendMessage } from '../../support/conversations.ts';
import { eventually } from '../../support/eventually.ts';
import { shareSkein } from '../../support/skein.ts';

const hour = 3_600_000;
const skein = await shareSkein(t);
const { database } = skein;
const tenant = await skein.tenant();
const { projectId, channelId } = tenant;

const announce = (sizeBytes: number, fields: object = {}, of = tenant) =>
  of.key.get<AttachmentUpload>('createAttachment', {
    body: { projectId: of.projectId, filename: 'cat.png', mimeType: 'image/png', sizeBytes, ...fields },
  });
const put = (url: string, bytes: Uint8Array) => fetch(url, { method: 'PUT', body: bytes });
async function upload(text: string | Buffer, fields: object = {}, of = tenant): Promise<string> {
  const bytes = Buffer.from(text);
  const { attachmentId, uploadUrl } = await announce(bytes.length, fields, of);
  const { status } = await put(uploadUrl, bytes);
  if (status !== 204) throw new Error(`the upload was answered ${status}`);
  return attachmentId;
}
const askForLink = (attachmentId: string) =>
  tenant.key.ask<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
const download = async (attachmentId: string, headers: Record<string, string> = {}) =>
  fetch((await askForLink(attachmentId)).body.url, { headers });
const getBytes = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const getError = async (answer: Response) => [answer.status, ((await answer.json()) as Refusal).error];
interface Row {
  status: string;
  message_id: string | null;
  sha256: Buffer;
  storage_key: string;
  claimed_at: Date | null;
}
const readRow = async (attachmentId: string) =>
  (await database.query<Row>('select * from attachments where attachment_id = $1', [attachmentId]))[0];
const attach = (threadId: string, attachments: readonly object[]) =>
  sendMessage(tenant, threadId, { body: 'see', attachments });

t.test('a file is uploaded and downloaded, and no browser takes it for a page', async t => {
  const bytes = randomBytes(3_000_000);
  const announced = await announce(bytes.length, { filename: 'a "cat"\r\n\u{1f408}/../é.png' });
  const { attachmentId, uploadUrl, expiresAt } = announced;
  const left = Date.parse(expiresAt) - Date.now();
  t.ok(left > 295_000 && left <= 300_000, 'five minutes');
  t.equal((await askForLink(attachmentId)).status, 404, 'not uploaded yet');
  t.equal((await put(uploadUrl, bytes)).status, 204);
  const sha256 = createHash('sha256').update(bytes).digest();
  t.match(await readRow(attachmentId), { status: 'stored', sha256 });
  const answer = await download(attachmentId);
  t.match(Object.fromEntries(answer.headers), {
    'content-type': 'image/png',
    'content-length': String(bytes.length),
    'content-disposition': /^attachment; filename="a _cat_[^"]+"; filename\*=UTF-8''a%20%22cat%22/,
    'x-content-type-options': 'nosniff',
    'content-security-policy': /^sandbox;/,
    'cache-control': 'no-store',
    'accept-ranges': 'bytes',
  });
  t.ok((await getBytes(answer)).equals(bytes));
  t.equal((await put(uploadUrl, bytes)).status, 409, 'an address takes one upload');
  const head = await fetch((await askForLink(attachmentId)).body.url, { method: 'HEAD' });
  t.strictSame([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
});

t.test('a download can be resumed', async t => {
  const bytes = randomBytes(100_000);
  const attachmentId = await upload(bytes);
  const whole = await download(attachmentId);
  await whole.arrayBuffer();
  const etag = whole.headers.get('etag') ?? '';
  const rest = await download(attachmentId, { range: 'bytes=60000-', 'if-range': etag });
  t.match(
    [rest.status, Object.fromEntries(rest.headers)],
    [206, { 'content-range': 'bytes 60000-99999/100000', 'content-length': '40000', etag }],
  );
  t.ok((await getBytes(rest)).equals(bytes.subarray(60_000)));
  const other = await download(attachmentId, { range: 'bytes=0-1', 'if-range': '"another"' });
  t.strictSame([other.status, (await getBytes(other)).length], [200, 100_000]);
  const beyond = await download(attachmentId, { range: 'bytes=100000-' });
  t.equal(beyond.headers.get('content-range'), 'bytes */100000');
  t.strictSame(await getError(beyond), [416, 'svc/validation/invalid_request']);
});

t.test('a signed address serves one use of one file', async t => {
  const attachmentId = await upload('x');
  const { uploadUrl } = await announce(1);
  const { url } = (await askForLink(attachmentId)).body;
  const invalid = [401, 'svc/auth/invalid_token'];
  for (const forged of [url.replace(/signature=./, 'signature=_'), url.split('?')[0] ?? '', uploadUrl])
    t.strictSame(await getError(await fetch(forged)), invalid, forged);
  t.strictSame(await getError(await put(url, Buffer.from('y'))), invalid, 'an upload to a download address');
  t.equal((await fetch(url)).status, 200);
});

t.test('an upload of another size or encoding is refused, and can be repeated', async t => {
  const { attachmentId, uploadUrl } = await announce(1_000);
  for (const size of [999, 1_001]) {
    const invalid = [422, 'svc/validation/invalid_request'];
    t.strictSame(await getError(await put(uploadUrl, randomBytes(size))), invalid, `${size}`);
    const body = new Blob([randomBytes(size)]).stream();
    const chunked = await fetch(uploadUrl, { method: 'PUT', body, duplex: 'half' } as RequestInit);
    t.equal(chunked.status, 422, `${size} in chunks`);
  }
  const headers = { 'content-encoding': 'gzip' };
  const encoded = await fetch(uploadUrl, { method: 'PUT', body: randomBytes(1_000), headers });
  t.strictSame([encoded.status, encoded.headers.get('accept-encoding')], [415, 'identity']);
  t.equal((await askForLink(attachmentId)).status, 404);
  t.equal((await put(uploadUrl, randomBytes(1_000))).status, 204);
});

t.test('of two concurrent uploads one is refused; a client that disconnects can upload again', async t => {
  const bytes = randomBytes(100_000);
  const { attachmentId, uploadUrl } = await announce(bytes.length);
  const { hostname, port, pathname, search } = new URL(uploadUrl);
  const socket = connect(Number(port), hostname);
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes.length}\r\n\r\nabc`);
  const isClaimed = async () => ((await readRow(attachmentId))?.claimed_at?.getTime() ?? 0) > 0;
  await eventually('claim', isClaimed);
  t.strictSame(await getError(await put(uploadUrl, bytes)), [409, 'svc/runtime/conflict']);
  socket.destroy();
  await eventually('release', async () => !(await isClaimed()));
  t.equal((await put(uploadUrl, bytes)).status, 204);
  t.ok((await getBytes(await download(attachmentId))).equals(bytes));
});

t.test('a message takes a file, and shows what the store knows of it', async t => {
  const attachmentId = await upload('meow');
  const { threadId } = await newThread(tenant);
  const link = { kind: 'document', url: 'https://example.com/a.pdf' };
  const image = { kind: 'image', attachmentId };
  const claims = { mimeType: 'text/html', sizeBytes: 9, metadata: { a: 1 } };
  const { body: sent } = await attach(threadId, [{ ...image, ...claims }, link]);
  const storageKey = (await readRow(attachmentId))?.storage_key;
  const known = { mimeType: 'image/png', filename: 'cat.png', sizeBytes: 4, storageKey };
  t.strictSame(sent.attachments, [{ ...image, ...known, metadata: { a: 1 } }, link]);
  t.equal((await readRow(attachmentId))?.message_id, sent.messageId);
  t.match((await readThreadEvents(database, threadId))[1]?.data['message'], {
    attachments: sent.attachments,
  });
  const other = await attach(threadId, [image]);
  t.match(
    [other.status, other.body.details],
    [422, { issues: [{ path: '/body/attachments/0/attachmentId' }] }],
  );
  t.equal((await download(attachmentId)).status, 200);

  const voice = await upload('voice', { mimeType: 'audio/ogg; codecs=opus' });
  const attachments = [{ kind: 'audio', attachmentId: voice }];
  const { body: inbound } = await receiveMessage(tenant, channelId, {
    externalParticipantRef: 'ana',
    attachments,
  });
  t.match(inbound.attachments, [{ attachmentId: voice, mimeType: 'audio/ogg; codecs=opus', sizeBytes: 5 }]);
});

t.test('of concurrent messages one takes the file', async t => {
  const attachmentId = await upload('one');
  const threads = await Promise.all(Array.from({ length: 4 }, () => newThread(tenant)));
  const answers = await Promise.all(
    [...threads, ...threads, ...threads].map(({ threadId }) =>
      attach(threadId, [{ kind: 'image', attachmentId }]),
    ),
  );
  const [taken, ...others] = answers.filter(({ status }) => status === 201);
  t.strictSame(others, []);
  t.equal((await readRow(attachmentId))?.message_id, taken?.body.messageId);
  for (const { threadId } of threads) t.equal((await attach(threadId, [])).status, 201);
});

t.test('an attachment that a message cannot take is refused by its field', async t => {
  const { threadId } = await newThread(tenant);
  const outsider = await skein.tenant();
  const { attachmentId: pending } = await announce(3);
  const foreign = await upload('abc', {}, outsider);
  const own = await upload('abc');
  const storageKey = (await readRow(foreign))?.storage_key;
  for (const [attachment, status, field] of [
    [{ kind: 'image', attachmentId: newId('attachment') }, 404, 'attachmentId'],
    [{ kind: 'image', attachmentId: foreign }, 404, 'attachmentId'],
    [{ kind: 'image', attachmentId: pending }, 422, 'attachmentId'],
    [{ kind: 'video', attachmentId: own }, 422, 'kind'],
    [{ kind: 'image', attachmentId: own, storageKey }, 422, 'storageKey'],
    [{ kind: 'image', attachmentId: 'elsewhere', storageKey }, 422, 'storageKey'],
  ] as const) {
    const { status: got, body } = await attach(threadId, [attachment]);
    t.match([got, body.details], [status, { issues: [{ path: `/body/attachments/0/${field}` }] }], field);
  }
  for (const attachmentId of ['of-another-system', own])
    t.equal((await attach(threadId, [{ kind: 'image', attachmentId }])).status, 201);
});

t.test('types, names and sizes that a file can have', async t => {
  for (const wrong of [
    { sizeBytes: 0 },
    { sizeBytes: 104_857_601 },
    { mimeType: 'png' },
    { mimeType: 'text/html\r\nX-A: b' },
    { mimeType: 'a/b;' },
    { mimeType: `a/${'b'.repeat(127)}` },
  ]) {
    const body = { projectId, filename: 'a', mimeType: 'a/b', sizeBytes: 1, ...wrong };
    t.equal((await tenant.key.ask('createAttachment', { body })).status, 422, JSON.stringify(wrong));
  }
  await announce(104_857_600, { filename: 'x'.repeat(256) });
});

t.test('unused files are removed after a day, those of messages stay', async t => {
  const pending = await announce(3);
  const [loose, kept] = [await upload('loose'), await upload('kept')];
  const { threadId } = await newThread(tenant);
  await attach(threadId, [{ kind: 'image', attachmentId: kept }]);
  const removed: string[] = [];
  let isAway = false;
  const remove = (storageKey: string) => {
    removed.push(storageKey);
    return isAway ? Promise.reject(new Error('the store is away')) : Promise.resolve();
  };
  const sweeper = new MediaSweeper({ database, media: { remove } });
  const storageKey = (await readRow(loose))?.storage_key ?? '';
  await sweeper.sweep(Date.now() + 23 * hour);
  t.equal((await readRow(loose))?.status, 'stored', 'not yet');
  isAway = true;
  await t.rejects(sweeper.sweep(Date.now() + 25 * hour), { cause: { message: 'the store is away' } });
  t.equal((await readRow(loose))?.status, 'erased', 'the row stays until the bytes are gone');
  t.equal((await askForLink(loose)).status, 404);
  t.equal((await put(pending.uploadUrl, Buffer.from('abc'))).status, 404);
  t.equal((await attach(threadId, [{ kind: 'image', attachmentId: loose }])).status, 422);
  isAway = false;
  await sweeper.sweep(Date.now() + 25 * hour);
  t.strictSame([await readRow(loose), await readRow(pending.attachmentId)], [undefined, undefined]);
  t.ok(removed.includes(storageKey));
  t.match(await readRow(kept), { status: 'stored' });
  t.equal((await download(kept)).status, 200);
});
