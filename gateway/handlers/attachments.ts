/** Attachments: where to upload and where to read a file. gateway/media carries the bytes. */
import { notFound } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { attachmentOperations } from '../../protocol/operations/index.ts';
import type { AttachmentLink, AttachmentUpload } from '../../protocol/resources/index.ts';
import type { Limits } from '../../storage/writes/index.ts';
import { createAttachment, findAttachments, findAttachmentTenant } from '../../storage/media/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { MediaLinks } from '../media/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { resolveScope } from './tenant-scope.ts';

export interface AttachmentServices {
  readonly database: Pick<Database, 'query' | 'em'>;
  readonly links: MediaLinks;
  readonly limits: Limits;
}

/** 404 for a file that has not been uploaded, as for one that is not there. */
export function attachmentHandlers(services: AttachmentServices): Handlers<typeof attachmentOperations> {
  const { database, links, limits } = services;

  return {
    createAttachment: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { filename, mimeType, sizeBytes } = call.body;
      const file = { attachmentId: newId('attachment', call.now), filename, mimeType, sizeBytes };
      const announced = { ...file, projectId, environmentId, now: call.now };
      const { attachmentId, now } = await call.once(key =>
        createAttachment(database, { ...announced, key }, limits),
      );
      const { url, expiresAt } = links.make('upload', attachmentId, now);
      const body: AttachmentUpload = { attachmentId, uploadUrl: url, expiresAt };
      return { body };
    },

    getAttachmentUrl: async call => {
      const { attachmentId } = call.params;
      const scope = await resolveScope(call, database, findAttachmentTenant, attachmentId);
      const [found] = await findAttachments(database, scope, [attachmentId]);
      if (found?.status !== 'stored') throw notFound();
      const body: AttachmentLink = { attachmentId, ...links.make('read', attachmentId, call.now) };
      return { body };
    },
  };
}
