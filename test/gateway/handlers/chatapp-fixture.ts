/** A tenant with a partner app, and numbers at a chat provider that behaves as the real one. */
import type { Test } from 'tap';
import type { Channel } from '../../../protocol/resources/channel.ts';
import type { ChatappStatus } from '../../../protocol/resources/chatapp.ts';
import type { CreatedPartnerAppCredential } from '../../../protocol/resources/partner-app.ts';
import type { Database } from '../../../storage/database/database.ts';
import type { Tenant } from '../../node/tenant.ts';
import { ChatappProvider } from '../../support/chatapp-provider/index.ts';
import { freshKey } from '../../support/accounts.ts';
import { startTestDatabase } from '../../support/database.ts';
import { shareSkein, startSkeinOn, type TestSkein } from '../../support/skein.ts';

type Variables = Readonly<Record<string, string>>;

/** Starts a provider, and a node of the test's own. `variables` are added to those of the provider and of the node's keys. */
export async function startChatapp(
  t: Test,
  variables: Variables | ((provider: ChatappProvider) => Variables) = {},
) {
  const provider = await ChatappProvider.start();
  t.teardown(() => provider.stop());
  const { url: databaseUrl, database } = await startTestDatabase(t);
  // For every node on this database.
  const environment = {
    CHATAPP_GRAPH_URL: provider.url,
    SECRET_KEYS: freshKey(),
    TOKEN_KEYS: freshKey(),
    ...(typeof variables === 'function' ? variables(provider) : variables),
  };
  const skein = await startSkeinOn(t, databaseUrl, environment);
  return { ...(await createChatapp(skein, provider, database)), databaseUrl, environment };
}

/** Signs up at the shared node, whose provider serves the tenant's app. */
export async function shareChatapp(t: Test) {
  const skein = await shareSkein(t);
  return { ...(await createChatapp(skein, skein.provider, skein.database)), hash: skein.hash };
}

async function createChatapp(skein: TestSkein, provider: ChatappProvider, database: Database) {
  const { accounts } = provider;
  const { line } = skein;
  const tenant = await skein.tenant();
  const verify = ({ userId }: Tenant) =>
    database.query('update users set email_verified_at = now() where user_id = $1', [userId]);
  await verify(tenant);
  const app = accounts.addApp();
  const newPartnerApp = (by: Tenant) =>
    by.person.get<CreatedPartnerAppCredential>('createPartnerApp', {
      body: { workspaceId: by.workspaceId, name: 'Agency', appId: app.id, appSecret: app.secret },
    });
  const partnerApp = await newPartnerApp(tenant);
  const { partnerAppCredentialId } = partnerApp;

  const newChannel = async (by = tenant): Promise<string> => {
    const { projectId, environmentId, key } = by;
    const body = { projectId, environmentId, name: 'Chat', kind: 'chatapp' };
    return (await key.get<Channel>('createChannel', { body })).channelId;
  };
  /** Adds an account with one number, and a token for it. */
  const newNumber = (more: Parameters<typeof accounts.addNumber>[1] = {}) => {
    const account = accounts.addAccount();
    return { account, number: accounts.addNumber(account, more), token: accounts.addToken(app, account) };
  };
  const connect = (channelId: string, given: object, by = tenant) =>
    by.key.ask<ChatappStatus>('connectChatapp', {
      params: { channelId },
      body: { projectId: by.projectId, partnerAppCredentialId, ...given },
    });
  /** Creates a channel that is connected to a new number. */
  const connected = async () => {
    const channelId = await newChannel();
    const at = newNumber();
    const reply = await connect(channelId, { accessToken: at.token.value });
    if (reply.status !== 200) throw new Error(reply.text);
    return { channelId, ...at };
  };
  return {
    provider,
    database,
    skein,
    line,
    tenant,
    verify,
    app,
    partnerApp,
    newPartnerApp,
    newChannel,
    newNumber,
    connect,
    connected,
  };
}
