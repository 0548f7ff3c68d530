/** Agent runs (docs/contract-decisions.md, "Agent run"). */
import { conflict, invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import {
  type BeginRun,
  type CancelRun,
  decodeRun,
  type RunRow,
  type SettleSuggestion,
  type Suggestion,
  toAgentRun,
} from '../../actors/run/index.ts';
import type { OpenedRun, OpenRun, ResolveSuggestion } from '../../actors/thread/index.ts';
import { newId } from '../../protocol/ids.ts';
import type { runOperations } from '../../protocol/operations/index.ts';
import { type AgentRun, defaultPageSize } from '../../protocol/resources/index.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import { type Clock, pause } from '../../runtime/time/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import { type AgentHead, findAgentHead, findAgentTenant } from '../../storage/agents/index.ts';
import { type Cursors, fromScanPage } from '../../storage/paging/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import {
  findMessage,
  findRun,
  findRunStatus,
  findRunTenant,
  isRunAnswering,
  runPage,
  type RunRecord,
} from '../../storage/reads/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { getAuthor } from './caller.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

export interface RunHandlerServices {
  readonly database: Pick<Database, 'query' | 'scan'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** How long a request waits, in milliseconds, until a run knows what its thread has done with its answer: usually a few. */
const maxAnsweringMs = 2_000;
const pollMs = 50;

function toShown({ agentRunId, row }: RunRecord): AgentRun {
  return toAgentRun(decodeRun(row as RunRow), agentRunId);
}

const createRunRef = (id: string): ActorRef => ({ kind: 'run', id });
const createThreadRef = (id: string): ActorRef => ({ kind: 'thread', id });

type Reads = Pick<typeof runOperations, 'listAgentRuns' | 'getAgentRun'>;

/** 404 for what is not in the caller's environment. */
export function runHandlers(services: RunHandlerServices): Handlers<typeof runOperations> {
  return { ...readHandlers(services), ...writeHandlers(services) };
}

function readHandlers({ database, cursors }: RunHandlerServices): Handlers<Reads> {
  return {
    listAgentRuns: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { cursor, limit = defaultPageSize, threadId, agentId, status } = call.query;
      const filters = { threadId, agentId, status };
      const scope = `runs ${projectId} ${environmentId} ${JSON.stringify(filters)}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), agentRunId: String(key[1]) };
      const found = await runPage(database, { projectId, environmentId, ...filters, after, limit });
      const { data, ...rest } = fromScanPage(found, end =>
        cursors.encode(scope, [end.createdAt.getTime(), end.agentRunId]),
      );
      return { body: { data: data.map(toShown), ...rest } };
    },

    getAgentRun: async call => {
      const { agentRunId } = call.params;
      const scope = await resolveScope(call, database, findRunTenant, agentRunId);
      return { body: await readRun(database, scope, agentRunId) };
    },
  };
}

function writeHandlers(services: RunHandlerServices): Handlers<Omit<typeof runOperations, keyof Reads>> {
  const { database, node } = services;

  return {
    createAgentRun: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findAgentTenant, agentId);
      const scope = { projectId, environmentId };
      const { threadId, inputMessageId, metadata = {} } = call.body;
      const head = await requireAgent(database, scope, agentId);
      const order = { ...scope, metadata, author: getAuthor(call), head };
      const body =
        threadId === undefined
          ? await beginAlone(node, order, inputMessageId, call)
          : await beginInThread(services, order, threadId, inputMessageId, call);
      return { body };
    },

    resolveSuggestion: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findRunTenant, agentRunId);
      const scope = { projectId, environmentId };
      const { threadId, trace } = await readAnsweredRun(services, scope, agentRunId);
      const suggestion = trace['suggestion'] as Suggestion | undefined;
      if (typeof threadId !== 'string' || suggestion?.status !== 'pending') {
        throw new ServiceError('svc/agent_runs/suggestion_already_resolved');
      }
      const { action, body: editedBody, expectedSequence } = call.body;
      const order: ResolveSuggestion = {
        ...scope,
        agentRunId,
        action,
        body: suggestion.body,
        author: getAuthor(call),
        ...(editedBody === undefined ? {} : { editedBody }),
        ...(expectedSequence === undefined ? {} : { expectedSequence }),
      };
      const resolved = await node.ask<Suggestion>(
        createThreadRef(threadId),
        'resolveSuggestion',
        order,
        call,
      );
      const command: SettleSuggestion = { ...scope, settlement: toSettlement(resolved) };
      await node.ask(createRunRef(agentRunId), 'settleSuggestion', command, call);
      return { body: await readRun(database, scope, agentRunId) };
    },

    cancelAgentRun: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findRunTenant, agentRunId);
      const command: CancelRun = { projectId, environmentId, reason: 'Cancelled on request.', by: 'request' };
      await node.ask(createRunRef(agentRunId), 'cancel', command, call);
      return { body: await readRun(database, command, agentRunId) };
    },
  };
}

/** What a requested run is begun with, in a thread or without one. */
type RunOrder = Omit<OpenRun, 'trigger' | 'inputMessageId' | 'supersedes'>;

/** Begins a run that belongs to no thread. */
function beginAlone(
  node: RunHandlerServices['node'],
  order: RunOrder,
  inputMessageId: string | undefined,
  call: Pick<Call, 'requestId' | 'now'>,
): Promise<AgentRun> {
  if (inputMessageId !== undefined) {
    throw invalid([{ path: '/body/threadId', message: 'a message belongs to a thread', code: 'required' }]);
  }
  const { head } = order;
  const begin: BeginRun = {
    ...order,
    threadId: null,
    head: { ...head, mode: head.mode === 'paused' ? 'suggest' : head.mode },
    inputMessageId: null,
    basedOnSequence: 0,
  };
  return node.ask<AgentRun>(createRunRef(newId('run', call.now)), 'begin', begin, call);
}

/** Has the thread open a run, and begins it. */
async function beginInThread(
  services: RunHandlerServices,
  order: RunOrder,
  threadId: string,
  inputMessageId: string | undefined,
  call: Pick<Call, 'requestId'>,
): Promise<AgentRun> {
  const { database, node } = services;
  const { projectId, environmentId } = order;
  if (inputMessageId !== undefined) {
    const key = { projectId, environmentId, threadId, messageId: inputMessageId };
    if ((await findMessage(database, key)) === undefined) throw notFound();
  }
  const input = inputMessageId === undefined ? {} : { inputMessageId };
  const opened = await openRun(services, threadId, { ...order, ...input, trigger: 'request' }, call);
  // The thread has told the run durably, too: the first of the two begins it.
  return node.ask<AgentRun>(createRunRef(opened.agentRunId), 'begin', opened.begin, call);
}

/** 409 for an agent that exists but cannot answer. */
async function requireAgent(
  database: Pick<Database, 'query'>,
  scope: TenantScope,
  agentId: string,
): Promise<AgentHead> {
  const head = await findAgentHead(database, scope, agentId);
  if (head !== undefined) return head;
  const found = await findAgentTenant(database, agentId);
  if (found?.projectId !== scope.projectId || found.environmentId !== scope.environmentId) throw notFound();
  throw conflict('The agent is archived, or has no active version of a loom.');
}

/** Has the thread open the run. A live run that has not begun to work yet gives way to it. */
async function openRun(
  { database, node }: Pick<RunHandlerServices, 'database' | 'node'>,
  threadId: string,
  order: OpenRun,
  call: Pick<Call, 'requestId'>,
): Promise<OpenedRun> {
  const ask = (more: object): Promise<OpenedRun | null> =>
    node.ask<OpenedRun | null>(createThreadRef(threadId), 'openRun', { ...order, ...more }, call);
  const opened = await ask({}).catch(async (error: unknown) => {
    const { details } = error as ServiceError;
    const supersedes = error instanceof ServiceError ? details?.agentRunId : undefined;
    if (typeof supersedes !== 'string') throw error;
    if ((await findRunStatus(database, order, supersedes)) !== 'pending') throw error;
    return ask({ supersedes });
  });
  if (opened === null) throw new Error('a requested run was not opened');
  return opened;
}

async function readRun(
  database: Pick<Database, 'query'>,
  scope: TenantScope,
  agentRunId: string,
): Promise<AgentRun> {
  const found = await findRun(database, scope, agentRunId);
  if (found === undefined) throw notFound();
  return toShown(found);
}

/** The thread shows a suggestion a moment before its run has it. 503 where that moment is too long. */
async function readAnsweredRun(
  { database, clock }: Pick<RunHandlerServices, 'database' | 'clock'>,
  scope: TenantScope,
  agentRunId: string,
): Promise<AgentRun> {
  for (let waited = 0; await isRunAnswering(database, scope, agentRunId); waited += pollMs) {
    if (waited >= maxAnsweringMs) throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
    await pause(clock, pollMs);
  }
  return readRun(database, scope, agentRunId);
}

/** How the suggestion was settled, as the thread tells the run durably as well. */
function toSettlement({
  status,
  resolvedAt,
  resolvedByUserId,
  sentBody,
  messageId,
}: Suggestion): SettleSuggestion['settlement'] {
  if (status === 'pending' || resolvedAt === undefined)
    throw new Error('a resolved suggestion is still pending');
  return {
    status,
    resolvedAt,
    resolvedByUserId: resolvedByUserId ?? null,
    ...(sentBody === undefined ? {} : { sentBody }),
    ...(messageId === undefined ? {} : { messageId }),
  };
}
