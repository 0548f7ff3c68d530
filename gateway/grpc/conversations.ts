/**
 * What internal services do to conversations: the requests of REST by another way. They go through the same pipeline, schemas,
 * idempotency keys and handlers, so that a rule never differs between the two.
 */
import Type from 'typebox';
import type { TSchema } from 'typebox';
import { invalid } from '../../protocol/errors.ts';
import type { GetThreadRequest__Output } from '../../protocol/gen/skein/internal/v1/GetThreadRequest.ts';
import type { GetThreadResponse } from '../../protocol/gen/skein/internal/v1/GetThreadResponse.ts';
import type { IngestMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessageResponse } from '../../protocol/gen/skein/internal/v1/IngestMessageResponse.ts';
import type { SendMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/SendMessageRequest.ts';
import type { SendMessageResponse } from '../../protocol/gen/skein/internal/v1/SendMessageResponse.ts';
import { type Operation, storesMore } from '../../protocol/operation.ts';
import { channelOperations, messageOperations, threadOperations } from '../../protocol/operations/index.ts';
import { id, type Message, type Thread } from '../../protocol/resources/index.ts';
import { compile } from '../../protocol/validate.ts';
import type { Tracer } from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { HttpAnswer } from '../http/index.ts';
import {
  runPipeline,
  toRefusal,
  type AccessRules,
  type Endpoint,
  type Handler,
  type Handlers,
  type Idempotency,
  type StorageRoom,
} from '../pipeline/index.ts';
import { inboundBody, outboundBody, root, toMessage, toThread } from './conversions.ts';
import { ServiceCall, type CallContext, type ServiceRequest } from './service-call.ts';

const operations = {
  createInboundMessage: channelOperations.createInboundMessage,
  createMessage: messageOperations.createMessage,
  getThread: threadOperations.getThread,
} as const satisfies Record<string, Operation>;

type OperationId = keyof typeof operations;

export interface ConversationsOptions {
  /** REST's, made with a node that knows service calls (`nodeForServices`). */
  readonly handlers: Handlers<typeof operations>;
  readonly rules: AccessRules;
  readonly room: StorageRoom;
  readonly idempotency: Idempotency;
  readonly clock: Clock;
  readonly tracer: Tracer;
}

const environment = Type.Object({ environmentId: id('environment') });
const scope = Type.Object({ projectId: id('project'), environmentId: id('environment') });

/** Each method rejects with a `ServiceError`, with `Cancelled`, or with a defect. */
export class Conversations {
  readonly #endpoints: Readonly<Record<OperationId, Endpoint>>;

  constructor(options: ConversationsOptions) {
    this.#endpoints = {
      createInboundMessage: createEndpoint('createInboundMessage', options),
      createMessage: createEndpoint('createMessage', options),
      getThread: createEndpoint('getThread', options),
    };
  }

  async ingest(request: IngestMessageRequest__Output, context: CallContext): Promise<IngestMessageResponse> {
    const { projectId, environmentId, channelId, idempotencyKey } = request;
    const operation = operations.createInboundMessage;
    const answer = await this.#answer('createInboundMessage', context, {
      path: `/v1${operation.path.replace('{channelId}', channelId)}`,
      key: idempotencyKey,
      readParts() {
        const params = { channelId };
        const body = inboundBody(request);
        check([environment, { environmentId }], [operation.params, params], [operation.body, body]);
        return { params, query: undefined, body, scope: { projectId, environmentId } };
      },
    });
    return toMade(answer);
  }

  async send(request: SendMessageRequest__Output, context: CallContext): Promise<SendMessageResponse> {
    const { projectId, environmentId, threadId, idempotencyKey } = request;
    const operation = operations.createMessage;
    const answer = await this.#answer('createMessage', context, {
      path: `/v1${operation.path.replace('{threadId}', threadId)}`,
      key: idempotencyKey,
      readParts() {
        const params = { threadId };
        const body = outboundBody(request);
        check([environment, { environmentId }], [operation.params, params], [operation.body, body]);
        return { params, query: {}, body, scope: { projectId, environmentId } };
      },
    });
    return toMade(answer);
  }

  async thread(request: GetThreadRequest__Output, context: CallContext): Promise<GetThreadResponse> {
    const { projectId, environmentId, threadId } = request;
    const operation = operations.getThread;
    const answer = await this.#answer('getThread', context, {
      path: `/v1${operation.path.replace('{threadId}', threadId)}`,
      readParts() {
        const params = { threadId };
        check([scope, { projectId, environmentId }], [operation.params, params]);
        return { params, query: { projectId }, body: undefined, scope: { projectId, environmentId } };
      },
    });
    return { thread: toThread(JSON.parse(String(answer.body)) as Thread) };
  }

  async #answer(id: OperationId, context: CallContext, request: ServiceRequest): Promise<HttpAnswer> {
    const endpoint = this.#endpoints[id];
    const call = new ServiceCall(endpoint, request, context);
    if (!endpoint.tracer.isOn) return runPipeline(call);
    call.trace(context.traceparent, { 'rpc.system': 'grpc', 'skein.service': context.service });
    if (call.span !== undefined) context.traced(call.span);
    try {
      const answer = await runPipeline(call);
      call.endTrace({});
      return answer;
    } catch (error) {
      const refusal = toRefusal(error);
      const isOurs = refusal === undefined || refusal.http >= 500;
      call.endTrace({ 'skein.error.code': refusal?.code }, isOurs ? 'server' : undefined);
      throw error;
    }
  }
}

function createEndpoint(id: OperationId, options: ConversationsOptions): Endpoint {
  const { handlers, rules, room, idempotency, clock, tracer } = options;
  const handler = handlers[id] as Handler;
  const operation: Operation = operations[id];
  return {
    id,
    operation,
    // A read asks no actor: it begins with its handler.
    handler: operation.method === 'GET' ? beginning(handler) : handler,
    rules,
    limiter: undefined,
    room: storesMore(operation) ? room : undefined,
    reads: undefined,
    idempotency,
    clock,
    tracer,
  };
}

function beginning(handler: Handler): Handler {
  return call => {
    if (call instanceof ServiceCall) call.begin();
    return handler(call);
  };
}

/** 422 with everything that does not fit its schema. */
function check(...parts: readonly (readonly [schema: TSchema, value: unknown])[]): void {
  const issues = parts.flatMap(([schema, value]) => compile(schema)(value, root) ?? []);
  if (issues.length > 0) throw invalid(issues);
}

interface Made {
  readonly message: ReturnType<typeof toMessage>;
  readonly replayed: boolean;
}

function toMade(answer: HttpAnswer): Made {
  return {
    message: toMessage(JSON.parse(String(answer.body)) as Message),
    replayed: answer.headers?.['Idempotent-Replayed'] !== undefined,
  };
}
