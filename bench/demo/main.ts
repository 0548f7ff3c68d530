/**
 * `npm run demo`: the main job, step by step, on a node of its own with an embedded PostgreSQL. Then the node is killed in the
 * middle of a burst, and the demonstration checks that no acknowledged message was lost.
 */
import { randomUUID } from 'node:crypto';
import type { Endings } from '../support/endings.ts';
import { createApiKey, createChannel, signUp } from './account.ts';
import { Api, ApiError, type Message, type Page } from './api.ts';
import { ConsoleStream } from './console-stream.ts';
import { display, since } from './display.ts';
import { perform, startNode } from './perform.ts';
import { Receiver } from './endpoint.ts';
import type { Server } from './server.ts';

const burstSize = 3_000;
const burstParticipants = 24;
const webhooksWithinMs = 120_000;

interface Setting {
  readonly server: Server;
  readonly receiver: Receiver;
  readonly stream: ConsoleStream;
  /** Calls as the operator, by a Studio session. */
  readonly operator: Api;
  /** Calls as the integrator, by an API key. */
  readonly integrator: Api;
  readonly projectId: string;
  readonly channelId: string;
}

async function setUp(endings: Endings): Promise<Setting> {
  display.title('A node, from nothing');
  const { server } = await startNode(endings);
  const { accessToken, api, projectId, environmentId } = await display.step(
    'signed up: workspace, project and sandbox made',
    signUp(server.url),
    ({ email }) => email,
  );
  const channelId = await display.step(
    'custom channel created',
    createChannel(api, { projectId, environmentId }, 'Demo channel'),
    id => id,
  );
  const apiKey = await display.step('API key created', createApiKey(api, projectId, 'Demo key'));
  const integrator = new Api(server.url, apiKey);

  const receiver = new Receiver();
  endings.teardown(() => receiver.close());
  const stitch = { projectId, name: 'Demo stitch', webhookUrl: await receiver.listen() };
  const { secret } = await display.step(
    'stitch created, pointing at a local receiver',
    integrator.post<{ stitch: { stitchId: string }; secret: string }>('/stitches', stitch),
    created => created.stitch.stitchId,
  );
  receiver.secret = secret;

  const stream = new ConsoleStream(server.url, projectId, accessToken);
  endings.teardown(() => Promise.resolve(stream.close()));
  await display.step('Console stream open', stream.open());
  return { server, receiver, stream, operator: api, integrator, projectId, channelId };
}

/** Shows when an event arrives on the stream and at the receiver. `from`: its cause. */
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
    randomUUID(),
  );
  display.hop('201: inbound message committed', since(from), inbound.messageId);
  await showEvent(setting, from, 'thread.message.received', inbound.messageId);

  display.title("The operator's answer goes out, and is read");
  from = performance.now();
  const reply = await operator.post<Message>(
    `/threads/${inbound.threadId}/messages`,
    { projectId, body: 'It is. You will have it tomorrow.' },
    randomUUID(),
  );
  display.hop(`201: reply committed, status ${reply.status ?? 'null'}`, since(from), reply.messageId);
  await showEvent(setting, from, 'thread.message.created', reply.messageId);
  const commands = await integrator.get<Page<{ eventId: string; eventName: string }>>(
    `/channels/${channelId}/commands?projectId=${projectId}`,
  );
  const [command] = commands.data;
  if (command === undefined) throw new Error('the channel got no command');
  display.hop(`channel command listed: ${command.eventName}`, since(from), command.eventId);
  const ack = `/channels/${channelId}/commands/${command.eventId}/ack`;
  await display.step('command acknowledged', integrator.post(ack, undefined));
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

interface Sent {
  readonly key: string;
  readonly body: Readonly<Record<string, string>>;
}

/** Messages from many participants, each with one message in flight, as in a busy channel. */
class Burst {
  /** Answered 201: each must be stored exactly once. */
  readonly acknowledged: Message[] = [];
  /** Without an answer: sent again with the same key, as a client should. */
  readonly unanswered: Sent[] = [];
  readonly #api: Api;
  readonly #path: string;
  readonly #projectId: string;
  #next = 0;

  constructor(api: Api, path: string, projectId: string) {
    this.#api = api;
    this.#path = path;
    this.#projectId = projectId;
  }

  /** Sends until all are sent or the node is gone. */
  async send(onProgress: (acknowledged: number) => void): Promise<void> {
    let gone = false;
    const participant = async (index: number): Promise<void> => {
      while (!gone && this.#next < burstSize) {
        const message = { externalParticipantRef: `burst-${index}`, body: `message ${++this.#next}` };
        const sent = { key: randomUUID(), body: { projectId: this.#projectId, ...message } };
        try {
          await this.#send(sent);
          onProgress(this.acknowledged.length);
        } catch (error) {
          if (error instanceof ApiError && error.status < 500) throw error;
          gone = true;
          this.unanswered.push(sent);
        }
      }
    };
    await Promise.all(Array.from({ length: burstParticipants }, (_, index) => participant(index)));
  }

  /** Repeats the unanswered requests with their keys. */
  async repeat(): Promise<void> {
    for (const sent of this.unanswered.splice(0)) await this.#send(sent);
  }

  async #send({ key, body }: Sent): Promise<void> {
    this.acknowledged.push(await this.#api.post<Message>(this.#path, body, key));
  }
}

async function killed(setting: Setting): Promise<void> {
  const { server, integrator, projectId, channelId } = setting;
  display.title(`${burstSize} messages, and SIGKILL in the middle`);
  const burst = new Burst(integrator, `/channels/${channelId}/inbound-messages`, projectId);
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

  await display.step('Console stream resumed where it was', setting.stream.open());
  const repeated = `${burst.unanswered.length} unanswered requests repeated with their keys`;
  await display.step(repeated, burst.repeat());
  await display.step(
    'the rest of the burst sent',
    burst.send(show),
    () => `${burst.acknowledged.length} acknowledged`,
  );
  await verify(setting, burst);
}

/** Checks the promises of the demonstration. Throws when one does not hold. */
async function verify(setting: Setting, burst: Burst): Promise<void> {
  const { operator, receiver, stream, projectId } = setting;
  display.title('Nothing acknowledged was lost, doubled or reordered');
  const threads = new Set(burst.acknowledged.map(({ threadId }) => threadId));
  const stored = new Map<string, Message>();
  for (const threadId of threads) {
    const messages = await operator.all<Message>(
      `/threads/${threadId}/messages?projectId=${projectId}&order=asc`,
    );
    for (const message of messages) stored.set(message.messageId, message);
    const bodies = new Set(messages.map(message => message.body));
    if (bodies.size !== messages.length) throw new Error(`thread ${threadId} holds a message twice`);
    const sequences = messages.map(({ sequence }) => sequence);
    if (!sequences.every((each, i) => i === 0 || each > (sequences[i - 1] ?? 0)))
      throw new Error(`thread ${threadId} is out of order`);
  }
  const lost = burst.acknowledged.filter(({ messageId }) => !stored.has(messageId));
  if (lost.length > 0) throw new Error(`${lost.length} acknowledged messages are lost`);
  if (stored.size !== burst.acknowledged.length)
    throw new Error(`${stored.size} messages stored, not ${burst.acknowledged.length}`);
  display.hop(`${stored.size} messages acknowledged, ${stored.size} stored, each once and in order`);

  const from = performance.now();
  const show = display.progress('webhooks', stored.size);
  let shownAt = 0;
  await receiver.until(() => {
    const { size } = receiver.events;
    if (size - shownAt < 50 && size < stored.size) return false;
    shownAt = size;
    const events = [...receiver.events.values()];
    const arrived = events.filter(({ data }) => stored.has(data.message?.messageId ?? '')).length;
    show(arrived);
    return arrived >= stored.size;
  }, webhooksWithinMs);
  display.hop(
    'every webhook arrived, signatures verified',
    since(from),
    `${receiver.repeats} repeated by the crash`,
  );
  if (receiver.refused > 0) throw new Error(`${receiver.refused} webhooks had a wrong signature`);
  const last = burst.acknowledged.at(-1)?.messageId;
  await stream.find(({ event }) => (event.data['message'] as Message | undefined)?.messageId === last);
  if (stream.disordered > 0)
    throw new Error(`the Console stream showed ${stream.disordered} events out of order`);
  display.hop(`${stream.events.length} events on the Console stream, each once and in order`);
}

await perform(async endings => {
  const setting = await setUp(endings);
  await conversation(setting);
  await killed(setting);
  display.title('Done');
  display.note(
    'npm start runs the server alone; docs/guide/first-five-minutes.md shows how to use it with curl.',
  );
});
