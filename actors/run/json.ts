/** A run as REST and events show it. */
import type { AgentRun } from '../../protocol/resources/index.ts';
import { notFound } from '../../protocol/errors.ts';
import type { RunState } from './state.ts';

/** With its whole trace. 404 while the run does not exist. */
export function toAgentRun(state: RunState, agentRunId: string): AgentRun {
  const { head } = state;
  if (head === null) throw notFound();
  return {
    agentRunId,
    projectId: state.projectId,
    environmentId: state.environmentId,
    agentId: head.agentId,
    loomId: head.loomId,
    loomVersionId: head.loomVersionId,
    threadId: state.threadId,
    inputMessageId: state.inputMessageId,
    outputMessageId: state.outputMessageId,
    status: state.status,
    provider: head.provider,
    model: head.model,
    mode: head.mode,
    promptTokens: state.promptTokens,
    completionTokens: state.completionTokens,
    totalTokens: state.totalTokens,
    estimatedCostMicros: state.estimatedCostMicros,
    errorCode: state.errorCode,
    errorMessage: state.errorMessage,
    toolCallCount: state.toolCallCount,
    trace: { ...state.trace },
    metadata: state.metadata,
    startedAt: state.startedAt,
    completedAt: state.completedAt,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
  };
}

/** As events carry it: without the steps of its trace, which may take megabytes. GET shows them. */
export function toBriefRun(state: RunState, agentRunId: string): AgentRun {
  return toAgentRun({ ...state, trace: { ...state.trace, steps: [] } }, agentRunId);
}
