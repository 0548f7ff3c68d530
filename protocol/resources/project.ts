import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, nullable, optional, resource, restored, text } from './fields.ts';
import { maybeProject, page } from './list.ts';
import { avatarColors } from './profile.ts';
import { projectRoles } from './studio.ts';

/** `roundRobin`: threads that wait are given to operators who are online and have room, in turn. */
export const assignmentModes = ['off', 'roundRobin'] as const;

const maxOpenThreads = Type.Integer({ minimum: 1, maximum: 1_000 });

export const ProjectAssignment = resource('ProjectAssignment', {
  mode: choice(assignmentModes),
  /** Open threads that an operator has at most when they are given another. */
  maxOpenThreads,
});
export type ProjectAssignment = Static<typeof ProjectAssignment>;

export const Project = resource('Project', {
  projectId: id('project'),
  workspaceId: id('workspace'),
  name: text(1, 256),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  assignment: optional(ProjectAssignment),
});
export type Project = Static<typeof Project>;

export const CreateProjectBody = body('CreateProjectBody', {
  workspaceId: id('workspace'),
  name: text(1, 256),
});
export type CreateProjectBody = Static<typeof CreateProjectBody>;

export const AssignmentInput = body('AssignmentInput', {
  mode: optional(choice(assignmentModes)),
  maxOpenThreads: optional(maxOpenThreads),
});
export type AssignmentInput = Static<typeof AssignmentInput>;

export const UpdateProjectBody = body('UpdateProjectBody', {
  name: optional(text(1, 256)),
  /** What is absent stays. */
  assignment: optional(AssignmentInput),
  archived: restored(),
});
export type UpdateProjectBody = Static<typeof UpdateProjectBody>;

export const ProjectMember = resource('ProjectMember', {
  projectId: id('project'),
  userId: id('user'),
  role: choice(projectRoles),
  createdAt: instant(),
  updatedAt: instant(),
});
export type ProjectMember = Static<typeof ProjectMember>;

/** As lists show a member: with what the user's profile says. */
export const ListedProjectMember = resource('ListedProjectMember', {
  ...ProjectMember.properties,
  displayName: Type.String(),
  avatarColor: nullable(choice(avatarColors)),
});
export type ListedProjectMember = Static<typeof ListedProjectMember>;

export const UpsertProjectMemberBody = body('UpsertProjectMemberBody', {
  userId: id('user'),
  role: choice(projectRoles),
});
export type UpsertProjectMemberBody = Static<typeof UpsertProjectMemberBody>;

export const ListProjectsQuery = Type.Object({ workspaceId: optional(id('workspace')), ...page });

/** Keys of environment `test` work in `sandbox`, `live` in `production`; data is never mixed between the two. */
export const environmentKinds = ['sandbox', 'production'] as const;
export type EnvironmentKind = (typeof environmentKinds)[number];

export const Environment = resource('Environment', {
  environmentId: id('environment'),
  projectId: id('project'),
  name: text(1, 128),
  kind: optional(choice(environmentKinds)),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Environment = Static<typeof Environment>;

/** Creates the project's production environment. */
export const CreateEnvironmentBody = body('CreateEnvironmentBody', {
  projectId: id('project'),
  name: text(1, 128),
});
export type CreateEnvironmentBody = Static<typeof CreateEnvironmentBody>;

export const UpdateEnvironmentBody = body('UpdateEnvironmentBody', { name: optional(text(1, 128)) });
export type UpdateEnvironmentBody = Static<typeof UpdateEnvironmentBody>;

export const ListEnvironmentsQuery = Type.Object({ ...maybeProject, ...page });
