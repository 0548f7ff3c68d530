/** Partner app credentials: for Studio users only. */
import { notFound } from '../../protocol/errors.ts';
import type { partnerAppOperations } from '../../protocol/operations/index.ts';
import { type CreatedPartnerAppCredential, defaultPageSize } from '../../protocol/resources/index.ts';
import type { PartnerAppChange, PartnerApps } from '../../storage/tenancy/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { createUserAuditContext } from './caller.ts';

/** The placeholder in a webhook address for the id of its future channel. */
const channelPlaceholder = 'ch_REPLACE_WITH_CHANNEL_ID';

/** @param baseUrl the public address of this service, without a slash at the end */
export function partnerAppHandlers(
  partnerApps: PartnerApps,
  baseUrl: string,
): Handlers<typeof partnerAppOperations> {
  const webhookUrl = `${baseUrl}/v1/channels/${channelPlaceholder}/chatapp/webhook`;

  return {
    listPartnerApps: async call => {
      const { workspaceId, cursor, limit = defaultPageSize } = call.query;
      return { body: await partnerApps.list(workspaceId, { cursor, limit }) };
    },

    createPartnerApp: async call => {
      const { metadata = {}, ...given } = call.body;
      const request = { ...given, metadata, ...createUserAuditContext(call) };
      const { partnerApp, verifyToken } = await call.once(key => partnerApps.create({ ...request, key }));
      const body: CreatedPartnerAppCredential = { ...partnerApp, verifyToken, webhookUrl };
      return { body };
    },

    rotatePartnerAppSecret: async call => {
      const change = await createChange(call, call.params.metaAppCredentialId);
      const { appSecret } = call.body;
      return { body: await call.once(key => partnerApps.rotateSecret({ ...change, appSecret, key })) };
    },

    revokePartnerApp: async call => {
      await partnerApps.revoke(await createChange(call, call.params.metaAppCredentialId));
      return {};
    },
  };

  /** 404 where the credential is not there or the caller has no role in its workspace, 403 where the role does not suffice. */
  async function createChange(call: Call, partnerAppCredentialId: string): Promise<PartnerAppChange> {
    const workspaceId = await partnerApps.findWorkspace(partnerAppCredentialId);
    if (workspaceId === undefined) throw notFound();
    await call.requireWorkspaceRole(workspaceId);
    return { workspaceId, partnerAppCredentialId, ...createUserAuditContext(call) };
  }
}
