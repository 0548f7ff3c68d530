/** A stranger who sends slowly holds up nobody else: no upload, no login, no message. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line } from '../node/client.ts';
import { signUp } from '../node/tenant.ts';

const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url });
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
