/** The workspace of the address, on pages outside of a project, and what its reader may do there. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, type ReactNode } from 'react';
import { skein } from '../../kit/browser-session.ts';
import { ApiError, type Workspace } from '../../sdk/index.ts';
import { type Me, toMe, useCaller } from './caller.ts';

export interface WorkspaceAccess {
  readonly workspace: Workspace;
  readonly workspaceId: string;
  readonly me: Me;
  readonly role: 'owner' | 'admin' | 'viewer';
  /** It can be read, and nothing changed in it. */
  readonly isArchived: boolean;
  readonly isOwner: boolean;
  /** Owners and admins, while it is not archived. */
  readonly mayAdminister: boolean;
}

const Context = createContext<WorkspaceAccess | undefined>(undefined);

export function useWorkspace(): WorkspaceAccess {
  const workspace = useContext(Context);
  if (workspace === undefined) throw new Error('the page has no workspace');
  return workspace;
}

export const workspaceKey = (workspaceId: string): readonly string[] => ['workspace', workspaceId];

/**
 * Undefined while it is read; null where there is no such one for this user.
 *
 * @throws whatever else keeps it from being read
 */
export function useFindWorkspace(workspaceId: string): WorkspaceAccess | null | undefined {
  const { data: caller, error: callerError } = useCaller();
  const me = caller && toMe(caller);
  const { data, error } = useQuery({
    queryKey: workspaceKey(workspaceId),
    queryFn: () => readWorkspace(workspaceId, me?.userId ?? ''),
    enabled: me !== undefined,
  });
  if (error instanceof ApiError && [403, 404, 422].includes(error.status)) return null;
  if (data === undefined && (error ?? callerError) !== null) throw error ?? callerError;
  if (me === undefined || data === undefined) return undefined;
  const { workspace, role } = data;
  const isArchived = workspace.archivedAt != null;
  return {
    workspace,
    workspaceId,
    me,
    role,
    isArchived,
    isOwner: role === 'owner',
    mayAdminister: !isArchived && role !== 'viewer',
  };
}

async function readWorkspace(
  workspaceId: string,
  userId: string,
): Promise<Pick<WorkspaceAccess, 'workspace' | 'role'>> {
  const [workspace, { role }] = await Promise.all([
    skein.workspaces.get(workspaceId),
    skein.members.get(workspaceId, userId),
  ]);
  return { workspace, role };
}

export function WorkspaceProvider({
  workspace,
  children,
}: {
  readonly workspace: WorkspaceAccess;
  readonly children: ReactNode;
}) {
  return <Context value={workspace}>{children}</Context>;
}
