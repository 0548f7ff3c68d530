/** Where somebody works in Studio: the project and the environment of the address, and what they may do there. */
import { useQuery } from '@tanstack/react-query';
import { createContext, useContext, useMemo, type ReactNode } from 'react';
import { createFormClient, createOperatorClient, skein } from '../../kit/browser-session.ts';
import { type EnvironmentChoice, useEnvironments } from '../../kit/shell/environments.ts';
import { ApiError, type Skein } from '../../sdk/index.ts';
import { mostMembers } from '../team/most-members.ts';
import { type Me, toMe } from './caller.ts';

/** What somebody may do in a project. */
interface Access {
  readonly workspaceId: string;
  readonly me: Me;
  /** The project, or its workspace and with it all projects: everything can be read, and nothing changed. */
  readonly isArchived: boolean;
  /** Owners and admins of the workspace, and developers of the project, change things; others read them. */
  readonly mayWrite: boolean;
  /** Owners and admins of the workspace. */
  readonly mayAdminister: boolean;
  /** What administrators alone can see: the audit log, invitations. */
  readonly mayReadAudit: boolean;
  /** Administrators, and those who look after the project in the Console. */
  readonly mayReadUsage: boolean;
  readonly maySetBudgets: boolean;
  /** All that is known of a participant at once: developers, and those who look after the project in the Console. */
  readonly mayReadPersonalData: boolean;
}

export interface Tenant extends EnvironmentChoice, Access {
  /** Of the environment: what it lists and makes, it lists and makes there. */
  readonly client: Skein;
}

const Context = createContext<Tenant | undefined>(undefined);

export function useTenant(): Tenant {
  const tenant = useContext(Context);
  if (tenant === undefined) throw new Error('the page has no tenant');
  return tenant;
}

/** For what stands on pages outside of a project, too. */
export const useOptionalTenant = (): Tenant | undefined => useContext(Context);

type Ids = Pick<EnvironmentChoice, 'projectId' | 'environmentId'>;

/**
 * Undefined while it is read; null where there is no such one for this user.
 *
 * @throws whatever else keeps it from being read: the page then says so, and tries again
 */
export function useFindTenant({ projectId, environmentId }: Ids): Tenant | null | undefined {
  const { data: choices, error: listError } = useEnvironments();
  const { data: access, error } = useQuery({
    queryKey: accessKey(projectId),
    queryFn: () => readAccess(projectId),
    staleTime: 60_000,
  });
  const choice = choices?.find(each => each.projectId === projectId && each.environmentId === environmentId);
  const isAbsent = isAbsence(error) || (choices !== undefined && choice === undefined);
  const tenant = useMemo(
    () =>
      choice === undefined || access === undefined
        ? undefined
        : { ...choice, ...access, client: createFormClient({ projectId, environmentId }) },
    [choice, access, projectId, environmentId],
  );
  if (isAbsent) return null;
  // What was read before is good enough while it cannot be read again.
  if (tenant === undefined && (error ?? listError) !== null) throw error ?? listError;
  return tenant;
}

export const accessKey = (projectId: string): readonly string[] => ['access', projectId];

/** Not there, or not for this user: the server tells nobody which. */
const isAbsence = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404 || error.status === 422);

async function readAccess(projectId: string): Promise<Access> {
  const [caller, project] = await Promise.all([skein.caller.get(), skein.projects.get(projectId)]);
  const { workspaceId } = project;
  const me = toMe(caller);
  const [workspace, role, consoleRole] = await Promise.all([
    skein.workspaces.get(workspaceId),
    readRole(workspaceId, projectId, me.userId),
    readConsoleRole(projectId, me.userId),
  ]);
  const isArchived = project.archivedAt != null || workspace.archivedAt != null;
  const isAdministrator = role === 'owner' || role === 'admin';
  const isResponsible = isAdministrator || consoleRole === 'project_owner';
  return {
    workspaceId,
    me,
    isArchived,
    mayWrite: !isArchived && (isAdministrator || role === 'developer'),
    mayAdminister: !isArchived && isAdministrator,
    mayReadAudit: isAdministrator,
    mayReadUsage: isResponsible,
    maySetBudgets: !isArchived && isResponsible,
    mayReadPersonalData: isResponsible || role === 'developer',
  };
}

/** In the project: of the workspace's owners and admins theirs, of others the one that they have in the project. */
async function readRole(
  workspaceId: string,
  projectId: string,
  userId: string,
): Promise<'owner' | 'admin' | 'developer' | 'viewer'> {
  const member = await skein.members.get(workspaceId, userId);
  if (member.role !== 'viewer') return member.role;
  return member.projectRoles.find(each => each.projectId === projectId)?.role ?? 'viewer';
}

async function readConsoleRole(projectId: string, userId: string) {
  const { console } = createOperatorClient({ projectId });
  const members = await console.listMembers({ limit: 100 }).toArray(mostMembers);
  return members.find(each => each.userId === userId)?.role;
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
