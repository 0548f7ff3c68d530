/** What a run reports to its thread. Payloads are JSON. */
import type { AgentMode } from '../../protocol/resources/index.ts';
import type { Tenancy } from '../base/index.ts';
import type { SpentBudget } from './trace.ts';

/** What the rows say of a run's agent when its answer is offered. */
export interface CurrentAgent {
  /** Its own mode, or else that of the version that answers the thread. Null: it is archived, or cannot answer for another reason. */
  readonly mode: AgentMode | null;
  /** The default agent of the thread's channel. */
  readonly channelAgentId: string | null;
  /** Absent in commands of nodes of an earlier release. */
  readonly limits?: AnswerLimits;
}

/** Limits of automatic answers, which end loops between agents. */
export interface AnswerLimits {
  /** Automatic answers within one hour: on the thread, and on all threads of its participant. */
  readonly threadAnswers: number;
  readonly participantAnswers: number;
  /** Automatic answers within the last hour on the participant's other threads. */
  readonly answeredElsewhere: number;
  /** Hops of an inbound message that is not answered automatically. */
  readonly answerHops: number;
}

/**
 * The run's answer, offered to its thread. Offered twice, it is decided once. 409 where the rows of the agent have changed since they were
 * read.
 */
export interface TakeAnswer extends Tenancy {
  readonly agentRunId: string;
  /** Empty: there is nothing to send, only a hand-off. */
  readonly body: string;
  /** The mode in which the run was begun. */
  readonly mode: AgentMode;
  readonly handoff?: { readonly reason: string };
  /** Absent where a node of an earlier release says it: the run is to offer it again. */
  readonly agent?: CurrentAgent;
}

/** The run has ended without an answer; told to its thread durably. */
export interface RunOver extends Tenancy {
  readonly agentRunId: string;
  /** The budget that stopped the run: the thread falls back to its mode. */
  readonly budget?: SpentBudget;
  /** The agent's own mode when the budget stopped the run. Absent where a node of an earlier release says it. */
  readonly agentMode?: AgentMode;
}
