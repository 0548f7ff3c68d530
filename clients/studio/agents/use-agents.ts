/** All agents of the environment, as far as a choice can hold them. */
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../shell/tenant.tsx';

const mostAgents = 500;

export function useAgents() {
  const { client, environmentId } = useTenant();
  return useQuery({
    queryKey: ['agents', environmentId, 'all'],
    queryFn: () => client.agents.list({ limit: 100 }).toArray(mostAgents),
  });
}
