/** Connections by the thousand that say nothing, or little, or too much: messages and events pass all the same. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';
import { Line } from '../node/client.ts';
import { newKey, signUp } from '../node/tenant.ts';

const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url });
await node.start();
const line = new Line(node.url, t);
const { key, person, projectId, channelId } = await signUp(line);
const streamUrl = `ws://127.0.0.1:${node.port}/v1/console/projects/${projectId}/events/stream`;

/** Open files that a process may have here, less what else it needs. */
const room =
  Number(/Max open files +\d+ +(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]) - 1_000;

let messages = 0;
/** A message that is acknowledged; its text. */
async function write(): Promise<string> {
  const body = `message ${++messages}`;
  await key.get('createInboundMessage', {
    params: { channelId },
    body: { projectId, externalParticipantRef: 'ada', body },
  });
  return body;
}

async function open(): Promise<Socket> {
  const socket = connect(node.port, '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

t.test('10,000 connections that send nothing, or half of a head', async t => {
  // Fewer where the machine lets a process open fewer files.
  const count = Math.min(10_000, room);
  const sockets: Socket[] = [];
  while (sockets.length < count) sockets.push(...(await Promise.all(Array.from({ length: 250 }, open))));
  sockets.forEach((socket, i) => {
    if (i % 4 === 0) socket.write('POST /v1/studio/auth/login HTTP/1.1\r\nHost: a\r\nX-Slow: ');
  });
  await write();
  t.equal((await key.send('GET', '/readyz')).status, 200);
  // Nobody has to end them: the server does, by itself.
  await Promise.all(
    sockets.filter(({ destroyed }) => !destroyed).map(socket => once(socket.resume(), 'close')),
  );
  await write();
});

/** A Console socket that has resumed, and notes the texts of the messages that it is shown. */
async function follow(bearer: string | undefined): Promise<{ socket: WebSocket; seen: string[] }> {
  const socket = new WebSocket(streamUrl, { headers: { authorization: `Bearer ${bearer ?? ''}` } });
  t.teardown(() => socket.terminate());
  const seen: string[] = [];
  const resumed = new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.on('message', data => {
      const frame = JSON.parse(String(data as Buffer)) as {
        readonly type: string;
        readonly event?: {
          readonly eventName: string;
          readonly data: { readonly message: { body: string } };
        };
      };
      if (frame.type === 'resumed') resolve();
      if (frame.event?.eventName === 'thread.message.received') seen.push(frame.event.data.message.body);
    });
  });
  await once(socket, 'open');
  socket.send('{"type":"resume"}');
  await resumed;
  return { socket, seen };
}

/** Resolves with the code that the socket is closed with. */
const closed = async (socket: WebSocket): Promise<number> => {
  const [code] = (await once(socket, 'close')) as [number];
  return code;
};

t.test('sockets that flood the Console stream', async t => {
  const honest = await follow(person.bearer);
  const expected: string[] = [];
  const isServed = async (name: string): Promise<void> => {
    expected.push(await write());
    while (honest.seen.length < expected.length) await once(honest.socket, 'message');
    t.same(honest.seen, expected, name);
  };
  const flooder = (await newKey(person, projectId)).key.bearer;

  const talkative = await follow(flooder);
  const end = closed(talkative.socket);
  for (let i = 0; i < 10_000; i++) talkative.socket.send('{"type":"ping"}');
  await isServed('more frames than any client needs');
  t.equal(await end, 1008);

  const lengthy = await follow(flooder);
  const ended = closed(lengthy.socket);
  lengthy.socket.send(`{"type":"resume","epoch":"${'a'.repeat(10_000_000)}"}`);
  await isServed('a frame of 10 MB');
  t.ok([1006, 1009].includes(await ended));

  const pinging = await follow(flooder);
  pinging.socket.pause();
  for (let i = 0; i < 50_000; i++) pinging.socket.ping('a'.repeat(125));
  await isServed('pings by the thousand whose pongs are not read');
  pinging.socket.terminate();

  // Pieces of one frame that never ends.
  const endless = await follow(flooder);
  for (let i = 0; i < 10_000; i++) endless.socket.send('a', { fin: false });
  await isServed('a frame in 10,000 pieces');
  endless.socket.terminate();

  const many = Array.from(
    { length: 500 },
    () => new WebSocket(streamUrl, { headers: { authorization: `Bearer ${flooder ?? ''}` } }),
  );
  const outcomes = await Promise.all(
    many.map(
      socket =>
        new Promise<string>(resolve => {
          socket.on('open', () => resolve('open'));
          socket.on('error', ({ message }) => resolve(message));
        }),
    ),
  );
  await isServed('500 sockets of one key at once');
  t.ok(outcomes.some(outcome => outcome === 'Unexpected server response: 429'));
  for (const socket of many) socket.terminate();
  await isServed('and after they are gone');
});

t.test('the node has no fault to report', async t => {
  t.equal((await key.send('GET', '/readyz')).status, 200);
  t.same(
    node.lines.filter(({ level }) => level >= 50),
    [],
  );
});
