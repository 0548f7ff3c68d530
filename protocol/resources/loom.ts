import Type from 'typebox';
import type { Static } from 'typebox';
import { providers } from './byok.ts';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  id,
  instant,
  nullable,
  optional,
  resource,
  restored,
  text,
} from './fields.ts';
import { Actor } from './message.ts';
import { agentModes } from './thread.ts';

export const loomStatuses = ['active', 'archived'] as const;
export const loomVersionStatuses = ['published', 'archived'] as const;

export const Loom = resource('Loom', {
  loomId: id('loom'),
  projectId: id('project'),
  name: text(1, 256),
  status: choice(loomStatuses),
  activeVersionId: optional(nullable(id('loomVersion'))),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  environmentId: optional(id('environment')),
});
export type Loom = Static<typeof Loom>;

/** A version never changes; a rollback activates an older one. */
export const LoomVersion = resource('LoomVersion', {
  loomVersionId: id('loomVersion'),
  projectId: id('project'),
  loomId: id('loom'),
  version: Type.Integer({ minimum: 1 }),
  status: choice(loomVersionStatuses),
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
  environmentId: optional(id('environment')),
});
export type LoomVersion = Static<typeof LoomVersion>;

/** An entry of a loom's history: a version became the active one. */
export const LoomActivation = resource('LoomActivation', {
  loomId: id('loom'),
  /** 1, 2, 3 ... of the loom. */
  number: Type.Integer({ minimum: 1 }),
  loomVersionId: id('loomVersion'),
  version: Type.Integer({ minimum: 1 }),
  /** Null: none was active before. */
  previousVersionId: nullable(id('loomVersion')),
  previousVersion: nullable(Type.Integer({ minimum: 1 })),
  actor: Actor,
  reason: nullable(Type.String()),
  createdAt: instant(),
});
export type LoomActivation = Static<typeof LoomActivation>;

/** Why a version is activated, in words: kept in the loom's history. */
const reason = () => optional(text(1, 1_000));

/** The contents of a version; null is the same as absent. */
const definition = {
  systemPrompt: text(1, 64_000),
  provider: choice(providers),
  model: text(1, 256),
  rules: optional(Type.Array(text(1, 2000), { maxItems: 100, default: [] })),
  byokCredentialId: optional(nullable(id('byok'))),
  mode: optional(nullable(choice(agentModes))),
  temperature: optional(nullable(Type.Number({ minimum: 0, maximum: 2 }))),
  maxTokens: optional(nullable(Type.Integer({ minimum: 1, maximum: 2_147_483_647 }))),
  toolIds: optional(Type.Array(id('tool'), { maxItems: 64, default: [] })),
  metadata: optional(freeFormInput()),
};

/** Creates a loom and its first version, which is active. `metadata` is the loom's. */
export const CreateLoomBody = body('CreateLoomBody', {
  projectId: id('project'),
  /** For Studio users; a key's own environment otherwise. */
  environmentId: optional(id('environment')),
  name: text(1, 256),
  ...definition,
});
export type CreateLoomBody = Static<typeof CreateLoomBody>;

/** A loom that an agent uses cannot be archived. */
export const UpdateLoomBody = body('UpdateLoomBody', {
  projectId: id('project'),
  name: optional(text(1, 256)),
  status: optional(choice(loomStatuses)),
  archived: restored(),
  metadata: optional(freeFormInput()),
});
export type UpdateLoomBody = Static<typeof UpdateLoomBody>;

export const CreateLoomVersionBody = body('CreateLoomVersionBody', {
  projectId: id('project'),
  ...definition,
  activate: optional(Type.Boolean({ default: true })),
  /** Only of a version that is activated. */
  reason: reason(),
});
export type CreateLoomVersionBody = Static<typeof CreateLoomVersionBody>;

/** Nothing else of a version can change. The active version cannot be archived. */
export const UpdateLoomVersionBody = body('UpdateLoomVersionBody', {
  projectId: id('project'),
  status: optional(choice(loomVersionStatuses)),
  archived: restored(),
});
export type UpdateLoomVersionBody = Static<typeof UpdateLoomVersionBody>;

export const ActivateLoomVersionBody = body('ActivateLoomVersionBody', {
  projectId: id('project'),
  loomVersionId: id('loomVersion'),
  reason: reason(),
  /** The version that the caller takes for the active one: 409 where it is another by now. */
  expectedActiveVersionId: optional(id('loomVersion')),
});
export type ActivateLoomVersionBody = Static<typeof ActivateLoomVersionBody>;
