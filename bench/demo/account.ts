/** Accounts on a node, with their channels and keys. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, type Page } from './api.ts';

export interface Account {
  readonly email: string;
  readonly accessToken: string;
  /** Calls as the new user. */
  readonly api: Api;
  readonly projectId: string;
  /** The project's sandbox. */
  readonly environmentId: string;
}

/** Signs up a new user at the node with that address. */
export async function signUp(url: string): Promise<Account> {
  const email = `user-${randomBytes(4).toString('hex')}@skein.example`;
  const { accessToken } = await new Api(url).post<{ accessToken: string }>('/studio/auth/signup', {
    email,
    password: randomBytes(12).toString('hex'),
  });
  const api = new Api(url, accessToken);
  const [project] = (await api.get<Page<{ projectId: string }>>('/projects')).data;
  if (project === undefined) throw new Error('sign-up made no project');
  const { projectId } = project;
  const [sandbox] = (await api.get<Page<{ environmentId: string }>>(`/environments?projectId=${projectId}`))
    .data;
  if (sandbox === undefined) throw new Error('sign-up made no environment');
  return { email, accessToken, api, projectId, environmentId: sandbox.environmentId };
}

type Tenancy = Pick<Account, 'projectId' | 'environmentId'>;

/** Gives the id of the new channel. */
export async function createChannel(
  api: Api,
  tenancy: Tenancy,
  name: string,
  kind: 'custom' | 'chatapp' = 'custom',
): Promise<string> {
  const { projectId, environmentId } = tenancy;
  return (await api.post<{ channelId: string }>('/channels', { projectId, environmentId, name, kind }))
    .channelId;
}

/** Gives the secret of a new key that may do everything in the sandbox. */
export async function createApiKey(api: Api, projectId: string, name: string): Promise<string> {
  const body = { projectId, name, environment: 'test', scopes: ['*'] };
  return (await api.post<{ secret: string }>('/api-keys', body)).secret;
}

const mailedWithinMs = 30_000;

/** Reads the token of a mailed link. A node without a mail server writes its mail into its data folder. */
export async function readMailedToken(
  dataFolder: string,
  email: string,
  page: 'verify' | 'join',
): Promise<string> {
  const folder = join(dataFolder, 'mail');
  for (const from = performance.now(); performance.now() - from < mailedWithinMs; await pause(50)) {
    for (const name of await readdir(folder).catch(() => [])) {
      // A file with another ending is still being written.
      if (!name.endsWith('.eml')) continue;
      const mail = await readFile(join(folder, name), 'utf8');
      const token = new RegExp(`${page}#token=([\\w-]+)`).exec(mail)?.[1];
      if (token !== undefined && mail.includes(email)) return token;
    }
  }
  throw new Error(`no mail came for ${email}`);
}

/** Follows the link that was mailed to the new user. */
export async function confirmEmail(
  { api, email }: Pick<Account, 'api' | 'email'>,
  dataFolder: string,
): Promise<void> {
  const token = await readMailedToken(dataFolder, email, 'verify');
  await api.post('/studio/auth/verify-email', { token });
}
