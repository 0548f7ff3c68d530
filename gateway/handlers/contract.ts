/** The contract itself: its OpenAPI document, and an example of an event envelope. */
import { ServiceError } from '../../protocol/errors.ts';
import { openApiDocument } from '../../protocol/openapi/index.ts';
import type { contractOperations } from '../../protocol/operations/index.ts';
import type { EnvelopeExample } from '../../protocol/resources/index.ts';
import { apiVersion } from '../../protocol/version.ts';
import { errorBody, StaticContent } from '../http/index.ts';
import type { Answer, Handlers } from '../pipeline/index.ts';

export interface ContractOptions {
  /** The public address, without a slash at its end. */
  readonly baseUrl: string;
  readonly docsUrl: string;
}

const cached = { 'Cache-Control': 'public, max-age=300' };

/** Made up, and always the same: it only shows the shape. */
const envelope = {
  eventId: 'evt_01k9qz3s4bfm5s0m2f7v8q1x3c',
  eventName: 'thread.message.received',
  occurredAt: '2026-11-03T12:00:00.000Z',
  apiVersion,
  projectId: 'prj_01k9qz0a7xer8b5c9d2k4n6p8r',
  data: {
    environmentId: 'env_01k9qz0b1qf3t8v4w6x9y2z5a7',
    threadId: 'thread_01k9qz2h6jfk1m3n5p7q9r2s4t',
    sequence: 1,
    actor: { type: 'contact', id: 'participant-1' },
  },
} as const;

/**
 * The OpenAPI document, and the example envelope: a 501 that is an error and an envelope at once
 * (docs/contract-decisions.md, "General rules").
 */
export function contractHandlers(options: ContractOptions): Handlers<typeof contractOperations> {
  // Made once: it is large, and the same for all callers.
  const document = new StaticContent(() => Buffer.from(JSON.stringify(openApiDocument(options))), cached);
  return {
    getOpenApi: async (call): Promise<Answer> => {
      const { body, ...answer } = await document.answer(call);
      return { ...answer, ...(body === undefined ? {} : { json: body }) };
    },
    getEnvelopeExample: (call): Answer => {
      const error = new ServiceError('svc/runtime/not_implemented');
      const example: EnvelopeExample = {
        ...errorBody(error, call.requestId, options.docsUrl),
        error: 'svc/runtime/not_implemented',
        ...envelope,
      };
      return { body: example };
    },
  };
}
