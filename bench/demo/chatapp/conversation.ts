/** The scenes in which all goes well: a picture and its answer, a window that closes, and a free entry. */
import type { SentMessage, Status } from '../../../test/support/chatapp-provider/index.ts';
import { ApiError, type Message, type Page } from '../api.ts';
import { display, since } from '../display.ts';
import { accepted, answer, getMessage, next, type Setting, write } from './setting.ts';

/** A PNG of one point. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const dayMs = 24 * 3_600_000;
/** So much is left of the window of somebody whose message comes late. */
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
  display.title('Somebody comes by an advertisement: a free entry');
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
