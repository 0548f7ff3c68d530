import { request } from 'undici';
import type { attachmentOperations } from '../../../protocol/operations/attachments.ts';
import type { AttachmentUpload } from '../../../protocol/resources/attachment.ts';
import { unique } from '../fixtures.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { Place } from '../world.ts';

const bytes = Buffer.from('a small file');

const newFile = ({ projectId, environmentId }: Place) => ({
  body: { projectId, environmentId, filename: unique(), mimeType: 'text/plain', sizeBytes: bytes.length },
});

async function uploaded(place: Place): Promise<{ attachmentId: string }> {
  const { attachmentId, uploadUrl } = await place.key.get<AttachmentUpload>(
    'createAttachment',
    newFile(place),
  );
  const { statusCode } = await request(uploadUrl, { method: 'PUT', body: bytes });
  if (statusCode !== 204) throw new Error(`the upload was answered ${statusCode}`);
  return { attachmentId };
}

export const attachmentScenarios: ScenariosOf<typeof attachmentOperations> = {
  createAttachment: { request: newFile, refusals: {} },
  getAttachmentUrl: { request: async place => ({ params: await uploaded(place) }), refusals: {} },
};
