/** The number of the loom version that a run has used. */
import { useQuery } from '@tanstack/react-query';
import type { AgentRun } from '../../sdk/index.ts';
import { useClient } from './conversations-context.tsx';

/** Undefined until it is known, and where there is none. */
export function useLoomVersion(run: AgentRun | undefined): number | undefined {
  const client = useClient();
  const { loomId, loomVersionId } = run ?? {};
  const { data } = useQuery({
    queryKey: ['loom-version', loomVersionId],
    staleTime: Infinity,
    enabled: loomId != null && loomVersionId !== undefined,
    queryFn: async () => (await client.looms.getVersion(loomId ?? '', loomVersionId ?? '')).version,
  });
  return data;
}
