/** An account on a node: what comes with signing up. */
import { randomBytes } from 'node:crypto';
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
