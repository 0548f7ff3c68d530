/** Who a credential is. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { choice, id, instant, nullable, resource, text } from './fields.ts';
import { environmentKinds } from './project.ts';
import { workspaceRoles } from './studio.ts';

export const credentialTypes = ['api_key', 'access_token', 'service_token'] as const;

/** What identifies an API key, without its secret. */
export const CallerApiKey = resource('CallerApiKey', {
  apiKeyId: id('apiKey'),
  name: text(1, 128),
  keyPrefix: Type.String(),
});

export const CallerUser = resource('CallerUser', {
  userId: id('user'),
  email: Type.String(),
  emailVerified: Type.Boolean(),
  instanceAdmin: Type.Boolean(),
});

export const CallerWorkspace = resource('CallerWorkspace', {
  workspaceId: id('workspace'),
  name: text(1, 256),
  role: choice(workspaceRoles),
});

/** What an API key is bound to is null for the others, and so is what only a sign-in has for keys. */
export const Caller = resource('Caller', {
  type: choice(credentialTypes),
  projectId: nullable(id('project')),
  environmentId: nullable(id('environment')),
  environmentKind: nullable(choice(environmentKinds)),
  scopes: nullable(Type.Array(Type.String())),
  expiresAt: nullable(instant()),
  apiKey: nullable(CallerApiKey),
  user: nullable(CallerUser),
  workspaces: nullable(Type.Array(CallerWorkspace)),
  service: nullable(Type.String()),
});
export type Caller = Static<typeof Caller>;
