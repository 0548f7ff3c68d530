/** [+] Members of a workspace (decisions section 2). */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, resource } from './fields.ts';
import { workspaceRoles } from './studio.ts';

export const WorkspaceMember = resource('WorkspaceMember', {
  workspaceId: id('workspace'),
  userId: id('user'),
  email: Type.String(),
  role: choice(workspaceRoles),
  createdAt: instant(),
  updatedAt: instant(),
});
export type WorkspaceMember = Static<typeof WorkspaceMember>;

export const UpdateWorkspaceMemberBody = body('UpdateWorkspaceMemberBody', { role: choice(workspaceRoles) });
export type UpdateWorkspaceMemberBody = Static<typeof UpdateWorkspaceMemberBody>;
