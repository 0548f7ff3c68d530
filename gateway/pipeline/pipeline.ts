/**
 * The request pipeline, for REST and gRPC: its stages in their order. Each may refuse the request, by throwing or rejecting.
 *
 *   authenticate     who is calling (401). A credential that is invalid, or not known here yet, is charged to the sender's address.
 *   charge           does the caller have quota left (429)? All work for the request comes after this.
 *   admit            may the caller do this in any project at all (403)?
 *   parse            is the request well-formed (400, 413, 422)?
 *   authorise        may the caller do this in the project or workspace that the request names (403, 404)?
 *   require room     is there room for what the request stores (507)?
 *   act for          may the key act for the user whom it names (403, 404, 422)?
 *   charge subject   does the thread or e-mail address that the request concerns have quota left (429)?
 *   key              the request's Idempotency-Key (400): the handler does the work under it, once (`Call.once`)
 *   handle           the operation's handler; a read of the database waits for its project's turn (503)
 *   answer           the handler's plain values as status, headers and JSON text
 *
 * What a transport does with the answer or the refusal is its own: see gateway/rest/operations.ts and gateway/grpc/conversations.ts.
 *
 * Nothing waits unless it must: a stage that has its result continues at once, and only a stage that was given a promise makes
 * another. With a cached credential a request runs synchronously up to its handler.
 */
import type { HttpAnswer } from '../http/index.ts';
import { actingUserHeader } from '../../protocol/operation.ts';
import { chain, type Maybe, type OperationCall } from './call.ts';
import type { Answer } from './handler.ts';

type Stage = (call: OperationCall) => Maybe<unknown>;

/** What comes before the handler. */
const stages: readonly Stage[] = [
  authenticate,
  charge,
  admit,
  parse,
  authorise,
  requireRoom,
  actFor,
  chargeSubject,
  key,
];

/** Takes a call through all stages. Throws or rejects with what refuses it: a `ServiceError`, or a defect. */
export function runPipeline(call: OperationCall): Maybe<HttpAnswer> {
  return pass(call, 0);
}

function pass(call: OperationCall, from: number): Maybe<HttpAnswer> {
  for (let i = from; i < stages.length; i++) {
    const waiting = stages[i]?.(call);
    if (waiting instanceof Promise) return waiting.then(() => pass(call, i + 1));
  }
  return handle(call);
}

function authenticate(call: OperationCall): Maybe<void> {
  if (!call.endpoint.rules.needsCaller) return undefined;
  return chain(call.authenticate(), caller => {
    call.refundAnonymous();
    call.caller = caller;
  });
}

function charge(call: OperationCall): Maybe<void> {
  const { limiter, operation } = call.endpoint;
  return chain(limiter?.chargeCaller(operation.rate, call), quota => call.charge(quota));
}

function admit(call: OperationCall): void {
  if (call.caller !== undefined) call.endpoint.rules.admit(call.caller);
}

function parse(call: OperationCall): void {
  call.takeParts(call.readParts());
  if (call.named.contradictory) throw call.endpoint.rules.absent();
}

function authorise(call: OperationCall): Maybe<unknown> {
  const { caller, named, endpoint } = call;
  if (caller === undefined) return undefined;
  const { rules, operation } = endpoint;
  if (rules.inProject) {
    return chain(rules.scope(caller, named.projectId, named.environmentId), scope => {
      call.project = scope;
    });
  }
  if (named.workspaceId === undefined || operation.access === undefined) return undefined;
  const { userId } = (call.params ?? {}) as { readonly userId?: string };
  return rules.workspaceRole(caller, named.workspaceId, userId);
}

function requireRoom(call: OperationCall): Maybe<void> {
  return call.requireRoom(call.project?.projectId);
}

function actFor(call: OperationCall): Maybe<void> {
  const { caller, endpoint } = call;
  if (caller === undefined || !endpoint.rules.takesActingUser) return undefined;
  const userId = call.header(actingUserHeader);
  if (userId === '') return undefined;
  return chain(endpoint.rules.actFor(caller, userId), key => {
    call.caller = key;
  });
}

function chargeSubject(call: OperationCall): Maybe<void> {
  const { limiter, operation } = call.endpoint;
  return chain(limiter?.chargeSubject(operation.rate, call), quota => call.charge(quota));
}

function key(call: OperationCall): void {
  if (call.endpoint.operation.idempotency === 'none') return;
  const given = call.readKey();
  if (given !== undefined && !isDryRun(call.query)) call.useKey(given);
}

function handle(call: OperationCall): Maybe<HttpAnswer> {
  const { handler, reads } = call.endpoint;
  const work = (): Maybe<HttpAnswer> => chain(handler(call), answered => toHttpAnswer(answered, call));
  return reads === undefined ? work() : reads.run(call.reader, work);
}

function toHttpAnswer({ status, json, body, stream, headers }: Answer, call: OperationCall): HttpAnswer {
  const text = json ?? (body === undefined ? undefined : JSON.stringify(body));
  const { success } = call.endpoint.operation;
  const shown = call.isReplayed ? { ...headers, ...replayed } : headers;
  return {
    status: status ?? success.status,
    ...(text === undefined ? undefined : { body: text }),
    ...(stream === undefined ? undefined : { outgoing: { stream } }),
    ...(success.contentType === undefined
      ? undefined
      : { contentType: `${success.contentType}; charset=utf-8` }),
    ...(shown === undefined ? undefined : { headers: shown }),
  };
}

/** On answers to what was done, or refused, before. */
export const replayed = { 'Idempotent-Replayed': 'true' } as const;

/** A dry run does nothing, so nothing could be done twice: it neither uses up a key nor is answered by one. */
function isDryRun(query: unknown): boolean {
  return typeof query === 'object' && query !== null && 'dryRun' in query && query.dryRun === true;
}
