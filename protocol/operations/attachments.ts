/** Files of messages: announced here, uploaded to one signed URL, and read from another. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  AttachmentLink,
  AttachmentUpload,
  CreateAttachmentBody,
  id,
  MaybeProjectQuery,
} from '../resources/index.ts';
import { access, reading, repeatable, writing } from './rules.ts';

const tag = 'Attachments';

export const attachmentOperations = {
  createAttachment: {
    method: 'POST',
    path: '/attachments',
    tag,
    summary: 'Announce a file and get its upload URL',
    description:
      'PUT the announced number of bytes to uploadUrl within five minutes: 204. Then name attachmentId in the attachments of one message. A file that is not uploaded within an hour, or that no message uses within a day, is removed. 409: the environment or workspace has as many bytes of files as it may have.',
    auth: 'project',
    access: access.writeMessages,
    body: CreateAttachmentBody,
    success: { status: 201, body: AttachmentUpload },
    // Anybody who has the URL can upload.
    secret: true,
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  getAttachmentUrl: {
    method: 'GET',
    path: '/attachments/{attachmentId}/url',
    tag,
    summary: 'Get a download URL that is valid for five minutes',
    description: 'Also 404 while the file has not been uploaded.',
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
