/** Brings what the chat provider's webhooks say to threads, as the command by which messages of custom channels come. */
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { MessageAttachment, MessageContent, MessageReference } from '../../protocol/resources/index.ts';
import type { ProviderMessage, ReceiveFromProvider } from '../channel/index.ts';
import type { ChatappMessage } from '../chatapp/index.ts';
import {
  type AwaitedFile,
  createIfMissingField,
  type MessageDetails,
  type NewMessage,
  type ParticipantChanges,
  type ReceiveMessage,
} from './commands.ts';

/** Rejects as the thread does, but not where the channel has the message already. */
export const receiveFromProvider: ReceiveFromProvider = async (ask, received, now) => {
  const { channel, message, thread } = received;
  const { projectId, environmentId, channelId, kind, defaultAgentId } = channel;
  const { threadId, externalRef, aliases } = thread;
  const command: ReceiveMessage = {
    projectId,
    environmentId,
    channel: { channelId, kind, defaultAgentId },
    [createIfMissingField]: { externalRef, metadata: {} },
    message: toNewMessage(received, now),
    windowFrom: message.opensWindow ? message.sentAt : null,
    // The provider names whole seconds.
    sentBy: Math.min(message.sentAt + 999, message.receivedAt),
    participant: toParticipant(message),
    ...(aliases.length === 0 ? {} : { aliases }),
  };
  try {
    await ask({ kind: 'thread', id: threadId }, 'receive', command);
    return command.message.messageId;
  } catch (error) {
    if (!isTaken(error)) throw error;
    return undefined;
  }
};

function toNewMessage({ message, messageIds }: ProviderMessage, now: number): NewMessage {
  const { externalMessageId, body, file } = message;
  const awaited: AwaitedFile | undefined =
    file === null ? undefined : { ...file, attachmentId: newId('attachment', now) };
  return {
    messageId: newId('message', now),
    externalMessageId,
    body,
    attachments: awaited === undefined ? [] : [toAttachment(awaited)],
    metadata: {},
    details: toDetails(message, messageIds),
    ...(awaited === undefined ? {} : { awaitedFiles: [awaited] }),
  };
}

function toAttachment({
  kind,
  attachmentId,
  mimeType,
  filename,
  providerMediaId,
}: AwaitedFile): MessageAttachment {
  const named = filename === null ? {} : { filename };
  return { kind, attachmentId, mimeType, ...named, providerMediaId, status: 'pending' };
}

/** In the order of the resource. */
function toDetails(
  { content, replyTo, forwarded, referral }: ChatappMessage,
  messageIds: ReadonlyMap<string, string>,
): MessageDetails {
  const resolve = (reference: MessageReference): MessageReference => ({
    ...reference,
    messageId: messageIds.get(reference.externalMessageId ?? '') ?? null,
  });
  return {
    content: resolveContent(content, resolve),
    ...(replyTo === undefined ? {} : { replyTo: resolve(replyTo) }),
    ...(forwarded === undefined ? {} : { forwarded }),
    ...(referral === undefined ? {} : { referral }),
  };
}

function resolveContent(
  content: MessageContent,
  resolve: (reference: MessageReference) => MessageReference,
): MessageContent {
  if (content.type === 'reaction') return { ...content, to: resolve(content.to) };
  if (content.type === 'system' && content.about) return { ...content, about: resolve(content.about) };
  return content;
}

/** What the message tells of its sender, who may have new names from now on. */
function toParticipant({ participant, newNames }: ChatappMessage): ParticipantChanges {
  const { displayName, username } = participant;
  const phone = newNames?.phone ?? participant.phone;
  const userId = newNames?.userId ?? participant.userId;
  const told = Object.entries({ phone, userId, username }).filter(([, name]) => name !== null);
  return { ...(displayName === null ? {} : { displayName }), attributes: Object.fromEntries(told) };
}

/** Whether another message of the channel has the provider's id: it was brought by another node meanwhile. */
function isTaken(error: unknown): boolean {
  return error instanceof ServiceError && error.details?.['scope'] === 'messages_external';
}
