/** An account on a node: what comes with signing up. */
import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Api, type Page } from './api.ts';

export interface Account {
  readonly email: string;
  readonly accessToken: string;
  /** As whoever signed up. */
  readonly api: Api;
  readonly projectId: string;
  /** The project's sandbox. */
  readonly environmentId: string;
}

/** Signs somebody up at the node of that address. */
export async function signUp(url: string): Promise<Account> {
  const email = `somebody-${randomBytes(4).toString('hex')}@skein.example`;
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

const mailedWithinMs = 30_000;

/** The token of a link that was mailed: a node without a mail server writes its mail into its data folder. */
export async function readMailedToken(
  dataFolder: string,
  email: string,
  page: 'verify' | 'join',
): Promise<string> {
  const folder = join(dataFolder, 'mail');
  for (const from = performance.now(); performance.now() - from < mailedWithinMs; await pause(50)) {
    for (const name of await readdir(folder).catch(() => [])) {
      // Another end: it is just being written, and renamed then.
      if (!name.endsWith('.eml')) continue;
      const mail = await readFile(join(folder, name), 'utf8');
      const token = new RegExp(`${page}#token=([\\w-]+)`).exec(mail)?.[1];
      if (token !== undefined && mail.includes(email)) return token;
    }
  }
  throw new Error(`no mail came for ${email}`);
}

/** Follows the link that was mailed to whoever signed up. */
export async function confirmEmail(
  { api, email }: Pick<Account, 'api' | 'email'>,
  dataFolder: string,
): Promise<void> {
  const token = await readMailedToken(dataFolder, email, 'verify');
  await api.post('/studio/auth/verify-email', { token });
}
