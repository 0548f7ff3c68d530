/** From nothing to a delivered webhook, and to an account that may go into production: each step is done when it has really happened, whoever did it, and how. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { Skein } from '../../sdk/index.ts';
import { useTenant } from '../shell/tenant.tsx';

export const stepNames = ['channel', 'message', 'key', 'webhook', 'delivery', 'verify'] as const;
export type StepName = (typeof stepNames)[number];

export type Progress = Readonly<Record<StepName, boolean>>;

/** Milliseconds between two looks, as long as something is to be done. */
const lookMs = 2_000;

async function readProgress(client: Skein): Promise<Progress> {
  const isAny = async (list: PromiseLike<{ readonly data: readonly unknown[] }>): Promise<boolean> =>
    (await list).data.length > 0;
  const [channel, message, key, webhook, delivery, caller] = await Promise.all([
    isAny(client.channels.list({ limit: 1 })),
    isAny(client.threads.list({ limit: 1 })),
    isAny(client.apiKeys.list({ limit: 1 })),
    isAny(client.stitches.list({ limit: 1 })),
    isAny(client.deliveries.list({ status: 'delivered', limit: 1 })),
    client.caller.get(),
  ]);
  return { channel, message, key, webhook, delivery, verify: caller.user?.emailVerified === true };
}

export const isAllDone = (progress: Progress): boolean => stepNames.every(name => progress[name]);

export function useProgress() {
  const { client, environmentId } = useTenant();
  return useQuery({
    queryKey: ['progress', environmentId],
    queryFn: () => readProgress(client),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isAllDone(data) ? false : lookMs),
  });
}

/** Looks at once. */
export function useLook(): () => void {
  const queries = useQueryClient();
  const { environmentId } = useTenant();
  return () => void queries.invalidateQueries({ queryKey: ['progress', environmentId] });
}
