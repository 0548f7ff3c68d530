/** Shared by the scenes of the demonstration: a node, a provider, and a channel that connects them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  ChatappProvider,
  Delivery,
  Json,
  Participant,
  SentMessage,
  Status,
} from '../../../test/support/chatapp-provider/index.ts';
import { type Api, ApiError, type Message, type Page } from '../api.ts';
import type { ConsoleStream, StreamEvent } from '../console-stream.ts';
import { display, since } from '../display.ts';
import type { Server } from '../server.ts';
import { type Business, connectChannel } from './business.ts';

export interface Setting {
  readonly server: Server;
  readonly provider: ChatappProvider;
  readonly business: Business;
  readonly stream: ConsoleStream;
  readonly api: Api;
  readonly projectId: string;
  readonly channelId: string;
  /** The provider's app, as Skein knows it. */
  readonly partnerAppCredentialId: string;
}

const seenWithinMs = 60_000;

/** Rejects where it takes so long that the demonstration has failed. */
async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  const over = new AbortController();
  const late = pause(seenWithinMs, undefined, over).then(() => {
    throw new Error(`no ${what} within ${seenWithinMs} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

/** The first event of that name from `from` on that passes the test. */
function next(
  { stream }: Setting,
  name: string,
  from: number,
  test: (data: Readonly<Record<string, unknown>>) => boolean = () => true,
): Promise<StreamEvent> {
  const isIt = ({ at, event }: StreamEvent): boolean =>
    at >= from && event.eventName === name && test(event.data);
  return inTime(stream.find(isIt), name);
}

const getMessage = ({ event }: StreamEvent): Message => event.data['message'] as Message;

/** A participant writes; gives the message once its thread has it. */
async function write(setting: Setting, by: Participant, message: Json): Promise<Message> {
  const { provider, business } = setting;
  const from = performance.now();
  const { id } = await provider.write(business.number, by, message);
  const isIt = (data: Readonly<Record<string, unknown>>): boolean =>
    (data['message'] as { readonly externalMessageId?: unknown }).externalMessageId === id;
  const received = await next(setting, 'thread.message.received', from, isIt);
  const name = by.name ?? by.phone;
  display.hop(`${name} writes; webhook answered 200, then processed`, received.at - from);
  display.note(`${name}: ${getMessage(received).body}`);
  return getMessage(received);
}

/** The business answers: gives the message. */
function answer(setting: Setting, threadId: string, body: string): Promise<Message> {
  const { api, projectId } = setting;
  display.note(`business: ${body}`);
  return api.post<Message>(`/threads/${threadId}/messages`, { projectId, body }, randomUUID());
}

/** Calls the provider's next acceptance; resolves with the message that it took. */
function accepted({ provider }: Setting): Promise<SentMessage> {
  const taken = new Promise<SentMessage>(resolve => {
    provider.messages.accepted = resolve;
  });
  return inTime(taken, 'message at the provider');
}

/** A PNG of one point. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const dayMs = 24 * 3_600_000;
/** Milliseconds that are left of the service window when a participant writes late. */
const leftMs = 5_000;

interface Attachment {
  readonly attachmentId: string;
  readonly status?: string;
}

const getAttachment = (message: Message): Attachment | undefined =>
  (message as Message & { readonly attachments: readonly Attachment[] }).attachments[0];

/** The provider reports what became of a message, in turn. */
async function report(
  setting: Setting,
  sent: SentMessage,
  messageId: string,
  statuses: readonly Status[],
): Promise<void> {
  for (const status of statuses) {
    const from = performance.now();
    await setting.provider.report(sent, status);
    // That it was sent is known since the provider has taken it.
    if (status === 'sent') continue;
    const isIt = (data: Readonly<Record<string, unknown>>): boolean =>
      (data['message'] as Message).messageId === messageId;
    const shown = await next(setting, `channel.message.${status}`, from, isIt);
    display.hop(`receipt: channel.message.${status}`, shown.at - from);
  }
}

export async function pictureAndAnswer(setting: Setting): Promise<void> {
  display.title('A picture comes in, and is answered');
  const { provider, api } = setting;
  const ada = { phone: '15550100', name: 'Ada' };
  let from = performance.now();
  const image = { ...provider.media.add(picture, 'image/png'), caption: 'Is this the right one?' };
  const inbound = await write(setting, ada, { type: 'image', image });
  const isReady = (data: Readonly<Record<string, unknown>>): boolean => {
    const message = data['message'] as Message;
    return message.messageId === inbound.messageId && getAttachment(message)?.status === 'ready';
  };
  const updated = await next(setting, 'thread.message.updated', from, isReady);
  const attachmentId = getAttachment(getMessage(updated))?.attachmentId ?? '';
  const { url } = await api.get<{ url: string }>(
    `/attachments/${attachmentId}/url?projectId=${setting.projectId}`,
  );
  const kept = Buffer.from(await (await fetch(url)).arrayBuffer());
  if (!kept.equals(picture)) throw new Error('the picture is not the one that was sent');
  display.hop('picture fetched from the provider, and kept here', updated.at - from, attachmentId);

  from = performance.now();
  const taken = accepted(setting);
  const { messageId, threadId } = await answer(setting, inbound.threadId, 'It is. It leaves today.');
  const sent = await taken;
  display.hop('answer sent: the provider has taken it', since(from), sent.id.slice(0, 24));
  await report(setting, sent, messageId, ['sent', 'delivered', 'read']);
  const { status } = await api.get<Message>(
    `/threads/${threadId}/messages/${messageId}?projectId=${setting.projectId}`,
  );
  display.hop(`the message's status is ${status ?? 'null'}`);
  if (status !== 'read') throw new Error('the message has not become read');
}

export async function closedWindow(setting: Setting): Promise<void> {
  display.title('The service window closes, and a template opens the conversation again');
  const { provider, api, business, channelId, projectId } = setting;
  const grace = { phone: '15550101', name: 'Grace' };
  const from = performance.now();
  // By the provider's time it was written almost a day ago: the webhook comes late.
  const timestamp = String(Math.floor((Date.now() - dayMs + leftMs) / 1_000));
  const message = { type: 'text', text: { body: 'Where is my order?' }, timestamp };
  const { threadId } = await write(setting, grace, message);
  const isIts = (data: Readonly<Record<string, unknown>>): boolean => data['threadId'] === threadId;
  await next(setting, 'thread.service_window.closed', from, isIts);
  display.hop('24 hours after it was written: thread.service_window.closed', since(from));
  const before = provider.messages.sent.length;
  const refused: unknown = await answer(setting, threadId, 'On its way.').catch((error: unknown) => error);
  if (!(refused instanceof ApiError) || !refused.message.includes('template_required'))
    throw new Error('a free-form message was not refused');
  if (provider.messages.sent.length > before) throw new Error('a free-form message was sent');
  display.hop('409 svc/chatapp/template_required: nothing is stored, nothing is sent');

  const body = 'Hello {{1}}, your order {{2}} is on its way.';
  provider.templates.add(business.account.id, { name: 'order_sent', body });
  const path = `/channels/${channelId}/chatapp/templates`;
  const templates = await api.get<Page<unknown>>(`${path}?projectId=${projectId}`);
  display.hop(`templates listed at the provider: ${templates.data.length}`);
  const taken = accepted(setting);
  const parameters = ['Grace', 'A-17'].map(text => ({ type: 'text', text }));
  const sentMessage = await api.post<Message>(`${path}/send`, {
    projectId,
    threadId,
    templateName: 'order_sent',
    language: 'en_US',
    components: [{ type: 'body', parameters }],
  });
  await report(setting, await taken, sentMessage.messageId, ['delivered']);
  display.note(`business: ${sentMessage.body}`);
}

export async function freeEntry(setting: Setting): Promise<void> {
  display.title('A participant follows an advertisement: a free entry');
  const linus = { phone: '15550102', name: 'Linus' };
  const from = performance.now();
  const { threadId } = await write(setting, linus, {
    type: 'text',
    text: { body: 'Is the offer still good?' },
    referral: {
      source_type: 'ad',
      source_id: '120208',
      source_url: 'https://example.com/ad',
      headline: 'Everything for less',
      ctwa_clid: 'click-17',
    },
  });
  const isIts = (data: Readonly<Record<string, unknown>>): boolean => data['threadId'] === threadId;
  await next(setting, 'thread.free_entry.pending', from, isIts);
  display.hop('thread.free_entry.pending: the next 24 hours decide', since(from));
  const taken = accepted(setting);
  const { messageId } = await answer(setting, threadId, 'Until Sunday.');
  const sent = await taken;
  await report(setting, sent, messageId, ['delivered']);
  const opened = await next(setting, 'thread.free_entry.opened', from, isIts);
  const entry = opened.event.data['freeEntry'] as { readonly expiresAt?: string } | undefined;
  display.hop('thread.free_entry.opened by the first delivery', since(from), entry?.expiresAt);
}

const burstSize = 600;
const participants = 24;
/** What the provider answers from then on: the token has expired. */
const expired = 463;

export async function expiredToken(setting: Setting): Promise<void> {
  display.title('The access token expires, and the channel is connected again');
  const { provider, business, api, partnerAppCredentialId } = setting;
  const edsger = { phone: '15550103', name: 'Edsger' };
  const question = { type: 'text', text: { body: 'Are you still there?' } };
  const { threadId } = await write(setting, edsger, question);
  for (const token of provider.accounts.listTokens()) token.revoked = expired;
  let from = performance.now();
  const { messageId } = await answer(setting, threadId, 'We are.');
  await next(setting, 'channel.credential.expired', from);
  display.hop('the provider refuses it: channel.credential.expired', since(from));
  const isError = (data: Readonly<Record<string, unknown>>): boolean =>
    (data['channel'] as { readonly status: string }).status === 'error';
  await next(setting, 'channel.status.changed', from, isError);
  display.hop("the channel's status is error; the answer stays queued");

  from = performance.now();
  const taken = accepted(setting);
  const code = provider.accounts.addCode(provider.accounts.addToken(business.app, business.account));
  await connectChannel(api, setting, { code, partnerAppCredentialId });
  display.hop('connected again by a new code', since(from));
  const { callbackData } = await taken;
  if (callbackData !== messageId) throw new Error('another message was sent');
  display.hop('the answer that waited has been sent', since(from), messageId);
}

export async function killedNode(setting: Setting): Promise<void> {
  const { server, provider, business, stream } = setting;
  display.title(`${burstSize} webhooks, and SIGKILL between webhook and commit`);
  // For as long as a start takes, and longer.
  provider.deliveries.retryMs = Array.from({ length: 200 }, () => 200);
  const show = display.progress('answered 200', burstSize);
  const ids: string[] = [];
  const deliveries: Delivery[] = [];
  let kill: Promise<void> | undefined;
  let sent = 0;
  const participant = async (index: number): Promise<void> => {
    const phone = String(15_560_000_000 + index);
    while (sent < burstSize) {
      const text = { body: `message ${++sent}` };
      const written = await provider.write(business.number, { phone }, { type: 'text', text });
      ids.push(written.id);
      deliveries.push(...written.deliveries);
      show(ids.length);
      if (ids.length >= burstSize / 2) kill ??= killAndStart(setting);
    }
  };
  await inTime(Promise.all(Array.from({ length: participants }, (_, index) => participant(index))), 'answer');
  display.breakLine();
  await kill;
  await stream.open();
  const repeated = deliveries.filter(({ attempts }) => attempts.length > 1).length;
  display.hop(`${repeated} webhooks got no answer, and came again`);
  await verify(setting, ids);
  display.note(`the node serves on ${server.url}`);
}

async function killAndStart({ server, stream }: Setting): Promise<void> {
  await server.kill();
  stream.close();
  display.breakLine();
  display.hop('node killed');
  display.hop('node started again on the same data', await server.start());
}

/** Every message is there once; waits until the node has worked through what it had answered. */
async function verify(setting: Setting, ids: readonly string[]): Promise<void> {
  const { api, projectId, channelId } = setting;
  const from = performance.now();
  const look = async (): Promise<void> => {
    for (;;) {
      const threads = await api.all<{ threadId: string; externalRef: string | null }>(
        `/threads?projectId=${projectId}&channelId=${channelId}`,
      );
      const found: string[] = [];
      for (const { threadId, externalRef } of threads) {
        if (externalRef?.startsWith('1556') !== true) continue;
        const path = `/threads/${threadId}/messages?projectId=${projectId}&order=asc`;
        const messages = await api.all<{ externalMessageId: string }>(path);
        found.push(...messages.map(({ externalMessageId }) => externalMessageId));
      }
      if (new Set(found).size !== found.length) throw new Error('a message is there twice');
      if (ids.every(id => found.includes(id)) && found.length === ids.length) return;
    }
  };
  await inTime(look(), 'end of the burst');
  display.hop(`${ids.length} messages written, ${ids.length} stored, each once`, since(from));
}
