import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  httpUrl,
  id,
  instant,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';

export const toolMethods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
export type ToolMethod = (typeof toolMethods)[number];
export const toolStatuses = ['active', 'disabled', 'error'] as const;
export type ToolStatus = (typeof toolStatuses)[number];

/** Replaces the value of a header in answers: a value can be written, and never read. */
export const redacted = '[redacted]';

const common = {
  toolId: id('tool'),
  projectId: id('project'),
  name: text(1, 256),
  url: nullable(Type.String({ format: 'uri' })),
  method: choice(toolMethods),
  /** Every value is `[redacted]`. */
  headers: freeForm(),
  timeoutMs: Type.Integer({ minimum: 100, maximum: 30_000 }),
  retryMaxAttempts: Type.Integer({ minimum: 1, maximum: 5 }),
  retryBackoffMs: Type.Integer({ minimum: 0, maximum: 30_000 }),
  status: choice(toolStatuses),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  environmentId: optional(id('environment')),
  /** Tells the model what the tool is for. */
  description: optional(nullable(Type.String())),
  /** JSON Schema of what the model passes. */
  inputSchema: optional(nullable(freeForm())),
  /** Whether a person has to approve each call that a model wants. */
  requiresApproval: optional(Type.Boolean()),
};

export const Tool = resource('Tool', common);
export type Tool = Static<typeof Tool>;

/** `signingSecret` signs the requests to the tool (header Service-Signature); it is shown only when it is made. */
export const CreatedTool = resource('CreatedTool', {
  ...common,
  signingSecret: Type.String({ minLength: 24 }),
});
export type CreatedTool = Static<typeof CreatedTool>;

/** The handler checks names and values (tool-definition.ts). */
const headers = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string', maxLength: 4096 },
  maxProperties: 32,
  default: {},
});

const timeoutMs = (options: object = {}) => Type.Integer({ minimum: 100, maximum: 30_000, ...options });
const retryMaxAttempts = (options: object = {}) => Type.Integer({ minimum: 1, maximum: 5, ...options });
const retryBackoffMs = (options: object = {}) => Type.Integer({ minimum: 0, maximum: 30_000, ...options });

const shared = {
  headers: optional(headers),
  metadata: optional(freeFormInput()),
  /** Tells the model what the tool is for. */
  description: optional(nullable(text(1, 4096))),
  /** JSON Schema of type object, at most 32 KiB (tool-definition.ts). */
  inputSchema: optional(nullable(freeForm())),
};

export const CreateToolBody = body('CreateToolBody', {
  projectId: id('project'),
  /** For Studio users; a key's own environment otherwise. */
  environmentId: optional(id('environment')),
  name: text(1, 256),
  url: httpUrl(),
  method: optional(choice(toolMethods, { default: 'POST' })),
  timeoutMs: optional(timeoutMs({ default: 5_000 })),
  retryMaxAttempts: optional(retryMaxAttempts({ default: 1 })),
  retryBackoffMs: optional(retryBackoffMs({ default: 250 })),
  requiresApproval: optional(Type.Boolean({ default: false })),
  ...shared,
});
export type CreateToolBody = Static<typeof CreateToolBody>;

/**
 * `headers` replaces the whole set; a header whose value is `[redacted]` keeps its value. Users can set active and disabled; the service
 * sets `error`, and clears it when the tool works again or is set active.
 */
export const UpdateToolBody = body('UpdateToolBody', {
  projectId: id('project'),
  name: optional(text(1, 256)),
  url: optional(httpUrl()),
  method: optional(choice(toolMethods)),
  timeoutMs: optional(timeoutMs()),
  retryMaxAttempts: optional(retryMaxAttempts()),
  retryBackoffMs: optional(retryBackoffMs()),
  requiresApproval: optional(Type.Boolean()),
  status: optional(choice(['active', 'disabled'])),
  ...shared,
});
export type UpdateToolBody = Static<typeof UpdateToolBody>;

/** How long the secrets until now also sign, in seconds. */
export const RotateToolSecretBody = body('RotateToolSecretBody', {
  projectId: id('project'),
  gracePeriodSeconds: optional(Type.Integer({ minimum: 0, maximum: 604_800, default: 86_400 })),
});
export type RotateToolSecretBody = Static<typeof RotateToolSecretBody>;

/** The arguments, as a model would pass them. */
export const TestToolBody = body('TestToolBody', {
  projectId: id('project'),
  arguments: optional(freeForm()),
});
export type TestToolBody = Static<typeof TestToolBody>;

/** The outcome of one call, as a model would get it. */
export const ToolTest = resource('ToolTest', {
  status: choice(['succeeded', 'failed']),
  /** Null without an answer. */
  httpStatus: nullable(Type.Integer()),
  durationMs: Type.Integer({ minimum: 0 }),
  /** JSON with secrets redacted. */
  result: Type.Unknown(),
  /** The failure in words, if there was one. */
  error: nullable(Type.String()),
});
export type ToolTest = Static<typeof ToolTest>;
