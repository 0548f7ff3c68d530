/** Which scopes somebody may give to an API key: a key is no way to what its maker could not do (decisions section 3). */
import type { ConsoleRole, Operation, Scope, StudioRole } from '../operation.ts';
import { scopes } from '../operation.ts';
import { operations } from './table.ts';

/** What somebody is in a project. */
export interface Roles {
  readonly studioRole: StudioRole | undefined;
  readonly consoleRole: ConsoleRole | undefined;
}

/** By scope, the operations that it opens. */
const opened = new Map<Scope, Operation[]>(scopes.map(scope => [scope, []]));
for (const operation of Object.values<Operation>(operations)) {
  for (const scope of operation.access?.scopes ?? []) opened.get(scope)?.push(operation);
}

function admits({ access }: Operation, { studioRole, consoleRole }: Roles): boolean {
  if (consoleRole !== undefined && access?.console.includes(consoleRole) === true) return true;
  return studioRole !== undefined && access?.studio.includes(studioRole) === true;
}

/**
 * Those of the scopes that the roles may not give: each opens operations, none of which the roles could do themselves. `*` is
 * every scope.
 */
export function beyond(roles: Roles, asked: readonly Scope[]): Scope[] {
  const meant = asked.includes('*') ? scopes : asked;
  return meant.filter(scope => {
    const does = opened.get(scope) ?? [];
    return does.length > 0 && !does.some(operation => admits(operation, roles));
  });
}
