/** Files from their announcement to their end: uploaded, carried by a message, read, aged out. */
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import type { AttachmentLink, AttachmentUpload } from '../../../protocol/resources/attachment.ts';
import type { Message } from '../../../protocol/resources/message.ts';
import { MediaSweeper } from '../../../storage/media/sweep-media.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConversationNode, type ErrorBody, type Tenant } from './conversation-fixture.ts';

const { database } = await startTestDatabase(t);
const hour = 3_600_000;

t.test('files', async t => {
  const node = await ConversationNode.start(t, database);
  const tenant = await node.tenant();
  const outsider = await node.tenant();
  const { projectId, secret } = tenant;

  const announce = (sizeBytes: number, more: object = {}, who: Tenant = tenant) =>
    node.ask<AttachmentUpload & ErrorBody>('createAttachment', who.secret, {
      body: { projectId: who.projectId, filename: 'cat.png', mimeType: 'image/png', sizeBytes, ...more },
    });
  const put = (url: string, bytes: Uint8Array) => fetch(node.fileUrl(url), { method: 'PUT', body: bytes });
  const upload = async (bytes: Uint8Array, more: object = {}, who: Tenant = tenant): Promise<string> => {
    const { body } = await announce(bytes.length, more, who);
    const { status } = await put(body.uploadUrl, bytes);
    if (status !== 204) throw new Error(`the upload was answered ${status}`);
    return body.attachmentId;
  };
  const link = (attachmentId: string, bearer = secret) =>
    node.ask<AttachmentLink & ErrorBody>('getAttachmentUrl', bearer, { params: { attachmentId } });
  const read = async (attachmentId: string) => fetch(node.fileUrl((await link(attachmentId)).body.url));
  const row = async (attachmentId: string) =>
    (
      await database.query<{
        status: string;
        message_id: string | null;
        sha256: Buffer;
        storage_key: string;
      }>('select * from attachments where attachment_id = $1', [attachmentId])
    )[0];
  const error = async (answer: Response) => ((await answer.json()) as ErrorBody).error;
  const send = (threadId: string, attachments: readonly object[], key?: string) =>
    node.ask<Message & ErrorBody>('createMessage', secret, {
      params: { threadId },
      body: { projectId, body: 'see', attachments },
      ...(key === undefined ? {} : { key }),
    });

  t.test('uploaded, read, and never to be taken for a page', async t => {
    const bytes = randomBytes(3_000_000);
    const announced = await announce(bytes.length, { filename: 'a "cat"\r\n\u{1f408}/../é.png' });
    t.equal(announced.status, 201);
    const { attachmentId, uploadUrl, expiresAt } = announced.body;
    const left = Date.parse(expiresAt) - Date.now();
    t.ok(left > 295_000 && left <= 300_000, 'five minutes');
    t.equal((await link(attachmentId)).status, 404, 'not there yet');
    t.equal((await put(uploadUrl, bytes)).status, 204);
    const stored = await row(attachmentId);
    t.equal(stored?.status, 'stored');
    t.strictSame(stored?.sha256, createHash('sha256').update(bytes).digest());
    t.strictSame(await readFile(join(node.mediaFolder, stored?.storage_key ?? '')), bytes);

    const answer = await read(attachmentId);
    t.equal(answer.status, 200);
    t.strictSame(Buffer.from(await answer.arrayBuffer()), bytes);
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'image/png',
      'content-length': String(bytes.length),
      'content-disposition':
        'attachment; filename="a _cat____/../_.png"'.replace('/../', '_.._') +
        "; filename*=UTF-8''a%20%22cat%22%0D%0A%F0%9F%90%88_.._%C3%A9.png",
      'x-content-type-options': 'nosniff',
      'content-security-policy': /^sandbox;/,
      'cache-control': 'no-store',
    });
    t.equal((await put(uploadUrl, bytes)).status, 409, 'once');
    const head = await fetch(node.fileUrl((await link(attachmentId, tenant.token)).body.url), {
      method: 'HEAD',
    });
    t.strictSame([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  });

  t.test('a download is taken up again where it was cut', async t => {
    const bytes = randomBytes(100_000);
    const attachmentId = await upload(bytes);
    const ask = async (headers: Record<string, string>) =>
      fetch(node.fileUrl((await link(attachmentId)).body.url), { headers });
    const whole = await ask({});
    t.equal(whole.headers.get('accept-ranges'), 'bytes');
    await whole.arrayBuffer();
    const etag = whole.headers.get('etag') ?? '';
    const rest = await ask({ range: 'bytes=60000-', 'if-range': etag });
    t.equal(rest.status, 206);
    t.match(Object.fromEntries(rest.headers), {
      'content-range': 'bytes 60000-99999/100000',
      'content-length': '40000',
      'content-type': 'image/png',
      etag,
    });
    t.ok(Buffer.from(await rest.arrayBuffer()).equals(bytes.subarray(60_000)));
    for (const headers of [{ range: 'bytes=0-1', 'if-range': '"another"' }, { range: 'bytes=0-1,5-6' }]) {
      const answer = await ask(headers);
      t.strictSame([answer.status, (await answer.arrayBuffer()).byteLength], [200, 100_000]);
    }
    const beyond = await ask({ range: 'bytes=100000-' });
    t.equal(beyond.status, 416);
    t.equal(beyond.headers.get('content-range'), 'bytes */100000');
    t.equal(await error(beyond), 'svc/validation/invalid_request');
  });

  t.test('encoded bytes are refused, which would be stored as they are', async t => {
    const { body } = await announce(10);
    const headers = { 'content-encoding': 'gzip' };
    const answer = await fetch(node.fileUrl(body.uploadUrl), {
      method: 'PUT',
      body: randomBytes(10),
      headers,
    });
    t.equal(answer.status, 415);
    t.equal(answer.headers.get('accept-encoding'), 'identity');
    t.equal((await put(body.uploadUrl, randomBytes(10))).status, 204);
  });

  t.test('an address is good for one use, one object and five minutes', async t => {
    const attachmentId = await upload(Buffer.from('x'));
    const other = await announce(1);
    const { url } = (await link(attachmentId)).body;
    const get = (address: string, method = 'GET') =>
      fetch(node.fileUrl(address), { method, ...(method === 'PUT' ? { body: 'y' } : {}) });
    t.equal((await get(url)).status, 200);
    const { searchParams } = new URL(url);
    const signature = searchParams.get('signature') ?? '';
    const flipped = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1);
    const lastBits = signature.slice(0, -1) + String.fromCharCode(signature.charCodeAt(42) + 1);
    const forged: readonly [string, string][] = [
      ['another signature', url.replace(signature, flipped)],
      ['another spelling', url.replace(signature, lastBits)],
      ['no signature', url.slice(0, url.indexOf('&signature'))],
      ['an empty one', url.replace(signature, '')],
      ['a longer one', `${url}A`],
      ['nothing', url.slice(0, url.indexOf('?'))],
      ['a later end', url.replace(/expires=(\d+)/, (_, end: string) => `expires=${Number(end) + 1}`)],
      ['another key', url.replace(/kid=\w+/, 'kid=other')],
      ['more', `${url}&a=b`],
      ['twice', `${url}&${new URL(url).search.slice(1)}`],
      ['another object', url.replace(attachmentId, other.body.attachmentId)],
      ['an upload as a reading', other.body.uploadUrl],
      ['a path', url.replace(attachmentId, `..%2f${attachmentId}`)],
    ];
    for (const [what, address] of forged) {
      const answer = await get(address);
      t.strictSame([answer.status, await error(answer)], [401, 'svc/auth/invalid_token'], what);
    }
    const upside = await get(url, 'PUT');
    t.strictSame(
      [upside.status, await error(upside)],
      [401, 'svc/auth/invalid_token'],
      'a reading as an upload',
    );
    await node.restart(300_000);
    for (const [address, method] of [
      [url, 'GET'],
      [other.body.uploadUrl, 'PUT'],
    ] as const) {
      const answer = await get(address, method);
      t.strictSame([answer.status, await error(answer)], [401, 'svc/auth/expired_token'], method);
    }
    await node.restart(0);
  });

  t.test('another size than announced is refused, and the upload may be tried again', async t => {
    const { body } = await announce(1_000);
    for (const size of [999, 1_001]) {
      const answer = await put(body.uploadUrl, randomBytes(size));
      t.strictSame([answer.status, await error(answer)], [422, 'svc/validation/invalid_request'], `${size}`);
      const chunked = await fetch(node.fileUrl(body.uploadUrl), {
        method: 'PUT',
        body: new Blob([randomBytes(size)]).stream(),
        duplex: 'half',
      } as RequestInit);
      t.equal(chunked.status, 422, `${size} in chunks`);
    }
    t.equal((await link(body.attachmentId)).status, 404);
    t.equal((await put(body.uploadUrl, randomBytes(1_000))).status, 204);
  });

  t.test(
    'a client that vanishes leaves the upload to be tried again; of two at once one is refused',
    async t => {
      const bytes = randomBytes(100_000);
      const { body } = await announce(bytes.length);
      const { hostname, port, pathname, search } = new URL(node.fileUrl(body.uploadUrl));
      const socket = connect(Number(port), hostname);
      socket.write(
        `PUT ${pathname}${search} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes.length}\r\n\r\nabc`,
      );
      const claimed = async () => {
        const [found] = await database.query<{ claimed: boolean }>(
          'select claimed_at > to_timestamp(0) as claimed from attachments where attachment_id = $1',
          [body.attachmentId],
        );
        return found?.claimed === true;
      };
      await eventually('claim', claimed);
      const second = await put(body.uploadUrl, bytes);
      t.strictSame([second.status, await error(second)], [409, 'svc/runtime/conflict']);
      socket.destroy();
      await eventually('release', async () => !(await claimed()));
      t.equal((await put(body.uploadUrl, bytes)).status, 204);
      t.strictSame(Buffer.from(await (await read(body.attachmentId)).arrayBuffer()), bytes);
    },
  );

  t.test('a message takes a file, and tells what the store knows of it', async t => {
    const bytes = Buffer.from('meow');
    const attachmentId = await upload(bytes);
    const { threadId } = await node.thread(tenant);
    const claimed = { kind: 'image', attachmentId, mimeType: 'text/html', sizeBytes: 9, metadata: { a: 1 } };
    const sent = await send(
      threadId,
      [claimed, { kind: 'document', url: 'https://example.com/a.pdf' }],
      'cat',
    );
    t.equal(sent.status, 201);
    const storageKey = (await row(attachmentId))?.storage_key;
    const shown = { mimeType: 'image/png', filename: 'cat.png', sizeBytes: 4, storageKey };
    t.strictSame(sent.body.attachments, [
      { kind: 'image', attachmentId, ...shown, metadata: { a: 1 } },
      { kind: 'document', url: 'https://example.com/a.pdf' },
    ]);
    t.equal((await row(attachmentId))?.message_id, sent.body.messageId);
    const events = await node.getEvents(threadId);
    t.strictSame((events[1]?.data['message'] as Message).attachments, sent.body.attachments);

    const again = await send(
      threadId,
      [claimed, { kind: 'document', url: 'https://example.com/a.pdf' }],
      'cat',
    );
    t.strictSame([again.status, again.body], [201, sent.body], 'the same request once more');
    const other = await send(threadId, [{ kind: 'image', attachmentId }]);
    t.match(
      [other.status, other.body.details],
      [422, { issues: [{ path: '/body/attachments/0/attachmentId' }] }],
    );
    t.equal((await read(attachmentId)).status, 200);
  });

  t.test('of many messages at once one takes it', async t => {
    const attachmentId = await upload(Buffer.from('one'));
    const threads = await Promise.all(Array.from({ length: 4 }, () => node.thread(tenant)));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        send(threads[i % 4]?.threadId ?? '', [{ kind: 'image', attachmentId }]),
      ),
    );
    const taken = answers.filter(({ status }) => status === 201);
    t.equal(taken.length, 1);
    for (const { status } of answers) t.ok([201, 409, 422].includes(status), String(status));
    t.equal((await row(attachmentId))?.message_id, taken[0]?.body.messageId);
    for (const { threadId } of threads) t.equal((await send(threadId, [])).status, 201, 'threads go on');
  });

  t.test('inbound messages have files too', async t => {
    const { channelId } = await node.channel(tenant);
    const attachmentId = await upload(Buffer.from('voice'), { mimeType: 'audio/ogg; codecs=opus' });
    const inbound = await node.inbound(tenant, channelId, {
      externalParticipantRef: 'ana',
      attachments: [{ kind: 'audio', attachmentId }],
    });
    t.match(inbound.body.attachments, [{ attachmentId, mimeType: 'audio/ogg; codecs=opus', sizeBytes: 5 }]);
    t.equal((await row(attachmentId))?.message_id, inbound.body.messageId);
  });

  t.test(
    'an attachment that is not here is 404, whoever owns it, and one that no message may name 422',
    async t => {
      const { threadId } = await node.thread(tenant);
      const pending = (await announce(3)).body.attachmentId;
      const foreign = await upload(Buffer.from('abc'), {}, outsider);
      const own = await upload(Buffer.from('abc'));
      const refused = async (attachment: object, wanted = 422) => {
        const { status, body } = await send(threadId, [attachment]);
        t.equal(status, wanted);
        return JSON.stringify(body.details);
      };
      const absent = await refused({ kind: 'image', attachmentId: newId('attachment') }, 404);
      t.match(absent, '"path":"/body/attachments/0/attachmentId"');
      t.equal(await refused({ kind: 'image', attachmentId: foreign }, 404), absent, 'foreign is absent');
      t.match(await refused({ kind: 'image', attachmentId: pending }), 'must name an uploaded file');
      t.match(await refused({ kind: 'video', attachmentId: own }), '"path":"/body/attachments/0/kind"');
      for (const attachmentId of [own, 'elsewhere']) {
        const storageKey = (await row(foreign))?.storage_key;
        const details = await refused({ kind: 'image', attachmentId, storageKey });
        t.match(details, '"path":"/body/attachments/0/storageKey"');
      }
      t.equal((await send(threadId, [{ kind: 'image', attachmentId: 'of-another-system' }])).status, 201);
      t.equal((await send(threadId, [{ kind: 'image', attachmentId: own }])).status, 201);
    },
  );

  t.test('scopes, tenants and limits', async t => {
    const attachmentId = await upload(Buffer.from('abc'));
    for (const bearer of [outsider.secret, outsider.token]) {
      t.equal((await link(attachmentId, bearer)).status, 404);
    }
    await node.production(tenant);
    const live = await node.getKey(tenant, ['*'], 'live');
    t.equal((await link(attachmentId, live)).status, 404, 'the other environment');
    const reader = await node.getKey(tenant, ['messages:read']);
    t.equal((await link(attachmentId, reader)).status, 200);
    const body = { projectId, filename: 'a', mimeType: 'a/b', sizeBytes: 1 };
    t.equal((await node.ask('createAttachment', reader, { body })).status, 403);
    t.equal((await node.ask('createAttachment', tenant.token, { body })).status, 201);
    for (const wrong of [
      { sizeBytes: 0 },
      { sizeBytes: 104_857_601 },
      { filename: '' },
      { filename: 'x'.repeat(257) },
      { mimeType: 'png' },
      { mimeType: 'text/html\r\nX-A: b' },
      { mimeType: 'a/b;' },
      { mimeType: `a/${'b'.repeat(127)}` },
    ]) {
      t.equal((await announce(1, wrong)).status, 422, JSON.stringify(wrong).slice(0, 40));
    }
    t.equal((await announce(104_857_600, { filename: 'x'.repeat(256) })).status, 201);
  });

  t.test('unused files are removed after a day, bytes first; files of messages stay', async t => {
    const pending = (await announce(3)).body;
    const loose = await upload(Buffer.from('loose'));
    const kept = await upload(Buffer.from('kept'));
    const { threadId } = await node.thread(tenant);
    await send(threadId, [{ kind: 'image', attachmentId: kept }]);
    const folder = join(node.mediaFolder, projectId, tenant.environmentId);
    t.ok((await readdir(folder)).includes(loose));

    const sweeper = new MediaSweeper({ database, media: node.media });
    await sweeper.sweep(Date.now() + 23 * hour);
    t.equal((await row(loose))?.status, 'stored', 'not yet');
    const stubborn = { remove: () => Promise.reject(new Error('the store is away')) };
    const failing = new MediaSweeper({ database, media: stubborn });
    await t.rejects(failing.sweep(Date.now() + 25 * hour), { cause: { message: 'the store is away' } });
    t.equal((await row(loose))?.status, 'erased', 'its row stays until the bytes are gone');
    t.equal((await link(loose)).status, 404);
    t.equal((await put(pending.uploadUrl, Buffer.from('abc'))).status, 404);
    t.equal((await send(threadId, [{ kind: 'image', attachmentId: loose }])).status, 422);

    await sweeper.sweep(Date.now() + 25 * hour);
    t.equal(await row(loose), undefined);
    t.equal(await row(pending.attachmentId), undefined);
    const left = await readdir(folder);
    t.notOk(left.includes(loose));
    t.ok(left.includes(kept));
    t.equal((await read(kept)).status, 200);
    const rows = await database.query<{ id: string }>(
      `select attachment_id as id from attachments where project_id = $1`,
      [projectId],
    );
    t.strictSame(
      left.sort(),
      rows.map(({ id }) => id).sort(),
      'every object has a row, and every row an object',
    );
  });
});
