/** All instructions of the environment, as far as a choice can hold them. */
import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../shell/tenant.tsx';

const mostLooms = 500;

export function useLooms() {
  const { client, environmentId } = useTenant();
  return useQuery({
    queryKey: ['looms', environmentId, 'all'],
    queryFn: () => client.looms.list({ limit: 100 }).toArray(mostLooms),
  });
}
