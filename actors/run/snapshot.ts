/** How a run is stored: what lists show and usage adds up are columns of `agent_runs`, the rest is the private `state`. */
import type { AgentMode, Provider, RunStatus } from '../../protocol/resources/index.ts';
import { instant, snapshotTable } from '../../storage/statements/index.ts';
import type { Metadata } from '../base/index.ts';
import { hasEnded, type RunPhase, type RunState } from './state.ts';
import type { RunTrace } from './trace.ts';

/** The private part. Its keys are those of the stored JSON, so they stay, whatever the state calls its fields. */
type StoredState = Pick<
  RunState,
  | 'channelId'
  | 'evenPaused'
  | 'phase'
  | 'basedOnSequence'
  | 'turns'
  | 'calls'
  | 'approvalsExpireAt'
  | 'isTakenOver'
  | 'resultCharacters'
  | 'deadline'
  | 'events'
>;

/** A row of `agent_runs` as JSON. */
export interface RunRow {
  readonly project_id: string;
  readonly environment_id: string;
  readonly agent_id: string | null;
  readonly loom_id: string | null;
  readonly loom_version_id: string | null;
  readonly thread_id: string | null;
  readonly input_message_id: string | null;
  readonly output_message_id: string | null;
  readonly status: RunStatus;
  readonly provider: Provider;
  readonly model: string;
  readonly mode: AgentMode;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_tokens: number | null;
  readonly estimated_cost_micros: number | null;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly tool_call_count: number;
  readonly trace: Partial<RunTrace>;
  readonly metadata: Metadata;
  readonly started_at: string | null;
  readonly completed_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
  readonly state: Partial<StoredState> | null;
}

/** The state of a row, for the actor and for reads that show the run without activating it. Retention may have emptied the row. */
export function decodeRun(row: RunRow): RunState {
  const { status, trace } = row;
  const rest = row.state ?? {};
  return {
    projectId: row.project_id,
    environmentId: row.environment_id,
    threadId: row.thread_id,
    channelId: rest.channelId ?? null,
    head: {
      agentId: row.agent_id ?? '',
      loomId: row.loom_id ?? '',
      loomVersionId: row.loom_version_id ?? '',
      provider: row.provider,
      model: row.model,
      mode: row.mode,
    },
    evenPaused: rest.evenPaused ?? false,
    inputMessageId: row.input_message_id,
    outputMessageId: row.output_message_id,
    status,
    phase: rest.phase ?? derivePhase(status),
    basedOnSequence: rest.basedOnSequence ?? 0,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    totalTokens: row.total_tokens,
    estimatedCostMicros: row.estimated_cost_micros,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    toolCallCount: row.tool_call_count,
    trace: { ...trace, steps: trace.steps ?? [] },
    turns: rest.turns ?? [],
    calls: rest.calls ?? [],
    approvalsExpireAt: rest.approvalsExpireAt ?? 0,
    isTakenOver: rest.isTakenOver ?? false,
    resultCharacters: rest.resultCharacters ?? 0,
    deadline: rest.deadline ?? 0,
    metadata: row.metadata,
    startedAt: row.started_at === null ? null : instant(row.started_at),
    completedAt: row.completed_at === null ? null : instant(row.completed_at),
    createdAt: instant(row.created_at),
    updatedAt: instant(row.updated_at),
    events: rest.events ?? 0,
  };
}

/** The phase for an emptied row: work in flight is not known any more, so it is done again or given up at its deadline. */
function derivePhase(status: RunStatus): RunPhase {
  if (hasEnded(status)) return 'over';
  return status === 'pending' ? 'waiting' : 'thinking';
}

export const runSnapshot = snapshotTable<RunState>({
  kind: 'run',
  table: 'agent_runs',
  key: 'agent_run_id',
  mayBeLarge: true,
  fixed: {
    project_id: 'text',
    environment_id: 'text',
    agent_id: 'text',
    loom_id: 'text',
    loom_version_id: 'text',
    thread_id: 'text',
    input_message_id: 'text',
    provider: 'text',
    model: 'text',
    mode: 'text',
    created_at: 'timestamptz',
  },
  columns: {
    output_message_id: 'text',
    status: 'text',
    prompt_tokens: 'int',
    completion_tokens: 'int',
    total_tokens: 'int',
    estimated_cost_micros: 'bigint',
    error_code: 'text',
    error_message: 'text',
    tool_call_count: 'int',
    trace: 'jsonb',
    metadata: 'jsonb',
    suggestion_status: 'text',
    started_at: 'timestamptz',
    completed_at: 'timestamptz',
    updated_at: 'timestamptz',
    state: 'jsonb',
  },
  encode: state => {
    const { head, channelId, evenPaused, phase, basedOnSequence, turns, calls } = state;
    const { approvalsExpireAt, isTakenOver, resultCharacters, deadline, events } = state;
    const stored: StoredState = {
      channelId,
      evenPaused,
      phase,
      basedOnSequence,
      turns,
      calls,
      approvalsExpireAt,
      isTakenOver,
      resultCharacters,
      deadline,
      events,
    };
    return {
      project_id: state.projectId,
      environment_id: state.environmentId,
      agent_id: head?.agentId,
      loom_id: head?.loomId,
      loom_version_id: head?.loomVersionId,
      thread_id: state.threadId,
      input_message_id: state.inputMessageId,
      output_message_id: state.outputMessageId,
      status: state.status,
      provider: head?.provider,
      model: head?.model,
      mode: head?.mode,
      prompt_tokens: state.promptTokens,
      completion_tokens: state.completionTokens,
      total_tokens: state.totalTokens,
      estimated_cost_micros: state.estimatedCostMicros,
      error_code: state.errorCode,
      error_message: state.errorMessage,
      tool_call_count: state.toolCallCount,
      trace: JSON.stringify(state.trace),
      metadata: JSON.stringify(state.metadata),
      suggestion_status: state.trace.suggestion?.status ?? null,
      started_at: state.startedAt,
      completed_at: state.completedAt,
      created_at: state.createdAt,
      updated_at: state.updatedAt,
      state: JSON.stringify(stored),
    };
  },
  decode: row => decodeRun(row as unknown as RunRow),
});
