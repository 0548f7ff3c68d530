import Type from 'typebox';
import type { Static } from 'typebox';
import { choice, freeForm, id, instant, nullable, optional, resource, text } from './fields.ts';

export const Tool = resource('Tool', {
  toolId: id('tool'),
  projectId: id('project'),
  name: text(1, 256),
  url: nullable(Type.String({ format: 'uri' })),
  method: choice(['GET', 'POST', 'PATCH', 'PUT', 'DELETE']),
  headers: freeForm(),
  timeoutMs: Type.Integer({ minimum: 100, maximum: 30_000 }),
  retryMaxAttempts: Type.Integer({ minimum: 1, maximum: 5 }),
  retryBackoffMs: Type.Integer({ minimum: 0, maximum: 30_000 }),
  status: choice(['active', 'disabled', 'error']),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  /** [+] */
  environmentId: optional(id('environment')),
  /** [+] Tells the model what the tool is for. */
  description: optional(nullable(Type.String())),
  /** [+] JSON Schema of what the model passes. */
  inputSchema: optional(nullable(freeForm())),
});
export type Tool = Static<typeof Tool>;
