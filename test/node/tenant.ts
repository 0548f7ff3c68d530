/** A tenant of a node, made over REST as a customer would: somebody who signs up, a project, a sandbox key, a channel. */
import { randomBytes } from 'node:crypto';
import { readMailedToken } from '../support/mailbox.ts';
import type { LogSource } from '../support/test-log.ts';
import { Client, type Line, type ListOf } from './client.ts';

export interface Tenant {
  readonly email: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly projectId: string;
  /** The sandbox. */
  readonly environmentId: string;
  /** With the person's access token. */
  readonly person: Client;
  readonly apiKeyId: string;
  /** With an API key of the sandbox that has every scope. */
  readonly key: Client;
  /** A custom channel of the sandbox. */
  readonly channelId: string;
}

interface Me {
  readonly userId: string;
  readonly workspaceId: string;
  readonly projectId: string;
}

export async function signUp(line: Line): Promise<Tenant> {
  const email = `user-${randomBytes(6).toString('hex')}@example.com`;
  const password = `pass-${randomBytes(12).toString('hex')}`;
  const session = await new Client(line).get<{ accessToken: string }>('signUp', {
    body: { email, password },
  });
  const person = new Client(line, session.accessToken);
  const { userId, workspaceId, projectId } = await person.get<Me>('me');
  const environments = await person.get<ListOf<{ environmentId: string }>>('listEnvironments', {
    query: { projectId },
  });
  const environmentId = environments.data[0]?.environmentId ?? '';
  const { apiKeyId, key } = await newKey(person, projectId);
  const { channelId } = await key.get<{ channelId: string }>('createChannel', {
    body: { projectId, environmentId, name: 'Main', kind: 'custom' },
  });
  return { email, userId, workspaceId, projectId, environmentId, person, apiKeyId, key, channelId };
}

/** A new key of the project, with every scope. */
export async function newKey(
  person: Client,
  projectId: string,
  environment: 'test' | 'live' = 'test',
): Promise<{ readonly apiKeyId: string; readonly key: Client; readonly secret: string }> {
  const body = { projectId, name: 'key', environment, scopes: ['*'] };
  const { apiKeyId, secret } = await person.get<{ apiKeyId: string; secret: string }>('createApiKey', {
    body,
  });
  return { apiKeyId, secret, key: new Client(person.line, secret) };
}

/** A stitch of the tenant's sandbox, for every event unless some are named. */
export async function newStitch(
  { key, projectId }: Pick<Tenant, 'key' | 'projectId'>,
  webhookUrl: string,
  eventNames: readonly string[] = [],
): Promise<{ readonly stitchId: string; readonly secret: string }> {
  const body = { projectId, name: 'stitch', webhookUrl, eventNames };
  const created = await key.get<{ stitch: { stitchId: string }; secret: string }>('createStitch', { body });
  return { stitchId: created.stitch.stitchId, secret: created.secret };
}

/** Follows the link that the node has mailed. */
export async function verifyEmail(node: LogSource, line: Line, email: string): Promise<void> {
  const token = await readMailedToken(node, email, 'verify');
  await new Client(line).get('verifyEmail', { body: { token } });
}
