/**
 * Between messages of the gRPC contract and REST. An empty string is an absent field, free-form JSON is text, and an enumeration has
 * its prefix.
 */
import { invalid, type Issue } from '../../protocol/errors.ts';
import type { Timestamp } from '../../protocol/gen/google/protobuf/Timestamp.ts';
import type {
  Attachment as AttachmentMessage,
  Attachment__Output,
} from '../../protocol/gen/skein/internal/v1/Attachment.ts';
import type { IngestMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { Message as MessageMessage } from '../../protocol/gen/skein/internal/v1/Message.ts';
import type { SendMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/SendMessageRequest.ts';
import type { Thread as ThreadMessage } from '../../protocol/gen/skein/internal/v1/Thread.ts';
import type { Message, MessageAttachment, Thread } from '../../protocol/resources/index.ts';
import { refusePrototypes } from '../pipeline/index.ts';

/** The beginning of the paths in a request's issues. */
export const root = '/request';

type Fields = Record<string, unknown>;

/** The fields of an `InboundMessageBody`, to be checked by its schema; throws 422 for text that is not JSON. */
export function inboundBody(request: IngestMessageRequest__Output): Fields {
  const { projectId, threadId, externalThreadRef, externalParticipantRef } = request;
  return {
    projectId,
    ...presentFields({ threadId, externalThreadRef, externalParticipantRef }),
    ...jsonField('participant', request.participantJson, `${root}/participantJson`),
    body: request.body,
    ...(request.hops === 0 ? {} : { hops: request.hops }),
    ...toFilesAndMetadata(request),
  };
}

/** The fields of a `CreateMessageBody`, likewise. */
export function outboundBody(request: SendMessageRequest__Output): Fields {
  const { projectId, body, contentJson, replyToMessageId } = request;
  return {
    projectId,
    // Beside a content it may be left out.
    ...(body === '' && contentJson !== '' ? {} : { body }),
    ...jsonField('content', contentJson, `${root}/contentJson`),
    ...(replyToMessageId === '' ? {} : { replyTo: { messageId: replyToMessageId } }),
    ...toFilesAndMetadata(request),
  };
}

function toFilesAndMetadata(request: {
  readonly attachments: readonly Attachment__Output[];
  readonly metadataJson: string;
}): Fields {
  const { attachments, metadataJson } = request;
  return {
    ...(attachments.length === 0 ? {} : { attachments: attachments.map(toAttachmentFields) }),
    ...jsonField('metadata', metadataJson, `${root}/metadataJson`),
  };
}

function toAttachmentFields(attachment: Attachment__Output, index: number): Fields {
  const {
    kind,
    attachmentId,
    mimeType,
    filename,
    sizeBytes,
    storageKey,
    url,
    providerMediaId,
    metadataJson,
  } = attachment;
  return {
    ...presentFields({ attachmentId, mimeType, filename, storageKey, url, providerMediaId }),
    ...(kind === 'ATTACHMENT_KIND_UNSPECIFIED' ? {} : { kind: toWord('ATTACHMENT_KIND', kind) }),
    ...(sizeBytes === undefined ? {} : { sizeBytes: Number(sizeBytes) }),
    ...jsonField('metadata', metadataJson, `${root}/attachments/${index}/metadataJson`),
  };
}

/** `image` of `ATTACHMENT_KIND_IMAGE`. A value that the contract does not have arrives as a number, and stays one. */
function toWord(prefix: string, value: unknown): unknown {
  return typeof value === 'string' ? value.slice(prefix.length + 1).toLowerCase() : value;
}

function presentFields(fields: Readonly<Record<string, string>>): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
}

function jsonField(name: string, text: string, path: string): Fields {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const issue: Issue = { path, message: 'must be JSON text', code: 'json' };
    throw invalid([issue]);
  }
  if (text.includes('__proto__') || text.includes('\\u00')) refusePrototypes(value, path);
  return { [name]: value };
}

export function toMessage(message: Message): MessageMessage {
  const { messageId, threadId, projectId, environmentId, channelId, externalMessageId, body } = message;
  const { direction, actor, sequence = 0 } = message;
  const status = message.status ?? undefined;
  return {
    messageId,
    threadId,
    projectId,
    body,
    sequence,
    environmentId: environmentId ?? '',
    channelId: channelId ?? '',
    externalMessageId: externalMessageId ?? '',
    direction: toEnumName('DIRECTION', direction),
    ...(status === undefined ? {} : { status: toEnumName('MESSAGE_STATUS', status) }),
    attachments: message.attachments.map(toAttachment),
    metadataJson: JSON.stringify(message.metadata),
    createdAt: timestamp(message.createdAt),
    contentJson: toJson(message.content),
    replyToJson: toJson(message.replyTo),
    errorJson: toJson(message.error),
    ...(actor === undefined
      ? {}
      : { actor: { type: toEnumName('ACTOR_TYPE', actor.type), id: actor.id ?? '' } }),
  };
}

/** Empty where there is nothing. */
function toJson(value: object | null | undefined): string {
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

export function toThread(thread: Thread): ThreadMessage {
  const { threadId, projectId, environmentId, status } = thread;
  const agentMode = thread.agentMode ?? undefined;
  const serviceWindow = thread.serviceWindow ?? undefined;
  const { channelId, externalRef, agentId, assigneeUserId, tags, sequence = 0 } = thread;
  return {
    threadId,
    projectId,
    environmentId,
    sequence,
    channelId: channelId ?? '',
    externalRef: externalRef ?? '',
    agentId: agentId ?? '',
    assigneeUserId: assigneeUserId ?? '',
    status: toEnumName('THREAD_STATUS', status),
    ...(agentMode === undefined ? {} : { agentMode: toEnumName('AGENT_MODE', agentMode) }),
    tags: tags ?? [],
    customFieldsJson: JSON.stringify(thread.customFields ?? {}),
    metadataJson: JSON.stringify(thread.metadata ?? {}),
    lastMessageAt: timestamp(thread.lastMessageAt),
    createdAt: timestamp(thread.createdAt),
    updatedAt: timestamp(thread.updatedAt),
    archivedAt: maybeTimestamp(thread.archivedAt),
    serviceWindow:
      serviceWindow === undefined
        ? null
        : { open: serviceWindow.open, expiresAt: maybeTimestamp(serviceWindow.expiresAt) },
    participantJson: toJson(thread.participant),
  };
}

function toAttachment(attachment: MessageAttachment): AttachmentMessage {
  const { kind, status, metadata, ...rest } = attachment;
  return {
    ...rest,
    kind: toEnumName('ATTACHMENT_KIND', kind),
    ...(status === undefined ? {} : { status: toEnumName('ATTACHMENT_STATUS', status) }),
    ...(metadata === undefined ? {} : { metadataJson: JSON.stringify(metadata) }),
  };
}

/** `DIRECTION_INBOUND` of `inbound`; a word that the contract does not have does not compile. */
function toEnumName<const Prefix extends string, const Word extends string>(
  prefix: Prefix,
  word: Word,
): `${Prefix}_${Uppercase<Word>}` {
  return `${prefix}_${word.toUpperCase()}` as `${Prefix}_${Uppercase<Word>}`;
}

function timestamp(instant: string): Timestamp {
  const ms = Date.parse(instant);
  const seconds = Math.floor(ms / 1_000);
  return { seconds, nanos: (ms - seconds * 1_000) * 1_000_000 };
}

function maybeTimestamp(instant: string | null | undefined): Timestamp | null {
  return typeof instant === 'string' ? timestamp(instant) : null;
}
