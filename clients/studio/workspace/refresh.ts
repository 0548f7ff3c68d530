/** What is read again after a workspace, a project or an environment has changed. */
import { useQueryClient } from '@tanstack/react-query';
import { callerKey } from '../shell/caller.ts';
import { accessKey } from '../shell/tenant.tsx';
import { useWorkspace, workspaceKey } from '../shell/workspace.tsx';

/** With what each project allows: a workspace that is archived archives its projects. */
const allAccess = accessKey('').slice(0, 1);

export function useRefresh(): () => Promise<void> {
  const queries = useQueryClient();
  const { workspaceId } = useWorkspace();
  const keys = [['projects'], ['project'], ['environments'], callerKey, workspaceKey(workspaceId), allAccess];
  return async () => {
    await Promise.all(keys.map(queryKey => queries.invalidateQueries({ queryKey })));
  };
}
