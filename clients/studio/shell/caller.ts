/** Who is signed in, and the workspaces that they belong to. */
import { useQuery } from '@tanstack/react-query';
import { skein } from '../../kit/browser-session.ts';
import { toVisibleName } from '../../kit/shown-name.ts';
import { tellApart } from '../../kit/shell/tell-apart.ts';
import type { Caller } from '../../sdk/index.ts';

export const callerKey = ['caller'];

export interface Me {
  readonly userId: string;
  readonly email: string;
}

export function toMe({ user }: Caller): Me {
  const { userId = '', email = '' } = user ?? {};
  return { userId, email };
}

export const callerQuery = { queryKey: callerKey, queryFn: () => skein.caller.get(), staleTime: 60_000 };

export function useCaller() {
  return useQuery(callerQuery);
}

interface NamedWorkspace {
  readonly workspaceId: string;
  /** Unlike those of the others: whoever has named theirs nothing may have joined another like it. */
  readonly name: string;
}

export function listWorkspaces(caller: Caller | undefined): readonly NamedWorkspace[] {
  const all = caller?.workspaces ?? [];
  const names = tellApart(all.map(({ workspaceId: id, name }) => ({ id, name: toVisibleName(name, id) })));
  return all.map(({ workspaceId, name }, index) => ({ workspaceId, name: names[index] ?? name }));
}
