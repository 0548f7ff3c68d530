/** A node that cannot take a webhook says so by 503, and the provider brings it again: nothing tells the provider to send less. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import t from 'tap';
import { startChatapp } from '../gateway/handlers/chatapp-fixture.ts';
import { createPayload, type PhoneNumber, sign, writeJson } from '../support/chatapp-provider/index.ts';
import { eventually } from '../support/eventually.ts';

// With the usual limits: webhooks have none.
const { provider, database, skein, app, connected } = await startChatapp(t, { RATE_LIMITS: '{}' });

const ada = { phone: '15550100' };
const countMessages = async (channelId: string): Promise<number> =>
  (await database.query('select from messages where channel_id = $1', [channelId])).length;

function compose(number: PhoneNumber, body: string): string {
  const messages = provider.compose(number, ada, { type: 'text', text: { body } });
  return writeJson(createPayload(number, { messages }));
}

/** A webhook of which the beginning has arrived. */
async function begin(channelId: string, body: string): Promise<Socket> {
  const socket = connect(Number(new URL(skein.url).port), '127.0.0.1').on('error', () => undefined);
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  const signature = `X-Hub-Signature-256: ${sign(body, app.secret)}`;
  const length = Buffer.byteLength(body);
  const head = `POST /v1/channels/${channelId}/chatapp/webhook HTTP/1.1\r\nHost: a\r\n${signature}\r\nContent-Length: ${length}`;
  socket.write(`${head}\r\n\r\n${body.slice(0, 10)}`);
  return socket;
}

/** Requests whose answer is not out. */
async function countInFlight(): Promise<number> {
  const metrics = await (await fetch(`${skein.url}/metrics`)).text();
  return Number(/^skein_http_in_flight (\d+)$/m.exec(metrics)?.[1]);
}

async function readAnswer(socket: Socket): Promise<string> {
  const [piece] = (await once(socket, 'data')) as [Buffer];
  return piece.toString();
}

t.test('more bodies that come slowly than a node takes of one address', async t => {
  const { channelId, number } = await connected();
  const body = compose(number, 'Slow');
  const slow = await Promise.all(Array.from({ length: 512 }, () => begin(channelId, body)));
  // The question is one of them.
  await eventually('bodies', async () => (await countInFlight()) === slow.length + 1);
  const refused = await begin(channelId, body);
  await eventually('another', async () => (await countInFlight()) === slow.length + 2);
  const answer = readAnswer(refused);
  refused.write(body.slice(10));
  t.match(await answer, /^HTTP\/1\.1 503 [^]*\r\nretry-after: [1-9]\d*\r\n[^]*svc\/runtime\/unavailable/i);
  const [first] = slow;
  if (first === undefined) throw new Error('there is none');
  first.write(body.slice(10));
  t.match(await readAnswer(first), /^HTTP\/1\.1 200 /, 'those that it has begun to take are taken');
  for (const socket of slow) socket.destroy();
  await eventually('message', async () => (await countMessages(channelId)) === 1);
});

t.test('a database that has no room: the webhook is refused, comes again, and is taken', async t => {
  const { channelId, number } = await connected();
  await database.query(
    `create function refuse() returns trigger language plpgsql as $$ begin raise 'full' using errcode = 'disk_full'; end $$`,
  );
  await database.query(
    'create trigger refuse before insert on chatapp_webhooks for each statement execute function refuse()',
  );
  const { deliveries } = provider;
  const body = compose(number, 'Hello');
  const url = `${skein.url}/v1/channels/${channelId}/chatapp/webhook`;
  const headers = { 'x-hub-signature-256': sign(body, app.secret) };
  const refused = await fetch(url, { method: 'POST', headers, body });
  t.equal(refused.status, 503);
  t.match(refused.headers.get('retry-after'), /^[1-9]/);
  t.match(await refused.json(), { error: 'svc/runtime/unavailable' });
  const delivered = deliveries.deliver(url, body, app.secret);
  await eventually('another', () =>
    Promise.resolve(deliveries.attempts.some(({ status }) => status === 503)),
  );
  await database.query('drop trigger refuse on chatapp_webhooks');
  t.match(await delivered, { delivered: true });
  await eventually('message', async () => (await countMessages(channelId)) === 1);
  t.notOk(
    deliveries.attempts.some(({ status }) => status === 429),
    'never',
  );
});
