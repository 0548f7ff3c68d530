import type { partnerAppOperations } from '../../../protocol/operations/partner-apps.ts';
import { atLimit } from '../limits.ts';
import { newChannel, unique } from '../resources.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';

const newApp = ({ tenant }: TenantEnvironment) => ({
  body: {
    workspaceId: tenant.workspaceId,
    name: unique(),
    appId: unique(),
    appSecret: 'a secret of the app',
  },
});

async function app(env: TenantEnvironment): Promise<{ metaAppCredentialId: string }> {
  const made = await env.person.get<{ partnerAppCredentialId: string }>('createPartnerApp', newApp(env));
  return { metaAppCredentialId: made.partnerAppCredentialId };
}

export const partnerAppScenarios: ScenariosOf<typeof partnerAppOperations> = {
  listPartnerApps: {
    request: ({ tenant }) => ({ query: { workspaceId: tenant.workspaceId } }),
    refusals: {},
  },
  createPartnerApp: {
    request: newApp,
    refusals: {
      'svc/runtime/conflict': atLimit('partnerApps', 'createPartnerApp', newApp, {
        table: 'partner_apps',
        id: 'partner_app_credential_id',
        where: ({ tenant }) => `workspace_id = '${tenant.workspaceId}'`,
        columns: { verify_token_hash: "decode(md5(n::text || t.partner_app_credential_id), 'hex')" },
      }),
    },
  },
  rotatePartnerAppSecret: {
    request: async env => ({ params: await app(env), body: { appSecret: 'another secret' } }),
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => {
        const params = await app(sandbox);
        await sandbox.person.get('revokePartnerApp', { params });
        return { by: sandbox.person, asked: { params, body: { appSecret: 'another secret' } } };
      },
    },
  },
  revokePartnerApp: {
    request: async env => ({ params: await app(env) }),
    refusals: {
      'svc/partner_app/in_use': async ({ sandbox, database }) => {
        const params = await app(sandbox);
        const channelId = await newChannel(sandbox);
        // No channel can be connected yet.
        await database.query('update channels set partner_app_credential_id = $2 where channel_id = $1', [
          channelId,
          params.metaAppCredentialId,
        ]);
        return { by: sandbox.person, asked: { params } };
      },
    },
  },
};
