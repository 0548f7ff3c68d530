/** The contract itself. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { EnvelopeExample } from '../resources/index.ts';
import { always, checked } from './rules.ts';

const tag = 'Contract';

export const contractOperations = {
  getOpenApi: {
    method: 'GET',
    path: '/openapi.json',
    tag,
    summary: 'The machine-readable contract: OpenAPI 3.1',
    description: 'Compressed where Accept-Encoding takes gzip.',
    auth: 'none',
    success: { status: 200, body: Type.Object({}) },
    alternative: {
      status: 304,
      body: null,
      when: 'With the ETag of an earlier answer in If-None-Match: nothing has changed.',
    },
    tagged: true,
    errors: [...always, ...checked],
    rate: 'read',
    idempotency: 'none',
  },
  getEnvelopeExample: {
    method: 'GET',
    path: '/_internal/schemas/event-envelope',
    root: true,
    tag,
    summary: 'An example event envelope, with status 501',
    auth: 'none',
    success: { status: 501, body: EnvelopeExample },
    errors: [...always, ...checked],
    rate: 'read',
    idempotency: 'none',
    hidden: true,
  },
} as const satisfies Record<string, Operation>;
