/** Agent runs (docs/contract-decisions.md, "Agent run"). */
import { conflict, invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import {
  beginInMode,
  type BeginRun,
  type CancelRun,
  decodeRun,
  maxApprovalMs,
  type ResolveCall,
  type RunRow,
  type SettleSuggestion,
  type Suggestion,
  toAgentRun,
} from '../../actors/run/index.ts';
import type { KeptRun, OpenedRun, OpenRun, ResolveSuggestion } from '../../actors/thread/index.ts';
import { newId } from '../../protocol/ids.ts';
import type { runOperations } from '../../protocol/operations/index.ts';
import {
  type AgentRun,
  defaultPageSize,
  type ResolveSuggestionBody,
} from '../../protocol/resources/index.ts';
import type { ActorRef } from '../../runtime/actor/index.ts';
import { type Clock, pause } from '../../runtime/time/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import {
  type AgentHead,
  findAgentHead,
  findAgentTenant,
  hasToolChanged,
} from '../../storage/agents/index.ts';
import { type Cursors, toPage } from '../../storage/paging/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { performOnce } from '../../storage/idempotency/index.ts';
import {
  findMessage,
  findRun,
  findRunModes,
  findRunStatus,
  findRunTenant,
  isRunAnswering,
  runPage,
  type RunRecord,
} from '../../storage/reads/index.ts';
import type { RequestKey } from '../../storage/writes/index.ts';
import { type Call, commitKey, type Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor } from './caller.ts';
import { askNamed, requireScope, resolveScope } from './tenant-scope.ts';

export interface RunHandlerServices {
  readonly database: Pick<Database, 'query' | 'scan' | 'em'>;
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
type Resolutions = Pick<typeof runOperations, 'resolveSuggestion' | 'resolveToolCall'>;

/** 404 for what is not in the caller's environment. */
export function runHandlers(services: RunHandlerServices): Handlers<typeof runOperations> {
  return { ...readHandlers(services), ...writeHandlers(services), ...resolutionHandlers(services) };
}

function readHandlers({ database, cursors }: RunHandlerServices): Handlers<Reads> {
  return {
    listAgentRuns: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { cursor, limit = defaultPageSize, threadId, agentId, status, suggestion } = call.query;
      const filters = { threadId, agentId, status, suggestion };
      const scope = `runs ${projectId} ${environmentId} ${JSON.stringify(filters)}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), agentRunId: String(key[1]) };
      const found = await runPage(database, { projectId, environmentId, ...filters, after, limit });
      const { data, ...rest } = toPage(found, end =>
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

function writeHandlers(
  services: RunHandlerServices,
): Handlers<Omit<typeof runOperations, keyof Reads | keyof Resolutions>> {
  const { database, node } = services;

  return {
    createAgentRun: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findAgentTenant, agentId);
      const scope = { projectId, environmentId };
      const { threadId, inputMessageId, metadata = {} } = call.body;
      const createOrder = async (key: RequestKey | undefined): Promise<RunOrder> => {
        const head = await requireAgent(database, scope, agentId, threadId ?? null);
        const by = { author: getAuthor(call), act: createCommandAudit(call) };
        return { ...scope, metadata, ...by, head, ...commitKey(key) };
      };
      const body =
        threadId === undefined
          ? await call.once(async key => beginAlone(node, await createOrder(key), inputMessageId, call))
          : await beginInThread(services, createOrder, threadId, inputMessageId, call);
      return { body };
    },

    cancelAgentRun: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findRunTenant, agentRunId);
      const order: CancelRun = {
        projectId,
        environmentId,
        reason: 'Cancelled on request.',
        by: 'request',
        act: createCommandAudit(call),
      };
      await call.once(key => {
        const command: CancelRun = { ...order, ...commitKey(key) };
        return node.ask<null>(createRunRef(agentRunId), 'cancel', command, call);
      });
      return { body: await answerWithRun(database, order, agentRunId, call) };
    },
  };
}

/** A person decides about what a run waits for. */
function resolutionHandlers(services: RunHandlerServices): Handlers<Resolutions> {
  const { database, node } = services;

  return {
    resolveSuggestion: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findRunTenant, agentRunId);
      const scope = { projectId, environmentId };
      requireDiscard(call.body);
      const resolved = await call.once(async key => {
        const { threadId, trace } = await readAnsweredRun(services, scope, agentRunId);
        const suggestion = trace['suggestion'] as Suggestion | undefined;
        if (typeof threadId !== 'string' || suggestion?.status !== 'pending') {
          throw new ServiceError('svc/agent_runs/suggestion_already_resolved');
        }
        const { action, body: editedBody, reason, expectedSequence } = call.body;
        const order: ResolveSuggestion = {
          ...scope,
          agentRunId,
          action,
          body: suggestion.body,
          author: getAuthor(call),
          act: createCommandAudit(call),
          ...(editedBody === undefined ? {} : { editedBody }),
          ...(reason === undefined ? {} : { reason }),
          ...(expectedSequence === undefined ? {} : { expectedSequence }),
          ...commitKey(key),
        };
        return node.ask<Suggestion>(createThreadRef(threadId), 'resolveSuggestion', order, call);
      });
      const command: SettleSuggestion = { ...scope, settlement: toSettlement(resolved) };
      await node.ask(createRunRef(agentRunId), 'settleSuggestion', command, call);
      return { body: await answerWithRun(database, scope, agentRunId, call) };
    },

    resolveToolCall: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findRunTenant, agentRunId);
      const { toolCallId: callId, action, reason } = call.body;
      const order: ResolveCall = {
        projectId,
        environmentId,
        callId,
        action,
        author: getAuthor(call),
        act: createCommandAudit(call),
        ...(reason === undefined ? {} : { reason }),
      };
      await call.once(async key => {
        if (action === 'approve') await requireAsAsked(database, order, agentRunId, callId);
        const command: ResolveCall = { ...order, ...commitKey(key) };
        return node.ask<null>(createRunRef(agentRunId), 'resolveCall', command, call);
      });
      return { body: await answerWithRun(database, order, agentRunId, call) };
    },
  };
}

/**
 * What is approved is what was asked for: 409 where the agent may not act any more, or the tool was changed after the approval was
 * requested. Which mode counts is as where the thread takes an answer (actors/thread/decide-answer.ts). Whether the call waits at all is
 * for the run to say.
 */
async function requireAsAsked(
  database: Pick<Database, 'query'>,
  scope: TenantScope,
  agentRunId: string,
  callId: string,
): Promise<void> {
  const found = await findRun(database, scope, agentRunId);
  if (found === undefined) throw notFound();
  const { head, threadId, trace } = decodeRun(found.row as RunRow);
  const asked = trace.steps.flatMap(({ toolCalls }) => toolCalls).find(each => each.callId === callId);
  if (head === null || asked?.approval?.status !== 'pending') return;
  const agent = await findAgentHead(database, scope, head.agentId, threadId);
  const { threadMode, evenPaused } = await findRunModes(database, scope, agentRunId);
  if (agent === undefined || ((threadMode ?? agent.mode) === 'paused' && !evenPaused)) {
    throw conflict('The agent is paused or archived: the call can only be refused.');
  }
  const requestedAt = new Date(Date.parse(asked.approval.expiresAt) - maxApprovalMs);
  if (asked.toolId === null || (await hasToolChanged(database, scope, asked.toolId, requestedAt))) {
    throw conflict(
      'The tool has changed since the approval was requested, or its status: the call can only be refused.',
    );
  }
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
    throw invalid([
      { path: '/body/threadId', message: 'is needed: a message belongs to a thread', code: 'required' },
    ]);
  }
  const { head } = order;
  const begin: BeginRun = {
    ...order,
    threadId: null,
    channelId: null,
    ...beginInMode(head, head.mode),
    inputMessageId: null,
    basedOnSequence: 0,
  };
  return node.ask<AgentRun>(createRunRef(newId('run', call.now)), 'begin', begin, call);
}

/** Has the thread open a run, and begins it. */
async function beginInThread(
  services: RunHandlerServices,
  createOrder: (key: RequestKey | undefined) => Promise<RunOrder>,
  threadId: string,
  inputMessageId: string | undefined,
  call: Pick<Call, 'requestId' | 'once'>,
): Promise<AgentRun> {
  const { database, node } = services;
  const { agentRunId, ...begin } = await call.once<Omit<KeptRun, 'createdAt'>>(async key => {
    const order = await createOrder(key);
    const { projectId, environmentId } = order;
    if (inputMessageId !== undefined) {
      const input = { projectId, environmentId, threadId, messageId: inputMessageId };
      if ((await findMessage(database, input)) === undefined) throw notFound('/body/inputMessageId');
    }
    const input = inputMessageId === undefined ? {} : { inputMessageId };
    const opened = await askNamed(
      '/body/threadId',
      openRun(services, threadId, { ...order, ...input, trigger: 'request' }, call),
    );
    return { agentRunId: opened.agentRunId, ...opened.begin };
  });
  // The thread has told the run durably, too: the first of the two begins it.
  return call.once(key => {
    const command: BeginRun = { ...begin, ...commitKey(key) };
    return node.ask<AgentRun>(createRunRef(agentRunId), 'begin', command, call);
  }, 'begin');
}

/** 409 for an agent that exists but cannot answer. */
async function requireAgent(
  database: Pick<Database, 'query'>,
  scope: TenantScope,
  agentId: string,
  threadId: string | null,
): Promise<AgentHead> {
  const head = await findAgentHead(database, scope, agentId, threadId);
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

/** The run as it is after the work of a request. A repetition shows it as it was then. */
function answerWithRun(
  database: RunHandlerServices['database'],
  scope: TenantScope,
  agentRunId: string,
  call: Pick<Call, 'once'>,
): Promise<AgentRun> {
  const read = () => readRun(database, scope, agentRunId);
  return call.once(key => performOnce(database, key, read), 'answer');
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

/** A reason that nobody would see is refused. */
function requireDiscard({ action, reason }: ResolveSuggestionBody): void {
  if (action === 'discard' || reason === undefined) return;
  throw invalid([{ path: '/body/reason', message: 'is for discarding alone', code: 'discard' }]);
}

/** How the suggestion was settled, as the thread tells the run durably as well. */
function toSettlement({
  status,
  resolvedAt,
  resolvedByUserId,
  sentBody,
  discardReason,
  messageId,
}: Suggestion): SettleSuggestion['settlement'] {
  if (status === 'pending' || resolvedAt === undefined)
    throw new Error('a resolved suggestion is still pending');
  return {
    status,
    resolvedAt,
    resolvedByUserId: resolvedByUserId ?? null,
    ...(sentBody === undefined ? {} : { sentBody }),
    ...(discardReason === undefined ? {} : { discardReason }),
    ...(messageId === undefined ? {} : { messageId }),
  };
}
