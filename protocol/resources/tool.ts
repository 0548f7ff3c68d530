import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
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

/** What stands for the value of a header: a value is written, used, and never shown. */
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
  /** [+] */
  environmentId: optional(id('environment')),
  /** [+] Tells the model what the tool is for. */
  description: optional(nullable(Type.String())),
  /** [+] JSON Schema of what the model passes. */
  inputSchema: optional(nullable(freeForm())),
};

export const Tool = resource('Tool', common);
export type Tool = Static<typeof Tool>;

/** [+] `signingSecret` signs what the tool is sent (header Service-Signature): it is shown when it is made, and never again. */
export const CreatedTool = resource('CreatedTool', {
  ...common,
  signingSecret: Type.String({ minLength: 24 }),
});
export type CreatedTool = Static<typeof CreatedTool>;

/** What the names and values may be is said by tool-headers.ts: the handler answers. */
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
  metadata: optional(freeForm()),
  /** [+] Tells the model what the tool is for. */
  description: optional(nullable(text(1, 4096))),
  /** [+] JSON Schema of type object, at most 32 KiB (tool-input.ts). */
  inputSchema: optional(nullable(freeForm())),
};

export const CreateToolBody = body('CreateToolBody', {
  projectId: id('project'),
  /** [+] For Studio users; a key's own environment otherwise. */
  environmentId: optional(id('environment')),
  name: text(1, 256),
  url: httpUrl(),
  method: optional(choice(toolMethods, { default: 'POST' })),
  timeoutMs: optional(timeoutMs({ default: 5_000 })),
  retryMaxAttempts: optional(retryMaxAttempts({ default: 1 })),
  retryBackoffMs: optional(retryBackoffMs({ default: 250 })),
  ...shared,
});
export type CreateToolBody = Static<typeof CreateToolBody>;

/**
 * `headers` are the whole set; one whose value is `[redacted]` keeps the value that it has. A user may switch between active and
 * disabled; `error` comes by itself, and goes by itself or by being made active.
 */
export const UpdateToolBody = body('UpdateToolBody', {
  projectId: id('project'),
  name: optional(text(1, 256)),
  url: optional(httpUrl()),
  method: optional(choice(toolMethods)),
  timeoutMs: optional(timeoutMs()),
  retryMaxAttempts: optional(retryMaxAttempts()),
  retryBackoffMs: optional(retryBackoffMs()),
  status: optional(choice(['active', 'disabled'])),
  ...shared,
});
export type UpdateToolBody = Static<typeof UpdateToolBody>;

/** Bytes of the arguments' JSON, of a model and of a test. */
export const largestArguments = 65_536;

/** What the tool is called with, as a model would. */
export const TestToolBody = body('TestToolBody', {
  projectId: id('project'),
  arguments: optional(freeForm()),
});
export type TestToolBody = Static<typeof TestToolBody>;

/** What came of calling the tool once: what a model would be told of it. */
export const ToolTest = resource('ToolTest', {
  status: choice(['succeeded', 'failed']),
  /** Null: there was no answer. */
  httpStatus: nullable(Type.Integer()),
  durationMs: Type.Integer({ minimum: 0 }),
  /** JSON; secrets are blotted out. */
  result: Type.Unknown(),
  /** In words, where it failed. */
  error: nullable(Type.String()),
});
export type ToolTest = Static<typeof ToolTest>;
