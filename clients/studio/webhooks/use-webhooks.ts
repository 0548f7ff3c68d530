import { useQuery } from '@tanstack/react-query';
import type { Stitch } from '../../sdk/index.ts';
import { useTenant } from '../shell/tenant.tsx';

/** More than these are not offered. */
const mostWebhooks = 100;

/** The webhooks of the environment that can be delivered to. */
export function useWebhooks(): readonly Stitch[] {
  const { client, environmentId } = useTenant();
  const { data = [] } = useQuery({
    queryKey: ['webhooks', environmentId, 'choices'],
    queryFn: () => client.stitches.list({ limit: mostWebhooks }).toArray(mostWebhooks),
  });
  return data.filter(({ archivedAt }) => archivedAt == null);
}
