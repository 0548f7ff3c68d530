/** API keys. Only Studio tokens are accepted: a key cannot manage keys. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  ApiKey,
  CreateApiKeyBody,
  CreatedApiKey,
  id,
  ListApiKeysQuery,
  createList,
  RotateApiKeyBody,
  RotatedApiKey,
} from '../resources/index.ts';
import { absent, access, always, checked, forbidden, paged, repeatable, signedIn } from './rules.ts';

const tag = 'API keys';

export const keyOperations = {
  listApiKeys: {
    method: 'GET',
    path: '/api-keys',
    tag,
    summary: "List a project's API keys, without secrets",
    auth: 'project',
    access: access.readKeys,
    query: ListApiKeysQuery,
    success: { status: 200, body: createList(ApiKey) },
    errors: [...always, ...paged, ...signedIn, ...forbidden, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  createApiKey: {
    method: 'POST',
    path: '/api-keys',
    tag,
    summary: 'Create an API key; only this answer contains its secret',
    description:
      'A key belongs to the project: it keeps working when its creator leaves the workspace, until somebody revokes it. It cannot have a scope that its creator could not use: a developer can give neither audit:read nor usage:read, nor *, which includes them (403).',
    auth: 'project',
    access: access.writeKeys,
    body: CreateApiKeyBody,
    success: { status: 201, body: CreatedApiKey },
    secret: true,
    errors: [
      ...always,
      ...checked,
      ...signedIn,
      ...forbidden,
      ...absent,
      ...repeatable,
      'svc/auth/email_not_verified',
      'svc/runtime/conflict',
    ],
    rate: 'write',
    idempotency: 'accepted',
  },
  rotateApiKey: {
    method: 'POST',
    path: '/api-keys/{apiKeyId}/rotate',
    tag,
    summary: 'Replace an API key by a new one; only this answer contains its secret',
    description:
      'The previous key works until the grace period is over; without a grace period it is revoked at once. A key can be rotated once: one that is rotating, revoked or expired is not found, nor is one with scopes that you could not give to a new key.',
    auth: 'project',
    access: access.writeKeys,
    params: Type.Object({ apiKeyId: id('apiKey') }),
    body: RotateApiKeyBody,
    success: { status: 200, body: RotatedApiKey },
    secret: true,
    errors: [...always, ...checked, ...signedIn, ...absent, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  revokeApiKey: {
    method: 'DELETE',
    path: '/api-keys/{apiKeyId}',
    tag,
    summary: 'Revoke an API key at once',
    auth: 'project',
    access: access.writeKeys,
    params: Type.Object({ apiKeyId: id('apiKey') }),
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
