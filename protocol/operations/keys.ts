/** API keys (specification, "API key operations"): Studio tokens only, no key ever reaches them. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  ApiKey,
  CreateApiKeyBody,
  CreatedApiKey,
  ListApiKeysQuery,
  RotateApiKeyBody,
  RotatedApiKey,
} from '../resources/api-key.ts';
import { id } from '../resources/fields.ts';
import { listOf } from '../resources/list.ts';
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
    success: { status: 200, body: listOf(ApiKey) },
    errors: [...always, ...paged, ...signedIn, ...forbidden, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  createApiKey: {
    method: 'POST',
    path: '/api-keys',
    tag,
    summary: 'Create an API key; the answer is the only one that holds its secret',
    description:
      'A key is the project’s: it works on when its maker leaves the workspace, until somebody revokes it. It cannot have a scope that opens nothing to its maker: a developer gives neither audit:read nor usage:read, nor *, which includes them (403).',
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
    ],
    rate: 'write',
    idempotency: 'accepted',
  },
  rotateApiKey: {
    method: 'POST',
    path: '/api-keys/{apiKeyId}/rotate',
    tag,
    summary: 'Replace an API key by a new one; the answer is the only one that holds its secret',
    description:
      'The previous key works until the grace period is over; without one it is revoked at once. A key is rotated once: one that is rotating, revoked or expired is not found, nor is one with scopes that you could not give to a key of your own.',
    auth: 'project',
    access: access.writeKeys,
    params: Type.Object({ apiKeyId: id('apiKey') }),
    body: RotateApiKeyBody,
    success: { status: 200, body: RotatedApiKey },
    secret: true,
    errors: [...always, ...checked, ...signedIn, ...absent, ...repeatable],
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
