/**
 * `npm run demo`: the main job, hop by hop, on a node of its own with an embedded PostgreSQL; then the node is killed in the
 * middle of a burst, and it is shown that nothing acknowledged was lost. Everything it makes is removed at the end.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { signUp } from './account.ts';
import { Api, type Message, type Page } from './api.ts';
import { Burst } from './burst.ts';
import { ConsoleStream } from './console-stream.ts';
import { display } from './display.ts';
import { Receiver } from './receiver.ts';
import { perform } from './perform.ts';
import { freePort, Server } from './server.ts';

const burstSize = 3_000;
const burstParticipants = 24;
const webhooksWithinMs = 120_000;

interface Setting {
  readonly server: Server;
  readonly receiver: Receiver;
  readonly stream: ConsoleStream;
  /** As the operator: the Studio session of whoever signed up. */
  readonly operator: Api;
  /** As the integrator: an API key. */
  readonly integrator: Api;
  readonly projectId: string;
  readonly channelId: string;
}

const since = (from: number): number => performance.now() - from;

async function setUp(server: Server, receiver: Receiver): Promise<Setting> {
  display.title('A node, from nothing');
  display.hop('node started, embedded PostgreSQL initialised', await server.start(), server.url);

  let from = performance.now();
  const { email, accessToken, api: operator, projectId, environmentId } = await signUp(server.url);
  display.hop('signed up: workspace, project and sandbox made', since(from), email);

  from = performance.now();
  const channel = await operator.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Demo channel',
    kind: 'custom',
  });
  display.hop('custom channel created', since(from), channel.channelId);

  from = performance.now();
  const key = await operator.post<{ secret: string; keyPrefix: string }>('/api-keys', {
    projectId,
    name: 'Demo key',
    environment: 'test',
    scopes: ['*'],
  });
  display.hop('API key created', since(from), `${key.keyPrefix}…`);
  const integrator = new Api(server.url, key.secret);

  from = performance.now();
  const webhookUrl = await receiver.listen();
  const created = await integrator.post<{ stitch: { stitchId: string }; secret: string }>('/stitches', {
    projectId,
    name: 'Demo stitch',
    webhookUrl,
  });
  receiver.secret = created.secret;
  display.hop('stitch created, pointing at a local receiver', since(from), created.stitch.stitchId);

  from = performance.now();
  const stream = new ConsoleStream(server.url, projectId, accessToken);
  await stream.open();
  display.hop('Console stream open', since(from));
  return { server, receiver, stream, operator, integrator, projectId, channelId: channel.channelId };
}

/** Shows an event's arrival on the stream and at the receiver, each with the time since its cause. */
async function showEvent(
  setting: Setting,
  from: number,
  eventName: string,
  messageId: string,
): Promise<void> {
  const isIt = (event: { eventName: string; data: Readonly<Record<string, unknown>> }): boolean =>
    event.eventName === eventName && (event.data['message'] as Message | undefined)?.messageId === messageId;
  const shown = await setting.stream.find(entry => isIt(entry.event));
  display.hop(`${eventName} on the Console stream`, shown.at - from, `seq ${shown.seq}`);
  await setting.receiver.until(events => events.has(shown.event.eventId), 30_000);
  const received = setting.receiver.events.get(shown.event.eventId);
  display.hop(`webhook delivered, signature verified`, (received?.at ?? 0) - from, shown.event.eventId);
}

async function conversation(setting: Setting): Promise<void> {
  const { integrator, operator, projectId, channelId } = setting;
  display.title('A message comes in and reaches everyone');
  let from = performance.now();
  const inbound = await integrator.post<Message>(
    `/channels/${channelId}/inbound-messages`,
    { projectId, externalParticipantRef: 'ada', body: 'Hello! Is my parcel on its way?' },
    randomBytes(8).toString('hex'),
  );
  display.hop('201: inbound message committed', since(from), inbound.messageId);
  await showEvent(setting, from, 'thread.message.received', inbound.messageId);

  display.title("The operator's answer goes out, and is read");
  from = performance.now();
  const reply = await operator.post<Message>(
    `/threads/${inbound.threadId}/messages`,
    { projectId, body: 'It is. You will have it tomorrow.' },
    randomBytes(8).toString('hex'),
  );
  display.hop(`201: reply committed, status ${reply.status ?? 'null'}`, since(from), reply.messageId);
  await showEvent(setting, from, 'thread.message.created', reply.messageId);
  const commands = await integrator.get<Page<{ eventId: string; eventName: string }>>(
    `/channels/${channelId}/commands?projectId=${projectId}`,
  );
  const [command] = commands.data;
  if (command === undefined) throw new Error('the channel got no command');
  display.hop(`channel command listed: ${command.eventName}`, since(from), command.eventId);
  from = performance.now();
  await integrator.post(`/channels/${channelId}/commands/${command.eventId}/ack`, undefined);
  display.hop('command acknowledged', since(from));
  for (const status of ['sent', 'delivered', 'read'] as const) {
    from = performance.now();
    const receipt = { projectId, messageId: reply.messageId, status, occurredAt: new Date().toISOString() };
    await integrator.post(`/channels/${channelId}/receipts`, receipt);
    const name = `channel.message.${status}`;
    const shown = await setting.stream.find(entry => entry.event.eventName === name);
    display.hop(`receipt: ${name}`, shown.at - from);
  }
  const message = await operator.get<Message>(
    `/threads/${inbound.threadId}/messages/${reply.messageId}?projectId=${projectId}`,
  );
  display.hop(`the message's status is ${message.status ?? 'null'}`);
}

async function killed(setting: Setting): Promise<void> {
  const { server, integrator, projectId, channelId } = setting;
  display.title(`${burstSize} messages, and SIGKILL in the middle`);
  const burst = new Burst(integrator, channelId, projectId, burstSize, burstParticipants);
  const show = display.progress('acknowledged', burstSize);
  let kill: Promise<void> | undefined;
  await burst.send(count => {
    show(count);
    if (count >= burstSize / 2) kill ??= server.kill();
  });
  display.breakLine();
  await kill;
  display.hop(
    `node killed after ${burst.acknowledged.length} answers, ${burst.unanswered.length} requests without one`,
  );
  setting.stream.close();
  display.hop('node started again on the same data', await server.start());

  let from = performance.now();
  await setting.stream.open();
  display.hop('Console stream resumed where it was', since(from));
  from = performance.now();
  const repeated = burst.unanswered.length;
  await burst.repeat();
  display.hop(`${repeated} unanswered requests repeated with their keys`, since(from));
  from = performance.now();
  await burst.send(show);
  display.hop('the rest of the burst sent', since(from), `${burst.acknowledged.length} acknowledged`);
  await verify(setting, burst);
}

/** What the demonstration promises; throws when any of it does not hold. */
async function verify(setting: Setting, burst: Burst): Promise<void> {
  const { operator, receiver, stream, projectId } = setting;
  display.title('Nothing acknowledged was lost, doubled or reordered');
  const threads = new Set(burst.acknowledged.map(({ message }) => message.threadId));
  const stored = new Map<string, Message>();
  for (const threadId of threads) {
    const messages = await operator.all<Message>(
      `/threads/${threadId}/messages?projectId=${projectId}&order=asc`,
    );
    for (const message of messages) stored.set(message.messageId, message);
    const bodies = new Set(messages.map(message => message.body));
    if (bodies.size !== messages.length) throw new Error(`thread ${threadId} holds a message twice`);
    const ordered = messages.every(
      (message, i) => i === 0 || message.sequence > (messages[i - 1]?.sequence ?? 0),
    );
    if (!ordered) throw new Error(`thread ${threadId} is out of order`);
  }
  const lost = burst.acknowledged.filter(({ message }) => !stored.has(message.messageId));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged messages are lost`);
  if (stored.size !== burst.acknowledged.length)
    throw new Error(`${stored.size} messages stored, not ${burst.acknowledged.length}`);
  display.hop(`${stored.size} messages acknowledged, ${stored.size} stored, each once and in order`);

  const from = performance.now();
  const show = display.progress('webhooks', stored.size);
  const arrived = (): number => {
    let count = 0;
    for (const { data } of receiver.events.values()) if (stored.has(data.message?.messageId ?? '')) count++;
    return count;
  };
  let shownAt = 0;
  await receiver.until(() => {
    if (receiver.events.size - shownAt < 50 && receiver.events.size < stored.size) return false;
    shownAt = receiver.events.size;
    const count = arrived();
    show(count);
    return count >= stored.size;
  }, webhooksWithinMs);
  display.hop(
    'every webhook arrived, signatures verified',
    since(from),
    `${receiver.repeats} repeated by the crash`,
  );
  if (receiver.refused > 0) throw new Error(`${receiver.refused} webhooks had a wrong signature`);
  const last = burst.acknowledged.at(-1)?.message.messageId;
  await stream.find(({ event }) => (event.data['message'] as Message | undefined)?.messageId === last);
  if (stream.disordered > 0)
    throw new Error(`the Console stream showed ${stream.disordered} events out of order`);
  display.hop(`${stream.events.length} events on the Console stream, each once and in order`);
}

async function demonstrate(): Promise<void> {
  const folder = await temporaryFolder('skein-demo-');
  const server = new Server(await freePort(), { DATA_DIR: folder, RATE_LIMITS: 'off' });
  const receiver = new Receiver();
  let setting: Setting | undefined;
  const demonstration = async (): Promise<void> => {
    setting = await setUp(server, receiver);
    await conversation(setting);
    await killed(setting);
    display.title('Done');
    display.note(
      'npm start runs the server alone; docs/guide/first-five-minutes.md shows how to use it with curl.',
    );
  };
  await perform(demonstration, async () => {
    setting?.stream.close();
    await server.stop();
    await receiver.close();
    await rm(folder, { recursive: true, force: true });
  });
}

await demonstrate();
