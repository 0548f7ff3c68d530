/** Agent runs over REST (decisions, sections 2 and 4). */
import { conflict } from '../../../actors/conflict.ts';
import type { BeginRun, CancelRun, SettleSuggestion } from '../../../actors/run/commands.ts';
import { runView } from '../../../actors/run/run-text.ts';
import { decodeRun, type RunRow } from '../../../actors/run/snapshot.ts';
import type { Suggestion } from '../../../actors/run/trace.ts';
import type { OpenedRun, OpenRun, ResolveSuggestion } from '../../../actors/thread/agent-commands.ts';
import { invalid, notFound, ServiceError } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { runOperations } from '../../../protocol/operations/runs.ts';
import type { AgentRun } from '../../../protocol/resources/agent.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import type { ActorRef } from '../../../runtime/actor.ts';
import type { Clock } from '../../../runtime/clock.ts';
import type { Node } from '../../../runtime/node.ts';
import { pause } from '../../../runtime/pause.ts';
import { placeOfAgent } from '../../../storage/agents/places.ts';
import { pageOf, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { findAgentHead, type AgentHead } from '../../../storage/reads/agents.ts';
import { findMessage } from '../../../storage/reads/messages.ts';
import type { Place } from '../../../storage/reads/place.ts';
import {
  findRun,
  isRunAnswering,
  placeOfRun,
  runPage,
  statusOfRun,
  type RunRecord,
} from '../../../storage/reads/runs.ts';
import type { Call, Handlers } from '../handler.ts';
import { authorOf } from './author.ts';
import { placeOfCall, scopeById } from './place.ts';

export interface RunHandlerServices {
  readonly database: Pick<Database, 'query' | 'walk'>;
  readonly node: Pick<Node, 'ask'>;
  readonly cursors: Cursors;
  readonly clock: Clock;
}

/** How long a request waits until a run knows what its thread has made of its answer: as a rule a few milliseconds. */
const verdictMs = 2_000;
const lookEveryMs = 50;

function shown({ agentRunId, row }: RunRecord): AgentRun {
  return runView(decodeRun(row as RunRow), agentRunId);
}

const runOf = (id: string): ActorRef => ({ kind: 'run', id });
const threadOf = (id: string): ActorRef => ({ kind: 'thread', id });

/** 404 for what is not the environment's. */
export function runHandlers(services: RunHandlerServices): Handlers<typeof runOperations> {
  const { database, node, cursors, clock } = services;

  /** 409 for an agent that is there but cannot answer. */
  const headOf = async (place: Place, agentId: string): Promise<AgentHead> => {
    const head = await findAgentHead(database, place, agentId);
    if (head !== undefined) return head;
    const found = await placeOfAgent(database, agentId);
    if (found?.projectId !== place.projectId || found.environmentId !== place.environmentId) throw notFound();
    throw conflict('The agent is archived, or has no active version of a loom.');
  };

  /** Has the thread open the run. One that is live, and has not come to work yet, makes way for it. */
  const open = async (
    threadId: string,
    order: OpenRun,
    call: Pick<Call, 'requestId'>,
  ): Promise<OpenedRun> => {
    const ask = (more: object): Promise<OpenedRun | null> =>
      node.ask<OpenedRun | null>(threadOf(threadId), 'openRun', { ...order, ...more }, call);
    const opened = await ask({}).catch(async (error: unknown) => {
      const { details } = error as ServiceError;
      const supersedes = error instanceof ServiceError ? details?.agentRunId : undefined;
      if (typeof supersedes !== 'string') throw error;
      if ((await statusOfRun(database, order, supersedes)) !== 'pending') throw error;
      return ask({ supersedes });
    });
    if (opened === null) throw new Error('a requested run was not opened');
    return opened;
  };

  const read = async (place: Place, agentRunId: string): Promise<AgentRun> => {
    const found = await findRun(database, place, agentRunId);
    if (found === undefined) throw notFound();
    return shown(found);
  };

  /** The thread tells of a suggestion a moment before its run has it. 503 where that moment is too long. */
  const readJudged = async (place: Place, agentRunId: string): Promise<AgentRun> => {
    for (let waited = 0; await isRunAnswering(database, place, agentRunId); waited += lookEveryMs) {
      if (waited >= verdictMs) throw new ServiceError('svc/runtime/unavailable', { retryAfterSeconds: 1 });
      await pause(clock, lookEveryMs);
    }
    return read(place, agentRunId);
  };

  return {
    createAgentRun: async call => {
      const { agentId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfAgent, agentId);
      const place = { projectId, environmentId };
      const { threadId, inputMessageId, metadata = {} } = call.body;
      const head = await headOf(place, agentId);
      const asked = { ...place, metadata, author: authorOf(call) };
      if (threadId === undefined) {
        if (inputMessageId !== undefined) {
          throw invalid([{ path: '/body/threadId', message: 'a message is of a thread', code: 'required' }]);
        }
        const begin: BeginRun = {
          ...asked,
          threadId: null,
          head: { ...head, mode: head.mode === 'paused' ? 'suggest' : head.mode },
          inputMessageId: null,
          basedOnSequence: 0,
        };
        return { body: await node.ask<AgentRun>(runOf(newId('run', call.now)), 'begin', begin, call) };
      }
      if (inputMessageId !== undefined) {
        const key = { ...place, threadId, messageId: inputMessageId };
        if ((await findMessage(database, key)) === undefined) throw notFound();
      }
      const input = inputMessageId === undefined ? {} : { inputMessageId };
      const opened = await open(threadId, { ...asked, ...input, trigger: 'request', head }, call);
      // The thread has told it durably; whoever comes first begins it.
      return { body: await node.ask<AgentRun>(runOf(opened.agentRunId), 'begin', opened.begin, call) };
    },

    listAgentRuns: async call => {
      const { projectId, environmentId } = placeOfCall(call);
      const { cursor, limit = defaultPageSize, threadId, agentId, status } = call.query;
      const filters = { threadId, agentId, status };
      const scope = `runs ${projectId} ${environmentId} ${JSON.stringify(filters)}`;
      const key = cursor === undefined ? undefined : cursors.decode(scope, cursor);
      const after = key === undefined ? undefined : { at: Number(key[0]), agentRunId: String(key[1]) };
      const found = await runPage(database, { projectId, environmentId, ...filters, after, limit });
      const { data, ...rest } = pageOf(found, end =>
        cursors.encode(scope, [end.createdAt.getTime(), end.agentRunId]),
      );
      return { body: { data: data.map(shown), ...rest } };
    },

    getAgentRun: async call => {
      const { agentRunId } = call.params;
      return { body: await read(await scopeById(call, database, placeOfRun, agentRunId), agentRunId) };
    },

    cancelAgentRun: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfRun, agentRunId);
      const command: CancelRun = { projectId, environmentId, reason: 'Cancelled on request.', by: 'request' };
      await node.ask(runOf(agentRunId), 'cancel', command, call);
      return { body: await read(command, agentRunId) };
    },

    resolveSuggestion: async call => {
      const { agentRunId } = call.params;
      const { projectId, environmentId } = await scopeById(call, database, placeOfRun, agentRunId);
      const place = { projectId, environmentId };
      const { threadId, trace } = await readJudged(place, agentRunId);
      const suggestion = trace['suggestion'] as Suggestion | undefined;
      if (typeof threadId !== 'string' || suggestion?.status !== 'pending') {
        throw new ServiceError('svc/agent_runs/suggestion_already_resolved');
      }
      const { action, body: editedBody, expectedSequence } = call.body;
      const order: ResolveSuggestion = {
        ...{ ...place, agentRunId, action, body: suggestion.body, author: authorOf(call) },
        ...(editedBody === undefined ? {} : { editedBody }),
        ...(expectedSequence === undefined ? {} : { expectedSequence }),
      };
      const resolved = await node.ask<Suggestion>(threadOf(threadId), 'resolveSuggestion', order, call);
      const command: SettleSuggestion = { ...place, settlement: settlementOf(resolved) };
      await node.ask(runOf(agentRunId), 'settleSuggestion', command, call);
      return { body: await read(place, agentRunId) };
    },
  };
}

/** What has become of it, as the thread tells the run durably too. */
function settlementOf({
  status,
  resolvedAt,
  resolvedByUserId,
  sentBody,
  messageId,
}: Suggestion): SettleSuggestion['settlement'] {
  if (status === 'pending' || resolvedAt === undefined)
    throw new Error('a suggestion that was resolved is pending');
  return {
    ...{ status, resolvedAt, resolvedByUserId: resolvedByUserId ?? null },
    ...(sentBody === undefined ? {} : { sentBody }),
    ...(messageId === undefined ? {} : { messageId }),
  };
}
