/** `skein listen` beside a stitch, over kills of the node and of itself, to the end of its key, and on servers of other versions. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import { WebSocketServer } from 'ws';
import { receiverTest } from '../../support/certificates.ts';
import { eventually } from '../../support/eventually.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NodeProcess } from '../../support/node-process.ts';
import {
  answer,
  hasValidSignature,
  hasValidStandardSignature,
  Receiver,
  type Received,
} from '../../support/receiver.ts';
import { createSdkAccount, type SdkAccount } from '../sdk/sdk-account.ts';
import { Cli } from './cli.ts';

const cli = await Cli.make(t);
const { url } = await startTestDatabase(t);
const node = await NodeProcess.make(t, { DATABASE_URL: url, ALLOW_PRIVATE_ADDRESSES: 'true' });
await node.start();

async function startReceiver(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

async function makeAccount(): Promise<{ account: SdkAccount; env: Record<string, string> }> {
  const account = await createSdkAccount(node.url, { maxRetries: 20 });
  return { account, env: { SKEIN_API_KEY: account.apiKey, SKEIN_BASE_URL: node.url } };
}

function say({ skein, channelId }: SdkAccount, ref: string, body: string) {
  return skein.channels.receive(channelId, { externalParticipantRef: ref, body });
}

/** The number in the thread, by thread, in the order of arrival. */
function readSequences(received: readonly Received[]): Map<string, number[]> {
  const threads = new Map<string, number[]>();
  for (const { body } of received) {
    const { threadId, sequence } = JSON.parse(body).data as { threadId?: string; sequence?: number };
    if (threadId === undefined || sequence === undefined) continue;
    threads.set(threadId, [...(threads.get(threadId) ?? []), sequence]);
  }
  return threads;
}

t.test(
  'what it forwards is to the byte what a stitch delivers, signed alike with its own secret',
  async t => {
    const { account, env } = await makeAccount();
    const [stitched, local] = [await startReceiver(t), await startReceiver(t)];
    await account.skein.stitches.create({
      name: 'Beside',
      webhookUrl: stitched.url('/hook'),
      eventNames: ['thread.*'],
    });
    const secret = (await cli.ok(t, ['listen', '--print-secret'], { env })).trim();
    const args = [
      'listen',
      '--forward-to',
      `${local.port}/hook`,
      '--events',
      'thread.*',
      '--header',
      'X-From: skein',
    ];
    const listen = cli.start(args, { env });
    await listen.printed('Connected');
    for (let number = 1; number <= 10; number++)
      await say(account, `customer-${number % 3}`, `Grüße ${number} \u{1f44b} "\\`);
    await stitched.arrived(16);
    await local.arrived(16);
    const { stdout } = await listen.end();
    const byId = (received: readonly Received[]) =>
      new Map(received.map(each => [String(each.headers['service-event-id']), each.body]));
    t.strictSame(new Map([...byId(local.received)].sort()), new Map([...byId(stitched.received)].sort()));
    for (const each of local.received) {
      t.ok(hasValidSignature(each, secret) && hasValidStandardSignature(each, secret));
      t.match(each, {
        path: '/hook',
        headers: { 'x-from': 'skein', 'user-agent': stitched.received[0]?.headers['user-agent'] },
      });
    }
    const names = (received: readonly Received[]) =>
      Object.keys(received[0]?.headers ?? {})
        .filter(name => name !== 'x-from')
        .sort();
    t.strictSame(names(local.received), names(stitched.received));
    t.match(stdout, /^\d\d:\d\d:\d\d {2}204 {2}thread\.message\.received {6,}evt_\w+ {2}\d+ ms$/m);
    t.equal((await cli.ok(t, ['listen', '--print-secret'], { env })).trim(), secret, 'made once');
  },
);

t.test('over a kill of the node and of itself: nothing is lost, each thread is in order', async t => {
  const { account, env } = await makeAccount();
  const local = await startReceiver(t);
  const args = ['listen', '--forward-to', local.url(), '--events', 'thread.message.received'];
  let listen = cli.start(args, { env });
  await listen.printed('Connected');
  for (let number = 1; number <= 60; number++) {
    const said = say(account, `customer-${number % 4}`, `message ${number}`);
    if (number === 20) {
      listen.child.kill('SIGKILL');
      await listen.ended;
    }
    if (number === 30) listen = cli.start(args, { env });
    if (number === 39) await listen.printed('Connected');
    if (number === 40) await node.kill().then(() => node.start());
    await said;
  }
  const seen = () => new Set(local.received.map(({ body }) => JSON.parse(body).data.message.body as string));
  await eventually('message forwarded', async () => seen().size === 60);
  const { code } = await listen.end('SIGTERM');
  t.equal(code, 143);
  for (const [threadId, sequences] of readSequences(local.received)) {
    // After the kill the last ones may come again, in their order.
    const first = [...new Set(sequences)];
    t.strictSame(
      first,
      [...first].sort((a, b) => a - b),
      threadId,
    );
  }
  await say(account, 'customer-1', 'while nobody listens');
  listen = cli.start(args, { env });
  await eventually('message forwarded', async () => seen().has('while nobody listens'));
  await listen.end();
});

t.test('an address that fails holds its thread alone, and is tried again', async t => {
  const { account, env } = await makeAccount();
  const local = await startReceiver(t);
  let failures = 1;
  local.behaviour = (request, response) => {
    const isFailing = request.body.includes('first') && failures-- > 0;
    answer(isFailing ? 500 : 204)(request, response);
  };
  const args = [
    'listen',
    '--forward-to',
    local.url(),
    '--events',
    'thread.message.*',
    '--retries',
    '3',
    '--json',
  ];
  const listen = cli.start(args, { env });
  await listen.printed('Connected');
  await say(account, 'customer-1', 'first');
  await say(account, 'customer-1', 'second');
  await say(account, 'customer-2', 'other');
  await local.arrived(4);
  const { stdout } = await listen.end();
  const lines = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { status: number; attempt: number });
  t.strictSame(lines.filter(({ status }) => status === 500).length, 1);
  const bodies = local.received.map(({ body }) => JSON.parse(body).data.message.body as string);
  t.strictSame(
    bodies.filter(body => body !== 'other'),
    ['first', 'first', 'second'],
  );
  t.ok(bodies.indexOf('other') < 3, 'the other thread did not wait');
});

t.test('a key that is revoked in the middle of the stream ends it: exit 4', async t => {
  const { account, env } = await makeAccount();
  const tail = cli.start(['tail'], { env });
  await tail.printed('Following');
  await account.studio.apiKeys.revoke(account.apiKeyId);
  t.match(await tail.ended, { code: 4, stderr: /svc\/auth\/invalid_api_key[^]*skein login/ });
});

/** A server of another version: the answers by path, the frames of its stream, and how far its clock is ahead. */
async function startOther(
  t: Test,
  answers: Readonly<Record<string, object>>,
  frames: readonly object[],
  clockMs = 0,
): Promise<string> {
  const server: Server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const found = answers[path];
    response.writeHead(found === undefined ? 404 : 200, {
      'content-type': 'application/json',
      date: new Date(Date.now() + clockMs).toUTCString(),
    });
    response.end(
      JSON.stringify(
        found ?? { error: 'svc/runtime/not_found', message: 'There is nothing.', requestId: 'req_1' },
      ),
    );
  });
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', socket =>
    socket.on('message', () => frames.forEach(frame => socket.send(JSON.stringify(frame)))),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    sockets.clients.forEach(socket => socket.terminate());
    sockets.close();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const event = {
  eventId: 'evt_1',
  eventName: 'thread.reaction.added',
  occurredAt: '2027-01-01T00:00:00.000Z',
  apiVersion: '2027-01-01',
  projectId: 'prj_1',
  data: { environmentId: 'env_1', threadId: 'thread_1', reaction: { emoji: '+1' } },
  later: [1],
};
const frames = [
  { type: 'resumed', epoch: 'one', seq: 1, later: true },
  { type: 'weather', temperature: 12 },
  { type: 'event', seq: 2, event },
];

t.test(
  'a stream that does not go back so far: the rest comes from the list of events, in its order',
  async t => {
    const later = ['evt_3', 'evt_2'].map(eventId => ({ ...event, eventId }));
    const answers = { '/v1/events': { data: later, nextCursor: null, hasMore: false } };
    const current: object[] = [...frames];
    const baseUrl = await startOther(t, answers, current);
    const local = await startReceiver(t);
    const env = {
      SKEIN_API_KEY: 'svc_test_1',
      SKEIN_BASE_URL: baseUrl,
      SKEIN_PROJECT_ID: 'prj_1',
      SKEIN_ENVIRONMENT_ID: 'env_reset',
    };
    const args = ['listen', '--forward-to', local.url()];
    const first = cli.start(args, { env });
    await first.printed('evt_1');
    await first.end();
    current.splice(
      0,
      Infinity,
      // Twice in a row: what the list had is not forwarded again.
      { type: 'reset', epoch: 'one', seq: 9, reason: 'expired' },
      { type: 'reset', epoch: 'one', seq: 9, reason: 'expired' },
      // It has happened while the list was read, which had it, too.
      { type: 'event', seq: 10, event: { ...event, eventId: 'evt_3' } },
      { type: 'event', seq: 11, event: { ...event, eventId: 'evt_4' } },
    );
    const second = cli.start(args, { env });
    await local.arrived(4);
    t.match((await second.end()).stderr, /does not go back[^]*2 events since 2027-[^]*0 events since 2027-/);
    t.strictSame(
      local.received.map(({ headers }) => headers['service-event-id']),
      ['evt_1', 'evt_2', 'evt_3', 'evt_4'],
    );
  },
);

t.test('a newer server: events, fields and frames that nobody knows yet pass', async t => {
  const caller = {
    type: 'api_key',
    projectId: 'prj_1',
    environmentId: 'env_1',
    environmentKind: 'moon',
    scopes: ['new:scope'],
    expiresAt: null,
    apiKey: null,
    user: null,
    later: 1,
  };
  const baseUrl = await startOther(
    t,
    { '/v1/caller': caller, '/v1/openapi.json': { info: { version: '2027-01-01' } } },
    frames,
  );
  const local = await startReceiver(t);
  const env = { SKEIN_API_KEY: 'svc_test_1', SKEIN_BASE_URL: baseUrl };
  const listen = cli.start(['listen', '--forward-to', local.url()], { env });
  await local.arrived(1);
  await listen.end();
  t.equal(local.received[0]?.body, JSON.stringify(event));
  const tail = cli.start(['tail', '--json'], { env });
  await tail.printed('evt_1');
  t.strictSame(JSON.parse((await tail.end()).stdout), event);
  const doctor = await cli.run(['doctor', '--json'], { env });
  t.match(
    doctor.stdout,
    /"check":"contract","result":"note","detail":"the server has 2027-01-01, which is newer/,
  );
});

t.test('an older server, which does not say who a key is, and whose clock is 10 minutes ahead', async t => {
  const answers = { '/v1/openapi.json': { info: { version: '2026-01-01' } } };
  const baseUrl = await startOther(t, answers, frames, 600_000);
  const local = await Receiver.start({ tls: receiverTest });
  t.teardown(() => local.stop());
  const env = {
    SKEIN_API_KEY: 'svc_test_1',
    SKEIN_BASE_URL: baseUrl,
    SKEIN_PROJECT_ID: 'prj_1',
    SKEIN_ENVIRONMENT_ID: 'env_1',
  };
  const args = ['listen', '--forward-to', local.url()];
  const suspicious = cli.start(args, { env });
  await suspicious.printed(/CERT|SELF_SIGNED|UNABLE_TO/);
  t.equal(local.received.length, 0, 'a certificate that nobody vouches for');
  await suspicious.end();
  const listen = cli.start([...args, '--skip-verify', '--from', '1'], { env });
  await local.arrived(1);
  await listen.end();
  const { code, stdout } = await cli.run(['doctor'], { env });
  t.equal(code, 1);
  t.match(stdout, /^note +contract +the server has 2026-01-01, which is older/m);
  t.match(stdout, /^failed +clock +(599|600) s behind the server/m);
});
