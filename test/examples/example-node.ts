/** A node as the examples meet it: a process of its own, with an account and a custom channel. */
import type { Test } from 'tap';
import { signUp } from '../../bench/demo/account.ts';
import { startTestDatabase } from '../support/database.ts';
import { NodeProcess } from '../support/node-process.ts';

export async function startNodeWithChannel(t: Test) {
  const { url: databaseUrl } = await startTestDatabase(t);
  const node = await NodeProcess.make(t, { DATABASE_URL: databaseUrl, ALLOW_PRIVATE_ADDRESSES: 'true' });
  await node.start();
  const account = await signUp(node.url);
  const { projectId, environmentId } = account;
  const { channelId } = await account.api.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Custom',
    kind: 'custom',
  });
  return { ...account, node, channelId };
}
