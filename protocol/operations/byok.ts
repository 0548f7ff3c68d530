/** BYOK credentials. Only Studio tokens are accepted. The secret can be written, and never read. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  ByokCredential,
  CreateByokCredentialBody,
  id,
  createList,
  MaybeProjectQuery,
  RotateByokCredentialBody,
  ScopedListQuery,
  UpdateByokCredentialBody,
} from '../resources/index.ts';
import {
  absent,
  access,
  always,
  checked,
  forbidden,
  mergedFields,
  paged,
  repeatable,
  signedIn,
  verified,
} from './rules.ts';

const tag = 'BYOK';
const oneCredential = Type.Object({ byokCredentialId: id('byok') });
const errors = [...always, ...checked, ...signedIn, ...forbidden, ...verified, ...absent] as const;

export const byokOperations = {
  listByokCredentials: {
    method: 'GET',
    path: '/byok-credentials',
    tag,
    summary: 'List the LLM provider keys of an environment, newest first, without secrets',
    auth: 'project',
    access: access.readKeys,
    query: ScopedListQuery,
    success: { status: 200, body: createList(ByokCredential) },
    errors: [...always, ...paged, ...signedIn, ...forbidden, ...verified, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  createByokCredential: {
    method: 'POST',
    path: '/byok-credentials',
    tag,
    summary: 'Register an LLM provider key',
    description:
      'Runs use the key that their loom version names, or the newest active key of the provider. An empty `modelAllowlist` allows every model.',
    auth: 'project',
    access: access.writeKeys,
    body: CreateByokCredentialBody,
    success: { status: 201, body: ByokCredential },
    errors: [...errors, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  updateByokCredential: {
    method: 'PATCH',
    path: '/byok-credentials/{byokCredentialId}',
    tag,
    summary: 'Change the name of an LLM provider key, or the models that it may be used for',
    description: `Steps of runs that begin from then on keep to it. A revoked key is a conflict. ${mergedFields}`,
    auth: 'project',
    access: access.writeKeys,
    params: oneCredential,
    body: UpdateByokCredentialBody,
    success: { status: 200, body: ByokCredential },
    errors: [...errors, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
  },
  rotateByokCredential: {
    method: 'POST',
    path: '/byok-credentials/{byokCredentialId}/rotate',
    tag,
    summary: 'Replace the secret of an LLM provider key',
    description:
      'Until the grace period is over, the previous secret is tried when the provider rejects the new one. A revoked key is a conflict.',
    auth: 'project',
    access: access.writeKeys,
    params: oneCredential,
    body: RotateByokCredentialBody,
    success: { status: 200, body: ByokCredential },
    errors: [...errors, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  revokeByokCredential: {
    method: 'DELETE',
    path: '/byok-credentials/{byokCredentialId}',
    tag,
    summary: 'Revoke an LLM provider key and delete its secret; repeating it changes nothing',
    auth: 'project',
    access: access.writeKeys,
    params: oneCredential,
    query: MaybeProjectQuery,
    success: { status: 204, body: null },
    errors: [...errors],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
