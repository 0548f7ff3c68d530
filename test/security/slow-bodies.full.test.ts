/** A stranger who sends or reads slowly holds up nobody else: no upload, no download, no login, no message. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import type { AttachmentLink, AttachmentUpload } from '../../protocol/resources/attachment.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';

const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, TRUSTED_PROXIES: '1', INSECURE: 'true' });
await node.start();
const line = new Line(node.url, t);
const { key, projectId, channelId } = await signUp(line);

/** Sends the beginning of a request, and then nothing more. */
async function sendSlowly(head: string, body: string): Promise<Socket> {
  const socket = connect(node.port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(`${head}\r\nHost: a\r\nContent-Type: application/json\r\n\r\n${body}`);
  return socket;
}

/** The status of the first answer. */
async function getStatus(socket: Socket): Promise<number> {
  let text = '';
  for await (const piece of socket) {
    text += String(piece as Buffer);
    if (text.includes('\r\n')) break;
  }
  return Number(text.split(' ')[1]);
}

async function isServed(): Promise<void> {
  const login = await fetch(`${node.url}/v1/studio/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'nobody@example.com', password: 'not a password' }),
  });
  t.equal(login.status, 401, 'a login is looked at');
  await key.get('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body: 'hello' },
  });
}

t.test('100 slow uploads to addresses that nobody has given out', async t => {
  const sockets = await Promise.all(
    Array.from({ length: 100 }, () => sendSlowly('PUT /media/x HTTP/1.1\r\nContent-Length: 4000000', 'a')),
  );
  await isServed();
  for (const socket of sockets) t.equal(await getStatus(socket), 401);
});

t.test('400 slow bodies of 600 KB without a credential', async t => {
  const sockets = await Promise.all(
    Array.from({ length: 400 }, () =>
      sendSlowly('POST /v1/workspaces HTTP/1.1\r\nContent-Length: 1000000', 'a'.repeat(600_000)),
    ),
  );
  await isServed();
  const statuses = await Promise.all(sockets.map(getStatus));
  t.ok(
    statuses.every(status => status === 401 || status === 429 || Number.isNaN(status)),
    statuses.join(' '),
  );
});

t.test('100 downloads of one file that nobody reads', async t => {
  // More than the system takes of a file before its client reads.
  const bytes = randomBytes(16_000_000);
  const upload = async (file: Buffer): Promise<string> => {
    const { attachmentId, uploadUrl } = await key.get<AttachmentUpload>('createAttachment', {
      body: { projectId, filename: 'a.bin', mimeType: 'application/octet-stream', sizeBytes: file.length },
    });
    t.equal((await fetch(uploadUrl, { method: 'PUT', body: file })).status, 204, 'an upload is taken');
    const link = await key.get<AttachmentLink>('getAttachmentUrl', { params: { attachmentId } });
    return link.url;
  };
  const large = await upload(bytes);
  const { pathname, search } = new URL(large);
  const sockets = await Promise.all(
    Array.from({ length: 100 }, () => sendSlowly(`GET ${pathname}${search} HTTP/1.1`, '')),
  );
  const statuses = await Promise.all(
    sockets.map(async socket => {
      const [piece] = (await once(socket, 'data')) as [Buffer];
      socket.pause();
      return Number(String(piece.subarray(0, 12)).split(' ')[1]);
    }),
  );
  t.equal(statuses.filter(status => status === 200).length, 64);
  t.equal(statuses.filter(status => status === 503).length, 36);
  await isServed();
  const small = await upload(Buffer.from('abc'));
  const other = { headers: { 'X-Forwarded-For': '192.0.2.1' } };
  t.equal(await (await fetch(small, other)).text(), 'abc', 'another client downloads');
  for (const socket of sockets) socket.destroy();
});
