/**
 * Inbound messages: which thread a message is for, what the thread is given of it, and the uploaded files among its attachments. Type,
 * size, name and key of a file of ours are those of its row, not those of the request.
 */
import { getProvider } from '../../actors/channel/index.ts';
import { createIfMissingField, type NewMessage, type ReceiveMessage } from '../../actors/thread/index.ts';
import { conflict, invalid, type Issue, notFound } from '../../protocol/errors.ts';
import { deriveThreadId, isId, newId, pickExternalRef } from '../../protocol/ids.ts';
import type { channelOperations } from '../../protocol/operations/index.ts';
import type {
  AttachmentInput,
  AttachmentKind,
  CreateMessageBody,
  ParticipantInput,
} from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { findAttachments, type StoredAttachment } from '../../storage/media/index.ts';
import type { ChannelHead } from '../../storage/reads/index.ts';
import type { RequestKey } from '../../storage/writes/index.ts';
import { chain, commitKey, getAuthor, type Call, type Handlers, type Maybe } from '../pipeline/index.ts';
import { requireChannel, toThreadChannel, type ChannelDirectory } from './channel-directory.ts';
import { askNamed } from './tenant-scope.ts';

export interface InboundServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly channels: ChannelDirectory;
}

/** 409 where the channel's messages come from its provider. */
export function inboundMessageHandlers(
  services: InboundServices,
): Handlers<Pick<typeof channelOperations, 'createInboundMessage'>> {
  const { database, node, channels } = services;

  return {
    createInboundMessage: async call => {
      const { channel } = await requireChannel(call, channels, call.params.channelId);
      if (getProvider(channel.kind)?.postedByOwner !== true) {
        throw conflict('Messages of this channel come from its provider.');
      }
      const { body } = call;
      const made = newMessage(body, call.now);
      call.span?.set({ 'skein.message.id': made.messageId, 'skein.channel.id': channel.channelId });
      return {
        // Nearly all have no files, and need not wait for them.
        json: await call.onceAsText(key =>
          chain(withFiles(database, channel, made, body.attachments), message =>
            receiveMessage(node, call, channel, body, message, key),
          ),
        ),
      };
    },
  };
}

/** How an inbound message names its thread. */
export interface ThreadAddress {
  readonly threadId?: string;
  readonly externalThreadRef?: string;
  readonly externalParticipantRef?: string;
}

/** Where an inbound message goes, and what it tells of its sender. */
interface InboundTarget extends ThreadAddress {
  readonly participant?: ParticipantInput;
  readonly hops?: number;
}

/** 422 for a field that this request needs. The message goes on where the field's path ends: `is needed, or ...`. */
export function requiredField(field: string, message: string): Error {
  return invalid([{ path: `/body/${field}`, message, code: 'required' }]);
}

/**
 * Which thread receives the message, and what it is created with if it does not exist yet. A threadId wins. Else the identity is the
 * participant, or the conversation where only that is named; with both, the conversation's name is kept in the metadata.
 * Throws 422 where none is named.
 */
export function resolveThread(
  { channelId, environmentId }: Pick<ChannelHead, 'channelId' | 'environmentId'>,
  address: ThreadAddress,
): {
  readonly threadId: string;
  readonly createIfMissing?: NonNullable<ReceiveMessage[typeof createIfMissingField]>;
} {
  const { threadId, externalThreadRef, externalParticipantRef } = address;
  if (threadId !== undefined) return { threadId };
  const externalRef = pickExternalRef(address);
  if (externalRef === undefined) {
    throw requiredField('externalParticipantRef', 'is needed, or threadId or externalThreadRef');
  }
  const both = externalParticipantRef !== undefined && externalThreadRef !== undefined;
  return {
    threadId: deriveThreadId(environmentId, channelId, externalRef),
    createIfMissing: { externalRef, metadata: both ? { externalThreadRef } : {} },
  };
}

/** Asks the thread to take the message. Resolves to the message as JSON text. */
export function receiveMessage(
  node: Pick<Node, 'ask'>,
  call: Pick<Call, 'caller' | 'requestId'>,
  channel: ChannelHead,
  target: InboundTarget,
  message: NewMessage,
  key: RequestKey | undefined,
): Promise<string> {
  const { projectId, environmentId } = channel;
  const { participant, hops } = target;
  const { threadId, createIfMissing } = resolveThread(channel, target);
  const command: ReceiveMessage = {
    projectId,
    environmentId,
    channel: toThreadChannel(channel),
    ...(createIfMissing === undefined ? {} : { [createIfMissingField]: createIfMissing }),
    message,
    reportedBy: getAuthor(call),
    ...(participant === undefined ? {} : { participant }),
    ...(hops === undefined ? {} : { hops }),
    ...commitKey(key),
  };
  const asked = node.ask<string>({ kind: 'thread', id: threadId }, 'receive', command, call);
  return createIfMissing === undefined ? askNamed('/body/threadId', asked) : asked;
}

/** What a thread is given of a message. */
export function newMessage(
  {
    body = '',
    attachments = [],
    metadata = {},
  }: Pick<CreateMessageBody, 'body' | 'attachments' | 'metadata'>,
  now: number,
): NewMessage {
  return { messageId: newId('message', now), body, attachments, metadata };
}

/** What the MIME types of a kind begin with; a document may be of any type. */
const mimePrefixes: Readonly<Record<AttachmentKind, string>> = {
  image: 'image/',
  sticker: 'image/',
  audio: 'audio/',
  video: 'video/',
  document: '',
};

/**
 * The message with its files, as its thread is given it. 404 for an id of ours that is no file of this environment. 422 for a file that was not
 * uploaded, or that a message has taken; for a kind that its type does not fit; for a storage key that is not the file's own. A value where
 * there are no attachments.
 */
export function withFiles(
  db: Pick<Database, 'query'>,
  scope: TenantScope,
  message: NewMessage,
  attachments: readonly AttachmentInput[] = [],
): Maybe<NewMessage> {
  return attachments.length === 0 ? message : attachFiles(db, scope, message, attachments);
}

async function attachFiles(
  db: Pick<Database, 'query'>,
  scope: TenantScope,
  message: NewMessage,
  attachments: readonly AttachmentInput[],
): Promise<NewMessage> {
  const named = attachments.flatMap(({ attachmentId = '' }) =>
    isId('attachment', attachmentId) ? attachmentId : [],
  );
  const files = [...new Set(named)];
  const found = files.length === 0 ? [] : await findAttachments(db, scope, files);
  const known = new Set(found.map(({ attachmentId }) => attachmentId));
  const absent = attachments.flatMap(({ attachmentId = '' }, index) =>
    isId('attachment', attachmentId) && !known.has(attachmentId)
      ? `/body/attachments/${index}/attachmentId`
      : [],
  );
  if (absent.length > 0) throw notFound(...absent);
  const free = new Map(
    found
      .filter(({ status, messageId }) => status === 'stored' && messageId === null)
      .map(file => [file.attachmentId, file]),
  );
  const issues: Issue[] = attachments.flatMap((attachment, index) =>
    checkAttachment(attachment, free, `/body/attachments/${index}`),
  );
  if (issues.length > 0) throw invalid(issues);
  const shown = attachments.map(attachment => {
    const file = free.get(attachment.attachmentId ?? '');
    if (file === undefined) return attachment;
    const { mimeType, filename, sizeBytes, storageKey } = file;
    return { ...attachment, mimeType, filename, sizeBytes, storageKey };
  });
  return { ...message, attachments: shown, ...(files.length === 0 ? {} : { files }) };
}

function checkAttachment(
  { kind, attachmentId = '', storageKey }: AttachmentInput,
  free: ReadonlyMap<string, StoredAttachment>,
  path: string,
): Issue[] {
  const file = free.get(attachmentId);
  if (isId('attachment', attachmentId) && file === undefined) {
    const message = 'must name an uploaded file that no message has taken';
    return [{ path: `${path}/attachmentId`, message, code: 'attachment' }];
  }
  if (file !== undefined && !file.mimeType.toLowerCase().startsWith(mimePrefixes[kind])) {
    return [{ path: `${path}/kind`, message: `must fit the type ${file.mimeType}`, code: 'kind' }];
  }
  if (storageKey !== undefined && storageKey !== file?.storageKey) {
    const message = 'is given by the media store: name an attachmentId';
    return [{ path: `${path}/storageKey`, message, code: 'storageKey' }];
  }
  return [];
}
