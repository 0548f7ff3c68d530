import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, freeForm, httpUrl, optional, resource, text } from './fields.ts';

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

export const MessageAttachment = resource('MessageAttachment', fields);
export type MessageAttachment = Static<typeof MessageAttachment>;

/** The same in a request, where an unknown field is refused. */
export const AttachmentInput = body('AttachmentInput', fields);
export type AttachmentInput = Static<typeof AttachmentInput>;

/** At most ten to a message. */
export const attachmentsInput = Type.Array(AttachmentInput, { maxItems: 10, default: [] });
