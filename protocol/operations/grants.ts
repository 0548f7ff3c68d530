/** The scopes that a user may give to an API key: a key must not allow what its creator may not do. */
import type { ConsoleRole, Operation, Scope, StudioRole } from '../operation.ts';
import type { ProjectRole, WorkspaceRole } from '../resources/index.ts';
import { scopes } from '../operation.ts';
import { operations } from './table.ts';

/** A user's roles in a project. */
export interface Roles {
  readonly studioRole: StudioRole | undefined;
  readonly consoleRole: ConsoleRole | undefined;
}

/** The operations that each scope allows. */
const operationsByScope = new Map<Scope, Operation[]>(scopes.map(scope => [scope, []]));
for (const operation of Object.values<Operation>(operations)) {
  for (const scope of operation.access?.scopes ?? []) operationsByScope.get(scope)?.push(operation);
}

function admits({ access }: Operation, { studioRole, consoleRole }: Roles): boolean {
  if (consoleRole !== undefined && access?.console.includes(consoleRole) === true) return true;
  return studioRole !== undefined && access?.studio.includes(studioRole) === true;
}

/**
 * The requested scopes that the roles may not give: those that only allow operations which the roles do not. `*` means all scopes.
 */
export function listForbiddenScopes(roles: Roles, asked: readonly Scope[]): Scope[] {
  const meant = asked.includes('*') ? scopes : asked;
  return meant.filter(scope => {
    const does = operationsByScope.get(scope) ?? [];
    return does.length > 0 && !does.some(operation => admits(operation, roles));
  });
}

/** A user's Studio role in a project: the stronger of the roles in its workspace and in the project itself. */
export function toStudioRole(
  workspaceRole: WorkspaceRole | null,
  projectRole: ProjectRole | null,
): StudioRole | undefined {
  if (workspaceRole === 'owner' || workspaceRole === 'admin') return workspaceRole;
  return projectRole ?? workspaceRole ?? undefined;
}
