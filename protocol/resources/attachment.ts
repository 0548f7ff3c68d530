import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  httpUrl,
  id,
  instant,
  limitBytes,
  optional,
  resource,
  text,
} from './fields.ts';

export const attachmentKinds = ['image', 'audio', 'video', 'document', 'sticker'] as const;
export type AttachmentKind = (typeof attachmentKinds)[number];

const fields = {
  kind: choice(attachmentKinds),
  attachmentId: optional(text(1, 128)),
  mimeType: optional(text(1, 128)),
  filename: optional(text(1, 256)),
  sizeBytes: optional(Type.Integer({ minimum: 0 })),
  /** Key of the stored copy of the media. */
  storageKey: optional(text(1, 1024)),
  url: optional(httpUrl()),
  providerMediaId: optional(text(1, 256)),
  metadata: optional(freeForm()),
};

export const attachmentStatuses = ['pending', 'ready', 'failed'] as const;

export const MessageAttachment = resource('MessageAttachment', {
  ...fields,
  /** Of a file that a chat provider has: whether it is kept here by now. Absent: it came with the message. */
  status: optional(choice(attachmentStatuses)),
  /** Why it failed. */
  reason: optional(Type.String()),
});
export type MessageAttachment = Static<typeof MessageAttachment>;

/** The same in a request, where unknown fields are refused. */
export const AttachmentInput = body('AttachmentInput', {
  ...fields,
  metadata: optional(freeFormInput()),
});
export type AttachmentInput = Static<typeof AttachmentInput>;

/** Bytes of a message's attachments, or of a template's components, as JSON: with its metadata a message holds 64 KiB. */
export const maxMessageListBytes = 49_152;

/** At most ten per message. */
export const attachmentsInput = limitBytes(
  Type.Array(AttachmentInput, { maxItems: 10, default: [] }),
  maxMessageListBytes,
);

/** Bytes of a file: the largest size that the chat provider accepts for any kind (a document). */
export const maxFileBytes = 104_857_600;

/** A type and subtype (RFC 6838), with parameters if any. */
const mimeTypePattern =
  '^[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,62}/[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,62}( ?; ?[A-Za-z0-9-]+=[A-Za-z0-9_.+-]+)*$';
const maxMimeTypeLength = 128;

const mimeType = Type.String({
  pattern: mimeTypePattern,
  maxLength: maxMimeTypeLength,
  examples: ['image/png'],
});

const mimeTypeForm = new RegExp(mimeTypePattern);

/** Whether a text is the type of a file. */
export function isMimeType(text: string): boolean {
  return text.length <= maxMimeTypeLength && mimeTypeForm.test(text);
}

/** Announces a file that will be uploaded. */
export const CreateAttachmentBody = body('CreateAttachmentBody', {
  projectId: id('project'),
  /** For Studio users; a key's own environment otherwise. */
  environmentId: optional(id('environment')),
  filename: text(1, 256),
  mimeType,
  sizeBytes: Type.Integer({ minimum: 1, maximum: maxFileBytes }),
});
export type CreateAttachmentBody = Static<typeof CreateAttachmentBody>;

/** `uploadUrl` accepts the announced number of bytes in one PUT before `expiresAt`. */
export const AttachmentUpload = resource('AttachmentUpload', {
  attachmentId: id('attachment'),
  uploadUrl: httpUrl(),
  expiresAt: instant(),
});
export type AttachmentUpload = Static<typeof AttachmentUpload>;

/** Anybody who has `url` can read the bytes until `expiresAt`. */
export const AttachmentLink = resource('AttachmentLink', {
  attachmentId: id('attachment'),
  url: httpUrl(),
  expiresAt: instant(),
});
export type AttachmentLink = Static<typeof AttachmentLink>;
