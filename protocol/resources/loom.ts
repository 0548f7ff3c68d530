import Type from 'typebox';
import type { Static } from 'typebox';
import { providers } from './byok.ts';
import { choice, freeForm, id, instant, nullable, optional, resource, text } from './fields.ts';
import { agentModes } from './thread.ts';

export const Loom = resource('Loom', {
  loomId: id('loom'),
  projectId: id('project'),
  name: text(1, 256),
  status: choice(['active', 'archived']),
  activeVersionId: optional(nullable(id('loomVersion'))),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  /** [+] */
  environmentId: optional(id('environment')),
});
export type Loom = Static<typeof Loom>;

/** Immutable: a rollback activates an older one. */
export const LoomVersion = resource('LoomVersion', {
  loomVersionId: id('loomVersion'),
  projectId: id('project'),
  loomId: id('loom'),
  version: Type.Integer({ minimum: 1 }),
  status: choice(['published', 'archived']),
  systemPrompt: Type.String(),
  rules: Type.Array(Type.String()),
  provider: choice(providers),
  model: Type.String(),
  byokCredentialId: optional(nullable(id('byok'))),
  mode: nullable(choice(agentModes)),
  temperature: optional(nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  maxTokens: optional(nullable(Type.Integer({ minimum: 1 }))),
  toolIds: Type.Array(id('tool')),
  metadata: freeForm(),
  createdAt: instant(),
});
export type LoomVersion = Static<typeof LoomVersion>;
