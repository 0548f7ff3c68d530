import type { chatappOperations } from '../../../protocol/operations/chatapp.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ChatappStatus } from '../../../protocol/resources/chatapp.ts';
import type { CreatedPartnerAppCredential } from '../../../protocol/resources/partner-app.ts';
import type { Asked } from '../../node/client.ts';
import { createPayload, sign } from '../../support/chatapp-provider/index.ts';
import { getChannel, newChannel, unique } from '../resources.ts';
import type { ScenariosOf } from '../scenario.ts';
import type { TenantEnvironment } from '../contract-fixture.ts';

/** A chatapp channel, a number at the provider that no channel has, and what connects them. */
async function newNumber(env: TenantEnvironment) {
  const { accounts } = env.fixture.provider;
  const app = accounts.addApp();
  const partnerApp = await env.person.get<CreatedPartnerAppCredential>('createPartnerApp', {
    body: { workspaceId: env.tenant.workspaceId, name: unique(), appId: app.id, appSecret: app.secret },
  });
  const account = accounts.addAccount();
  const number = accounts.addNumber(account);
  const { value: accessToken } = accounts.addToken(app, account);
  const { partnerAppCredentialId, verifyToken } = partnerApp;
  const params = { channelId: await newChannel(env, 'chatapp') };
  const body = { projectId: env.projectId, partnerAppCredentialId, accessToken };
  return { app, account, number, verifyToken, connect: { params, body } };
}

/** A channel that is connected, and the number that it has. */
export async function newConnected(env: TenantEnvironment) {
  const made = await newNumber(env);
  await env.key.get<ChatappStatus>('connectChatapp', made.connect);
  return made;
}

const disconnected = async (env: TenantEnvironment) => ({
  params: { channelId: await newChannel(env, 'chatapp') },
});

const absent = () => ({ params: { channelId: newId('channel') } });

const custom = async (env: TenantEnvironment) => ({ params: { channelId: await getChannel(env) } });

/** A webhook of a connected channel, signed by its app. */
async function webhook(env: TenantEnvironment): Promise<Asked> {
  const { app, number, connect } = await newConnected(env);
  const text = { from: '15550100', id: `wamid.${unique()}`, timestamp: '1795000000', type: 'text' };
  const body = createPayload(number, { messages: [{ ...text, text: { body: 'hello' } }] });
  const headers = { 'x-hub-signature-256': sign(JSON.stringify(body), app.secret) };
  return { params: connect.params, body, headers };
}

/** A thread with a new number, and a template that was approved for the channel's account. */
async function newTemplate(env: TenantEnvironment) {
  const { account, connect } = await newConnected(env);
  const { projectId, environmentId } = env;
  const { channelId } = connect.params;
  const name = unique();
  env.fixture.provider.templates.add(account.id, { name, body: 'Order {{1}} is on its way.' });
  const { threadId } = await env.key.get<{ threadId: string }>('createThread', {
    body: { projectId, environmentId, channelId, externalRef: '+1 555 0123' },
  });
  const components = [{ type: 'body', parameters: [{ type: 'text', text: '17' }] }];
  const body = { projectId, threadId, templateName: name, language: 'en_US', components };
  return { params: connect.params, body };
}

export const chatappScenarios: ScenariosOf<typeof chatappOperations> = {
  connectChatapp: {
    request: async env => (await newNumber(env)).connect,
    variants: [
      async env => {
        const { account, number, connect } = await newNumber(env);
        const named = { wabaId: account.id, phoneNumberId: number.id, pin: '123456' };
        return { ...connect, body: { ...connect.body, ...named } };
      },
    ],
    verifiedOnly: true,
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: (await newConnected(sandbox)).connect,
      }),
      'svc/chatapp/connect_failed': async ({ sandbox }) => {
        const { connect } = await newNumber(sandbox);
        const body = { ...connect.body, accessToken: 'made up' };
        return { by: sandbox.key, asked: { ...connect, body } };
      },
    },
  },
  disconnectChatapp: {
    request: async env => ({ ...(await disconnected(env)), body: { projectId: env.projectId } }),
    variants: [
      async env => ({
        params: (await newConnected(env)).connect.params,
        body: { projectId: env.projectId },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: { ...(await custom(sandbox)), body: { projectId: sandbox.projectId } },
      }),
    },
  },
  getChatappStatus: {
    request: disconnected,
    variants: [async env => ({ params: (await newConnected(env)).connect.params })],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({ by: sandbox.key, asked: await custom(sandbox) }),
    },
  },
  checkChatappReadiness: {
    request: disconnected,
    variants: [async env => ({ params: (await newConnected(env)).connect.params })],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({ by: sandbox.key, asked: await custom(sandbox) }),
    },
  },
  listChatappTemplates: {
    request: async env => ({ params: (await newTemplate(env)).params }),
    variants: [
      async env => ({
        params: (await newTemplate(env)).params,
        query: { status: 'APPROVED', category: 'UTILITY', language: 'en_US', name: 'a', limit: '1' },
      }),
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({ by: sandbox.key, asked: await custom(sandbox) }),
      'svc/chatapp/channel_not_connected': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: await disconnected(sandbox),
      }),
    },
  },
  sendChatappTemplate: {
    request: newTemplate,
    variants: [
      async env => {
        const { params, body } = await newTemplate(env);
        return { params, body: { ...body, to: '+15550123', metadata: { a: 1 } } };
      },
    ],
    refusals: {
      'svc/runtime/conflict': async ({ sandbox }) => ({
        by: sandbox.key,
        asked: { ...(await newTemplate(sandbox)), ...(await custom(sandbox)) },
      }),
      'svc/chatapp/channel_not_connected': async ({ sandbox }) => {
        const { params, body } = await newTemplate(sandbox);
        const { projectId } = sandbox;
        await sandbox.key.get('disconnectChatapp', { params, body: { projectId } });
        return { by: sandbox.key, asked: { params, body } };
      },
    },
  },
  verifyChatappWebhook: {
    request: async env => {
      const { verifyToken, connect } = await newNumber(env);
      const query = {
        'hub.mode': 'subscribe',
        'hub.challenge': '1158201444',
        'hub.verify_token': verifyToken,
      };
      return { params: connect.params, query };
    },
    refusals: {
      'svc/runtime/not_found': async ({ anonymous }) => ({
        by: anonymous,
        asked: { ...absent(), query: { 'hub.challenge': '1', 'hub.verify_token': 'made up' } },
      }),
      'svc/chatapp/invalid_verify_token': async ({ sandbox, anonymous }) => ({
        by: anonymous,
        asked: {
          ...(await disconnected(sandbox)),
          query: { 'hub.challenge': '1158201444', 'hub.verify_token': 'made up' },
        },
      }),
    },
  },
  receiveChatappWebhook: {
    request: webhook,
    refusals: {
      'svc/runtime/not_found': async ({ anonymous }) => ({ by: anonymous, asked: { ...absent(), body: {} } }),
      'svc/chatapp/invalid_signature': async ({ sandbox, anonymous }) => ({
        by: anonymous,
        asked: { ...(await webhook(sandbox)), headers: { 'x-hub-signature-256': sign('{}', 'another') } },
      }),
      'svc/chatapp/channel_not_connected': async ({ sandbox, anonymous }) => ({
        by: anonymous,
        asked: { ...(await webhook(sandbox)), ...(await disconnected(sandbox)) },
      }),
      'svc/chatapp/webhook_identity_mismatch': async ({ sandbox, anonymous }) => {
        const { app, connect } = await newConnected(sandbox);
        const { number } = await newNumber(sandbox);
        const body = createPayload(number, { messages: [] });
        const headers = { 'x-hub-signature-256': sign(JSON.stringify(body), app.secret) };
        return { by: anonymous, asked: { params: connect.params, body, headers } };
      },
    },
  },
};
