/** From resources of REST to messages of the gRPC contract. */
import type { Timestamp } from '../../protocol/gen/google/protobuf/Timestamp.ts';
import type { Attachment as AttachmentMessage } from '../../protocol/gen/skein/internal/v1/Attachment.ts';
import type { Message as MessageMessage } from '../../protocol/gen/skein/internal/v1/Message.ts';
import type { Thread as ThreadMessage } from '../../protocol/gen/skein/internal/v1/Thread.ts';
import type { MessageAttachment } from '../../protocol/resources/attachment.ts';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';

export function messageOf(message: Message): MessageMessage {
  const { messageId, threadId, projectId, environmentId, channelId, externalMessageId, body } = message;
  const { direction, actor, sequence = 0 } = message;
  const status = message.status ?? undefined;
  return {
    ...{ messageId, threadId, projectId, body, sequence },
    environmentId: environmentId ?? '',
    channelId: channelId ?? '',
    externalMessageId: externalMessageId ?? '',
    direction: named('DIRECTION', direction),
    ...(status === undefined ? {} : { status: named('MESSAGE_STATUS', status) }),
    attachments: message.attachments.map(attachmentOf),
    metadataJson: JSON.stringify(message.metadata),
    createdAt: timestamp(message.createdAt),
    ...(actor === undefined ? {} : { actor: { type: named('ACTOR_TYPE', actor.type), id: actor.id ?? '' } }),
  };
}

export function threadOf(thread: Thread): ThreadMessage {
  const { threadId, projectId, environmentId, status } = thread;
  const agentMode = thread.agentMode ?? undefined;
  const serviceWindow = thread.serviceWindow ?? undefined;
  const { channelId, externalRef, agentId, assigneeUserId, tags, sequence = 0 } = thread;
  return {
    ...{ threadId, projectId, environmentId, sequence },
    channelId: channelId ?? '',
    externalRef: externalRef ?? '',
    agentId: agentId ?? '',
    assigneeUserId: assigneeUserId ?? '',
    status: named('THREAD_STATUS', status),
    ...(agentMode === undefined ? {} : { agentMode: named('AGENT_MODE', agentMode) }),
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
  };
}

function attachmentOf(attachment: MessageAttachment): AttachmentMessage {
  const { kind, metadata, ...rest } = attachment;
  return {
    ...rest,
    kind: named('ATTACHMENT_KIND', kind),
    ...(metadata === undefined ? {} : { metadataJson: JSON.stringify(metadata) }),
  };
}

/** `DIRECTION_INBOUND` of `inbound`; a word that the contract does not have does not compile. */
function named<const Prefix extends string, const Word extends string>(
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
