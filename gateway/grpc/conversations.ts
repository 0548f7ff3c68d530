/**
 * What internal services do to conversations: the requests of REST by another way. Each goes through the same schemas, the same
 * idempotency keys and the same handlers, so that a rule is never one for some and another for others.
 */
import Type from 'typebox';
import type { TSchema } from 'typebox';
import { invalid, ServiceError } from '../../protocol/errors.ts';
import type { GetThreadRequest__Output } from '../../protocol/gen/skein/internal/v1/GetThreadRequest.ts';
import type { GetThreadResponse } from '../../protocol/gen/skein/internal/v1/GetThreadResponse.ts';
import type { IngestMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/IngestMessageRequest.ts';
import type { IngestMessageResponse } from '../../protocol/gen/skein/internal/v1/IngestMessageResponse.ts';
import type { SendMessageRequest__Output } from '../../protocol/gen/skein/internal/v1/SendMessageRequest.ts';
import type { SendMessageResponse } from '../../protocol/gen/skein/internal/v1/SendMessageResponse.ts';
import type { Operation } from '../../protocol/operation.ts';
import { channelOperations } from '../../protocol/operations/channels.ts';
import { messageOperations } from '../../protocol/operations/messages.ts';
import { threadOperations } from '../../protocol/operations/threads.ts';
import { id } from '../../protocol/resources/fields.ts';
import type { CreateMessageBody, InboundMessageBody, Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { compile } from '../../protocol/validate.ts';
import type { Clock } from '../../runtime/clock.ts';
import { errorAnswer, type ErrorBody } from '../http/error-answer.ts';
import type { HttpAnswer } from '../http/message.ts';
import type { Handler, Handlers } from '../rest/handler.ts';
import { canBeKey, markOf, type Idempotency } from '../rest/idempotency.ts';
import type { Places } from './places.ts';
import { inboundBody, outboundBody, root } from './requests.ts';
import { messageOf, threadOf } from './responses.ts';
import { ServiceCall, type CallParts, type Circumstances } from './service-call.ts';

const operations = {
  createInboundMessage: channelOperations.createInboundMessage,
  createMessage: messageOperations.createMessage,
  getThread: threadOperations.getThread,
} as const satisfies Record<string, Operation>;

export interface ConversationsOptions {
  /** REST's, made with a node that knows service calls (`nodeForServices`). */
  readonly handlers: Handlers<typeof operations>;
  readonly idempotency: Idempotency;
  readonly places: Places;
  readonly clock: Clock;
  /** For refusals that are kept under an idempotency key, where REST may find them. */
  readonly docsUrl: string;
}

const environment = Type.Object({ environmentId: id('environment') });
const place = Type.Object({ projectId: id('project'), environmentId: id('environment') });

/** Each rejects with a `ServiceError`, with `Cancelled`, or with a defect. */
export class Conversations {
  readonly #options: ConversationsOptions;

  constructor(options: ConversationsOptions) {
    this.#options = options;
  }

  async ingest(
    request: IngestMessageRequest__Output,
    circumstances: Circumstances,
  ): Promise<IngestMessageResponse> {
    const { environmentId, channelId } = request;
    const operation = operations.createInboundMessage;
    const params = { channelId };
    const body = inboundBody(request) as InboundMessageBody;
    check([environment, { environmentId }], [operation.params, params], [operation.body, body]);
    const { places, handlers } = this.#options;
    const project = await places.scopeOf(body.projectId, environmentId);
    return this.#once<typeof operation>(
      {
        operationId: 'createInboundMessage',
        key: request.idempotencyKey,
        path: operation.path.replace('{channelId}', channelId),
        parts: { params, query: undefined, body, project },
        handler: handlers.createInboundMessage,
      },
      circumstances,
    );
  }

  async send(
    request: SendMessageRequest__Output,
    circumstances: Circumstances,
  ): Promise<SendMessageResponse> {
    const { environmentId, threadId } = request;
    const operation = operations.createMessage;
    const params = { threadId };
    const body = outboundBody(request) as CreateMessageBody;
    check([environment, { environmentId }], [operation.params, params], [operation.body, body]);
    const { places, handlers } = this.#options;
    const project = await places.scopeOf(body.projectId, environmentId);
    return this.#once<typeof operation>(
      {
        operationId: 'createMessage',
        key: request.idempotencyKey,
        path: operation.path.replace('{threadId}', threadId),
        parts: { params, query: {}, body, project },
        handler: handlers.createMessage,
      },
      circumstances,
    );
  }

  async thread(request: GetThreadRequest__Output, circumstances: Circumstances): Promise<GetThreadResponse> {
    const { projectId, environmentId, threadId } = request;
    const params = { threadId };
    check([place, { projectId, environmentId }], [operations.getThread.params, params]);
    const { places, clock, handlers } = this.#options;
    const project = await places.scopeOf(projectId, environmentId);
    const parts = { params, query: { projectId }, body: undefined, project };
    const call = new ServiceCall<typeof operations.getThread>(parts, circumstances, clock.now());
    call.begin();
    const { body } = await handlers.getThread(call);
    return { thread: threadOf(body as Thread) };
  }

  /** A message made under an idempotency key: the same keys as of REST, in the same commits. */
  async #once<O extends Operation>(
    { operationId, key, path, parts, handler }: Making<O>,
    circumstances: Circumstances,
  ): Promise<Made> {
    if (!canBeKey(key))
      throw new ServiceError('svc/runtime/missing_idempotency_key', { message: keyMissing });
    const { idempotency, clock, docsUrl } = this.#options;
    const { projectId, environmentId } = parts.project;
    const mark = markOf([projectId, environmentId], operationId, key, `/v1${path}`, parts.body);
    const call = new ServiceCall<O>({ ...parts, idempotency: mark }, circumstances, clock.now());
    const run = async (): Promise<HttpAnswer> => {
      const { json, body } = await handler(call);
      return { status: 201, body: json ?? JSON.stringify(body) };
    };
    const answer = await idempotency.inCommit(
      () => mark,
      run,
      error => errorAnswer(error, circumstances.requestId, docsUrl),
    );
    const text = String(answer.body);
    if (answer.status >= 400) throw refusalOf(answer.status, text);
    return {
      message: messageOf(JSON.parse(text) as Message),
      replayed: answer.headers?.['Idempotent-Replayed'] !== undefined,
    };
  }
}

const keyMissing = 'The field idempotency_key is required here: 1 to 255 visible ASCII characters.';

/** A request that makes a message. */
interface Making<O extends Operation> {
  /** With the path, what the key is good for. */
  readonly operationId: keyof typeof operations;
  readonly key: string;
  /** REST's, below /v1. */
  readonly path: string;
  readonly parts: Omit<CallParts<O>, 'idempotency'>;
  readonly handler: Handler<O>;
}

interface Made {
  readonly message: ReturnType<typeof messageOf>;
  readonly replayed: boolean;
}

/** 422 with everything that does not fit its schema. */
function check(...parts: readonly (readonly [schema: TSchema, value: unknown])[]): void {
  const issues = parts.flatMap(([schema, value]) => compile(schema)(value, root) ?? []);
  if (issues.length > 0) throw invalid(issues);
}

/** The refusal that an answer of REST tells: this request's, or that of the first one under its key. */
function refusalOf(http: number, text: string): ServiceError {
  const { error, message, details } = JSON.parse(text) as ErrorBody;
  return new ServiceError(error, { http, message, ...(details === undefined ? {} : { details }) });
}
