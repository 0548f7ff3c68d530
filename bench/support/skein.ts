/** Skein as a system under measurement: a node of its own process on the run's database, with an account, a channel, a key. */
import { join } from 'node:path';
import { signUp } from '../demo/account.ts';
import { Api } from '../demo/api.ts';
import { freePort, Server } from '../demo/server.ts';
import type { BenchDatabase } from './bench-database.ts';

export interface Skein {
  readonly server: Server;
  readonly port: number;
  readonly api: Api;
  readonly apiKey: string;
  readonly accessToken: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  readonly databaseUrl: string;
  /** The variables that it was started with: those of a further node of its cluster. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** @param environment further variables of the node. */
export async function startSkein(
  database: BenchDatabase,
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Skein> {
  const databaseUrl = await database.create(name);
  const port = await freePort();
  const variables = {
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(database.folder, name),
    ALLOW_PRIVATE_ADDRESSES: 'true',
    // What is measured is the way of a message, at many times what one project is allowed.
    RATE_LIMITS: 'off',
    ...environment,
  };
  const server = new Server(port, variables);
  await server.start();
  const { accessToken, api: studio, projectId, environmentId } = await signUp(server.url);
  const channel = await studio.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Bench',
    kind: 'custom',
  });
  const key = await studio.post<{ secret: string }>('/api-keys', {
    projectId,
    name: 'Bench',
    environment: 'test',
    scopes: ['*'],
  });
  return {
    server,
    port,
    api: new Api(server.url, key.secret),
    apiKey: key.secret,
    accessToken,
    projectId,
    environmentId,
    channelId: channel.channelId,
    databaseUrl,
    environment: variables,
    stop: () => server.stop(),
  };
}
