/** Who works in a project, and who the operator is, as far as they may see it. */
import { useQuery } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import type { ListedConsoleMember, Skein, StudioUser, WorkspaceMember } from '../../sdk/index.ts';

const rarelyChanges = 300_000;
/** The operator's own role may change, too. */
const rolesEveryMs = 60_000;

export interface Members {
  readonly me: StudioUser;
  readonly members: readonly ListedConsoleMember[];
  readonly workspaceMembers: readonly WorkspaceMember[];
}

/** @param client of the project. Undefined until it is known. */
export function useMembers(projectId: string, client: Skein): Members | undefined {
  const { data } = useQuery({
    queryKey: ['colleagues', projectId],
    staleTime: rarelyChanges,
    refetchInterval: rolesEveryMs,
    queryFn: async (): Promise<Members> => {
      const me = await skein.auth.me();
      const [members, workspaceMembers] = await Promise.all([
        // Not everybody may see everybody.
        client.console
          .listMembers({ limit: 100 })
          .toArray(500)
          .catch(() => []),
        client.members
          .list(me.workspaceId, { limit: 100 })
          .toArray(500)
          .catch(() => []),
      ]);
      return { me, members, workspaceMembers };
    },
  });
  return data;
}
