/** The body of every error. Its title is not `Error`, which in generated clients would hide the language's own. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { freeForm, optional, resource } from './fields.ts';

export const ErrorResponse = resource('ErrorBody', {
  error: Type.String({ pattern: '^svc/[a-z_]+/[a-z0-9_]+$' }),
  message: Type.String(),
  requestId: Type.String({ pattern: '^req_[A-Za-z0-9_-]+$' }),
  docsUrl: optional(Type.String({ format: 'uri' })),
  /** Omitted when nothing is actionable; validation errors carry `issues: [{path, message, code}]`. */
  details: optional(freeForm()),
});
export type ErrorResponse = Static<typeof ErrorResponse>;
