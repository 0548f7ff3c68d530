/** Files that messages carry: announced here, uploaded to a signed address, read from another. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { AttachmentLink, AttachmentUpload, CreateAttachmentBody } from '../resources/attachment.ts';
import { id } from '../resources/fields.ts';
import { MaybeProjectQuery } from '../resources/list.ts';
import { access, reading, repeatable, writing } from './rules.ts';

const tag = 'Attachments';

export const attachmentOperations = {
  createAttachment: {
    method: 'POST',
    path: '/attachments',
    tag,
    summary: 'Announce a file and get the address to upload it to',
    description:
      'PUT the bytes to uploadUrl within five minutes, as many as announced: 204. Then name attachmentId in the attachments of one message. A file that no message has taken within a day is removed.',
    auth: 'project',
    access: access.writeMessages,
    body: CreateAttachmentBody,
    success: { status: 201, body: AttachmentUpload },
    // The address opens the upload to whoever has it.
    secret: true,
    errors: [...writing, ...repeatable],
    rate: 'write',
    idempotency: 'accepted',
  },
  getAttachmentUrl: {
    method: 'GET',
    path: '/attachments/{attachmentId}/url',
    tag,
    summary: 'Get an address that gives the file for five minutes',
    description: '404 also while the file has not been uploaded.',
    auth: 'project',
    access: access.readMessages,
    params: Type.Object({ attachmentId: id('attachment') }),
    query: MaybeProjectQuery,
    success: { status: 200, body: AttachmentLink },
    errors: [...reading],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
