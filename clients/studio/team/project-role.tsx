/** What a member may do in this project: owners and admins of the workspace are developers in each, and others get a role here. */
import { skein } from '../../kit/browser-session.ts';
import type { WorkspaceMember } from '../../sdk/index.ts';
import { RoleSelect } from '../parts/role-select.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

const roles = ['developer', 'viewer'] as const;

interface ProjectRoleProps {
  readonly member: WorkspaceMember;
  readonly onChanged: () => Promise<void>;
}

export function ProjectRole({ member, onChanged }: ProjectRoleProps) {
  const texts = useTexts().team;
  const { projectId, mayAdminister } = useTenant();
  const { userId, email, role, projectRoles } = member;
  if (role !== 'viewer') return texts.projectRoles.developer;
  return (
    <RoleSelect
      label={texts.projectRoleOf(email)}
      isFixed={!mayAdminister}
      role={projectRoles.find(each => each.projectId === projectId)?.role}
      roles={roles}
      labels={texts.projectRoles}
      none={texts.noProjectRole}
      onChange={async chosen => {
        await skein.projects.upsertMember(projectId, { userId, role: chosen });
        await onChanged();
      }}
      onNone={async () => {
        await skein.projects.removeMember(projectId, userId);
        await onChanged();
      }}
    />
  );
}
