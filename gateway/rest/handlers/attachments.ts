/** Attachments over REST (decisions section 2): what to upload, and where to read. The bytes go by gateway/media. */
import { notFound } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { attachmentOperations } from '../../../protocol/operations/attachments.ts';
import type { AttachmentLink, AttachmentUpload } from '../../../protocol/resources/attachment.ts';
import { createAttachment, findAttachments, placeOfAttachment } from '../../../storage/attachments.ts';
import type { Database } from '../../../storage/database.ts';
import type { MediaLinks } from '../../media/links.ts';
import type { Handlers } from '../handler.ts';
import { scopeById } from './place.ts';

export interface AttachmentServices {
  readonly database: Pick<Database, 'query'>;
  readonly links: MediaLinks;
}

/** 404 for a file that has not been uploaded, as for one that is not there. */
export function attachmentHandlers(services: AttachmentServices): Handlers<typeof attachmentOperations> {
  const { database, links } = services;

  return {
    createAttachment: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { filename, mimeType, sizeBytes } = call.body;
      const attachmentId = newId('attachment', call.now);
      await createAttachment(database, {
        ...{ attachmentId, projectId, environmentId, filename, mimeType, sizeBytes, now: call.now },
      });
      const { url, expiresAt } = links.make('upload', attachmentId, call.now);
      const body: AttachmentUpload = { attachmentId, uploadUrl: url, expiresAt };
      return { body };
    },

    getAttachmentUrl: async call => {
      const { attachmentId } = call.params;
      const scope = await scopeById(call, database, placeOfAttachment, attachmentId);
      const [found] = await findAttachments(database, [attachmentId]);
      if (
        found?.status !== 'stored' ||
        found.projectId !== scope.projectId ||
        found.environmentId !== scope.environmentId
      ) {
        throw notFound();
      }
      const body: AttachmentLink = { attachmentId, ...links.make('read', attachmentId, call.now) };
      return { body };
    },
  };
}
