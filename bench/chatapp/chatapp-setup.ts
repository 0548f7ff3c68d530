/** A node with a channel that is connected to a chat provider, which runs in the benchmark's own process. */
import pg from 'pg';
import { createChannel } from '../demo/account.ts';
import { Api } from '../demo/api.ts';
import { type Business, connectChannel, openBusiness, registerApp } from '../demo/chatapp/business.ts';
import { ChatappProvider } from '../../test/support/chatapp-provider/index.ts';
import type { BenchDatabase } from '../support/bench-database.ts';
import { startSkein, type Skein } from '../support/skein.ts';

export interface ChatappSetup {
  readonly provider: ChatappProvider;
  readonly business: Business;
  readonly skein: Skein;
  /** The chatapp channel. */
  readonly channelId: string;
  /** Of the chatapp channel: where the provider posts. */
  readonly webhookPath: string;
  query<T extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<T[]>;
}

/** Ends everything when the work is done. */
export async function withChatapp(
  database: BenchDatabase,
  name: string,
  work: (setup: ChatappSetup) => Promise<void>,
): Promise<void> {
  const provider = await ChatappProvider.start();
  let skein: Skein | undefined;
  let client: pg.Client | undefined;
  try {
    skein = await startSkein(database, name, { CHATAPP_GRAPH_URL: provider.url });
    client = new pg.Client({ connectionString: skein.databaseUrl });
    await client.connect();
    await client.query('update users set email_verified_at = now()');
    const business = openBusiness(provider);
    const app = await registerApp(new Api(skein.server.url, skein.accessToken), business);
    const channelId = await createChannel(skein.api, skein, 'Chat', 'chatapp');
    const token = provider.accounts.addToken(business.app, business.account);
    const { projectId } = skein;
    const given = { accessToken: token.value, partnerAppCredentialId: app };
    await connectChannel(skein.api, { projectId, channelId }, given);
    const rows = client;
    await work({
      provider,
      business,
      skein,
      channelId,
      webhookPath: `/v1/channels/${channelId}/chatapp/webhook`,
      query: async <T extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
        (await rows.query<T>(text, values)).rows,
    });
  } finally {
    await client?.end();
    await skein?.stop();
    await provider.stop();
  }
}
