import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, id, instant, optional, resource, text } from './fields.ts';
import { maybeProject, page } from './list.ts';

/** Keys of environment `test` work in `sandbox`, `live` in `production`; data is never mixed between the two. */
export const environmentKinds = ['sandbox', 'production'] as const;
export type EnvironmentKind = (typeof environmentKinds)[number];

export const Environment = resource('Environment', {
  environmentId: id('environment'),
  projectId: id('project'),
  name: text(1, 128),
  /** [+] */
  kind: optional(choice(environmentKinds)),
  createdAt: instant(),
  updatedAt: instant(),
});
export type Environment = Static<typeof Environment>;

/** Makes the project's production environment. */
export const CreateEnvironmentBody = body('CreateEnvironmentBody', {
  projectId: id('project'),
  name: text(1, 128),
});
export type CreateEnvironmentBody = Static<typeof CreateEnvironmentBody>;

export const ListEnvironmentsQuery = Type.Object({ ...maybeProject, ...page });
