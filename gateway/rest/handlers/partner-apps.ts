/** Partner app credentials (specification, "Partner app credential operations"): for Studio users only. */
import { notFound } from '../../../protocol/errors.ts';
import type { partnerAppOperations } from '../../../protocol/operations/partner-apps.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { CreatedPartnerAppCredential } from '../../../protocol/resources/partner-app.ts';
import type { PartnerAppChange, PartnerApps } from '../../../storage/tenancy/partner-apps.ts';
import type { Call, Handlers } from '../handler.ts';
import { doingOf } from './signed-in.ts';

/** What stands in a webhook address for the id of the channel that it will be of. */
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
      const { partnerApp, verifyToken } = await partnerApps.create({ ...given, metadata, ...doingOf(call) });
      const body: CreatedPartnerAppCredential = { ...partnerApp, verifyToken, webhookUrl };
      return { body };
    },

    rotatePartnerAppSecret: async call => {
      const change = await changeOf(call, call.params.metaAppCredentialId);
      return { body: await partnerApps.rotateSecret({ ...change, appSecret: call.body.appSecret }) };
    },

    revokePartnerApp: async call => {
      await partnerApps.revoke(await changeOf(call, call.params.metaAppCredentialId));
      return {};
    },
  };

  /** 404 where the credential is not there or the caller is nobody in its workspace, 403 where their role is too small. */
  async function changeOf(call: Call, partnerAppCredentialId: string): Promise<PartnerAppChange> {
    const workspaceId = await partnerApps.workspaceOf(partnerAppCredentialId);
    if (workspaceId === undefined) throw notFound();
    await call.workspaceRoleOf(workspaceId);
    return { workspaceId, partnerAppCredentialId, ...doingOf(call) };
  }
}
