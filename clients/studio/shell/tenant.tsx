/** Where somebody works in Studio: the project and the environment of the address, and what they may do there. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo, type ReactNode } from 'react';
import { createOperatorClient, skein } from '../../kit/browser-session.ts';
import { type EnvironmentChoice, useEnvironments } from '../../kit/shell/environments.ts';
import type { Skein } from '../../sdk/index.ts';

export interface Tenant extends EnvironmentChoice {
  readonly workspaceId: string;
  /** Of the environment: what it lists and makes, it lists and makes there. */
  readonly client: Skein;
  readonly me: { readonly userId: string; readonly email: string };
  /** Owners and admins of the workspace, and developers of the project, change things; others read them. */
  readonly mayWrite: boolean;
  /** Owners and admins of the workspace. */
  readonly mayAdminister: boolean;
}

const Context = createContext<Tenant | undefined>(undefined);

export function useTenant(): Tenant {
  const tenant = useContext(Context);
  if (tenant === undefined) throw new Error('the page has no tenant');
  return tenant;
}

type Ids = Pick<EnvironmentChoice, 'projectId' | 'environmentId'>;

/** Undefined while it is read; null where there is no such one for this user. */
export function useFindTenant({ projectId, environmentId }: Ids): Tenant | null | undefined {
  const { data: choices } = useEnvironments();
  const { data: access, error } = useQuery({
    queryKey: ['access', projectId],
    queryFn: () => readAccess(projectId),
    staleTime: 60_000,
  });
  const choice = choices?.find(each => each.projectId === projectId && each.environmentId === environmentId);
  return useMemo(() => {
    if (error !== null || (choices !== undefined && choice === undefined)) return null;
    if (choice === undefined || access === undefined) return undefined;
    return { ...choice, ...access, client: createOperatorClient({ projectId, environmentId }) };
  }, [choices, choice, access, error, projectId, environmentId]);
}

async function readAccess(
  projectId: string,
): Promise<Pick<Tenant, 'workspaceId' | 'me' | 'mayWrite' | 'mayAdminister'>> {
  const [caller, project] = await Promise.all([skein.caller.get(), skein.projects.get(projectId)]);
  const { workspaceId } = project;
  const role = caller.workspaces?.find(each => each.workspaceId === workspaceId)?.role;
  const mayAdminister = role === 'owner' || role === 'admin';
  const { userId = '', email = '' } = caller.user ?? {};
  return { workspaceId, me: { userId, email }, mayAdminister, mayWrite: mayAdminister };
}

export function TenantProvider({
  tenant,
  children,
}: {
  readonly tenant: Tenant;
  readonly children: ReactNode;
}) {
  return <Context value={tenant}>{children}</Context>;
}
