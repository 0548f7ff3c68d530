import Type from 'typebox';
import type { Static } from 'typebox';
import { body, id, instant, nullable, optional, resource, text } from './fields.ts';
import { page } from './list.ts';

export const Project = resource('Project', {
  projectId: id('project'),
  workspaceId: id('workspace'),
  name: text(1, 256),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
});
export type Project = Static<typeof Project>;

export const CreateProjectBody = body('CreateProjectBody', {
  workspaceId: id('workspace'),
  name: text(1, 256),
});
export type CreateProjectBody = Static<typeof CreateProjectBody>;

export const ListProjectsQuery = Type.Object({ workspaceId: optional(id('workspace')), ...page });
