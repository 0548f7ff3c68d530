/** An account of the shared node with a custom channel, for tests of examples. */
import type { Test } from 'tap';
import { signUp } from '../../bench/demo/account.ts';
import { shareSkein } from '../support/skein.ts';

export async function shareNodeWithChannel(t: Test) {
  const { url, models } = await shareSkein(t);
  const account = await signUp(url);
  const { projectId, environmentId } = account;
  const { channelId } = await account.api.post<{ channelId: string }>('/channels', {
    projectId,
    environmentId,
    name: 'Custom',
    kind: 'custom',
  });
  return { ...account, url, models, channelId };
}
