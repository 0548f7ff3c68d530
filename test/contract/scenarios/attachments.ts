import { request } from 'undici';
import type { attachmentOperations } from '../../../protocol/operations/attachments.ts';
import type { AttachmentUpload } from '../../../protocol/resources/attachment.ts';
import { unique } from '../resources.ts';
import { atLimitOfBytes } from '../limits.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';

const bytes = Buffer.from('a small file');

const newFile = ({ projectId, environmentId }: TenantEnvironment) => ({
  body: { projectId, environmentId, filename: unique(), mimeType: 'text/plain', sizeBytes: bytes.length },
});

async function uploaded(env: TenantEnvironment): Promise<{ attachmentId: string }> {
  const { attachmentId, uploadUrl } = await env.key.get<AttachmentUpload>('createAttachment', newFile(env));
  const { statusCode } = await request(uploadUrl, { method: 'PUT', body: bytes });
  if (statusCode !== 204) throw new Error(`the upload was answered ${statusCode}`);
  return { attachmentId };
}

export const attachmentScenarios: ScenariosOf<typeof attachmentOperations> = {
  createAttachment: { request: newFile, refusals: { 'svc/runtime/conflict': atLimitOfBytes(newFile) } },
  getAttachmentUrl: { request: async env => ({ params: await uploaded(env) }), refusals: {} },
};
