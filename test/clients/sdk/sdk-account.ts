/** A real node and an account on it, made with the client itself: a sandbox channel, and a key for everything. */
import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import { Skein, type ClientOptions } from '../../../clients/sdk/index.ts';
import { shareSkein } from '../../support/skein.ts';

/** What a test of the client works with. */
export interface SdkAccount {
  readonly baseUrl: string;
  readonly projectId: string;
  readonly environmentId: string;
  /** A sandbox channel. */
  readonly channelId: string;
  readonly apiKeyId: string;
  /** The key's secret. */
  readonly apiKey: string;
  /** Of the account's owner. */
  readonly accessToken: string;
  /** With the key, and nothing else. */
  readonly skein: Skein;
  /** Signed in as the account's owner. */
  readonly studio: Skein;
}

export async function createSdkAccount(baseUrl: string, options: ClientOptions = {}): Promise<SdkAccount> {
  const anonymous = new Skein({ apiKey: null, baseUrl });
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  const { accessToken } = await anonymous.auth.signUp(account);
  const [project] = await new Skein({ apiKey: () => accessToken, baseUrl }).projects.list().toArray(1);
  if (project === undefined) throw new Error('the account has no project');
  const { projectId } = project;
  const studio = new Skein({ apiKey: () => accessToken, baseUrl, projectId });
  const [environment] = await studio.environments.list().toArray(1);
  if (environment === undefined) throw new Error('the project has no environment');
  const key = await studio.apiKeys.create({ name: 'SDK', environment: 'test', scopes: ['*'] });
  const skein = new Skein({ apiKey: key.secret, baseUrl, ...options });
  const { channelId } = await skein.channels.create({ name: 'Sandbox', kind: 'sandbox' });
  return {
    baseUrl,
    projectId,
    environmentId: environment.environmentId,
    channelId,
    apiKeyId: key.apiKeyId,
    apiKey: key.secret,
    accessToken,
    skein,
    studio,
  };
}

/** Creates an account on the shared node. */
export async function shareSdkAccount(t: Test): Promise<SdkAccount> {
  return createSdkAccount((await shareSkein(t)).url);
}
