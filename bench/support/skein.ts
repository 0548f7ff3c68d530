/** Skein as a system under measurement: a node of its own process on the run's database, with an account, a channel, a key. */
import { join } from 'node:path';
import { createApiKey, createChannel, signUp } from '../demo/account.ts';
import { Api, type Page } from '../demo/api.ts';
import { freePort, Server } from '../demo/server.ts';
import type { BenchDatabase } from './bench-database.ts';
import type { LoadTarget } from './load.ts';

/** A project with a channel, and a key that may do everything in its sandbox. */
export interface BenchProject {
  readonly api: Api;
  readonly apiKey: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  /** Takes messages of the channel. */
  readonly target: LoadTarget;
}

export interface Skein extends BenchProject {
  readonly server: Server;
  readonly port: number;
  readonly accessToken: string;
  readonly databaseUrl: string;
  /** The variables that it was started with: those of a further node of its cluster. */
  readonly environment: Readonly<Record<string, string>>;
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
  database.endings.teardown(() => server.stop());
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
  };
}

/** Creates the channel and the key. `studio`: an owner of the project. */
async function openProject(
  url: string,
  studio: Api,
  projectId: string,
  environmentId: string,
): Promise<BenchProject> {
  const channelId = await createChannel(studio, { projectId, environmentId }, 'Bench');
  const apiKey = await createApiKey(studio, projectId, 'Bench');
  const target = {
    ports: [Number(new URL(url).port)],
    path: `/v1/channels/${channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${apiKey}` },
    projectId,
  };
  return { api: new Api(url, apiKey), apiKey, projectId, environmentId, channelId, target };
}

/** A further project of the same user. */
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

/** An update for `query` while the node is stopped: the circuit of the stitch `$1` is open, and its next probe is far away. */
export const openCircuit = `
  update stitches set status = 'error', state = jsonb_set(state, '{health}',
    '{"failures": 10, "failingSince": 0, "exhausted": 0, "probeAt": 4102444800000}') where stitch_id = $1`;

/** Creates a stitch of inbound messages with an open circuit: every event is due, and none is sent. Restarts the node. */
export async function addOpenStitch(skein: Skein, database: BenchDatabase): Promise<void> {
  const [stitch] = await openStitches(skein, ['http://127.0.0.1:2/']);
  await skein.server.stop();
  await database.query(skein.databaseUrl, openCircuit, [stitch?.stitchId]);
  await skein.server.start();
}

/** Stitches that are created at once. */
const atOnce = 20;

export interface OpenedStitch {
  readonly stitchId: string;
  readonly secret: string;
}

/** Creates a stitch of inbound messages for each address. */
export async function openStitches(
  { api, projectId }: BenchProject,
  urls: readonly string[],
): Promise<OpenedStitch[]> {
  const opened: OpenedStitch[] = [];
  for (let from = 0; from < urls.length; from += atOnce) {
    const made = urls.slice(from, from + atOnce).map(async (webhookUrl, i) => {
      const stitch = {
        projectId,
        name: `Bench ${from + i}`,
        webhookUrl,
        eventNames: ['thread.message.received'],
      };
      const answer = await api.post<{ stitch: { stitchId: string }; secret: string }>('/stitches', stitch);
      return { stitchId: answer.stitch.stitchId, secret: answer.secret };
    });
    opened.push(...(await Promise.all(made)));
  }
  return opened;
}

/** The addresses of so many stitches at one receiver: `<url>/<number>`. */
export const toUrls = (url: string, stitches: number): string[] =>
  Array.from({ length: stitches }, (_, i) => `${url}/${i}`);
