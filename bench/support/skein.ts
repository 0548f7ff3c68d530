/** Skein as a system under measurement: a node of its own process on the run's database, with an account, a channel, a key. */
import { join } from 'node:path';
import { signUp } from '../demo/account.ts';
import { Api, type Page } from '../demo/api.ts';
import { freePort, Server } from '../demo/server.ts';
import type { BenchDatabase } from './bench-database.ts';

/** A project with a channel, and a key that may do everything in its sandbox. */
export interface BenchProject {
  readonly api: Api;
  readonly apiKey: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
}

export interface Skein extends BenchProject {
  readonly server: Server;
  readonly port: number;
  readonly accessToken: string;
  readonly databaseUrl: string;
  /** The variables that it was started with: those of a further node of its cluster. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/**
 * @param environment further variables of the node
 * @param options further options of its Node
 */
export async function startSkein(
  database: BenchDatabase,
  name: string,
  environment: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
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
  const server = new Server(port, variables, options);
  await server.start();
  const { accessToken, api: studio, projectId, environmentId } = await signUp(server.url);
  const project = await openProject(server.url, studio, projectId, environmentId);
  return {
    server,
    port,
    ...project,
    accessToken,
    databaseUrl,
    environment: variables,
    stop: () => server.stop(),
  };
}

/** Makes the channel and the key. `studio`: as an owner of the project. */
async function openProject(
  url: string,
  studio: Api,
  projectId: string,
  environmentId: string,
): Promise<BenchProject> {
  const channel = await studio.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Bench',
    kind: 'custom',
  });
  const { secret } = await studio.post<{ secret: string }>('/api-keys', {
    projectId,
    name: 'Bench',
    environment: 'test',
    scopes: ['*'],
  });
  const api = new Api(url, secret);
  return { api, apiKey: secret, projectId, environmentId, channelId: channel.channelId };
}

/** A further project of whoever signed up. */
export async function addProject({ server, accessToken }: Skein, name: string): Promise<BenchProject> {
  const studio = new Api(server.url, accessToken);
  const [workspace] = (await studio.get<Page<{ workspaceId: string }>>('/workspaces')).data;
  if (workspace === undefined) throw new Error('sign-up made no workspace');
  const { workspaceId } = workspace;
  const { projectId } = await studio.post<{ projectId: string }>('/projects', { workspaceId, name });
  const { data } = await studio.get<Page<{ environmentId: string }>>(`/environments?projectId=${projectId}`);
  const [sandbox] = data;
  if (sandbox === undefined) throw new Error('the project has no environment');
  return openProject(server.url, studio, projectId, sandbox.environmentId);
}
