/**
 * Limits of automatic answers. Two agents that answer each other would otherwise go on without end.
 *
 *   - per thread and hour: the hour begins with an automatic answer. Counted in the thread's state
 *   - per participant and hour: the same, over all threads of the participant in the environment
 *   - hops: the sender of an inbound message says how many automatic answers in a row led to it. Each answer reports one more
 *
 * The answer that exceeds a limit becomes a suggestion. The thread changes to mode `suggest`, so that its agent sends nothing until a person
 * sets another mode.
 */
import { systemActor } from '../base/index.ts';
import type { AnswerLimits } from '../run/index.ts';
import { updateHandling } from './agent-handling.ts';
import type { ThreadDecisionBuilder } from './decision-builder.ts';
import type { AgentHandling } from './state.ts';

const hourMs = 3_600_000;

/** A limit that an answer has reached. */
export interface ReachedLimit {
  readonly scope: 'thread' | 'participant' | 'hops';
  readonly limit: number;
}

function countAnswers({ answersFrom, answers }: AgentHandling, now: number): number {
  return now - answersFrom < hourMs ? answers : 0;
}

/** Returns the limit that one more automatic answer would exceed. Undefined: the answer may be sent. */
export function findReachedLimit(
  handling: AgentHandling,
  limits: AnswerLimits | undefined,
  now: number,
): ReachedLimit | undefined {
  if (limits === undefined) return undefined;
  const { threadAnswers, participantAnswers, answeredElsewhere, answerHops } = limits;
  const answers = countAnswers(handling, now);
  if (answers >= threadAnswers) return { scope: 'thread', limit: threadAnswers };
  if (answers + answeredElsewhere >= participantAnswers) {
    return { scope: 'participant', limit: participantAnswers };
  }
  return handling.hops >= answerHops ? { scope: 'hops', limit: answerHops } : undefined;
}

/** Counts an automatic answer that is sent in this turn. */
export function countAnswer(builder: ThreadDecisionBuilder): void {
  const { now, next } = builder;
  const answers = countAnswers(next.agentHandling, now);
  updateHandling(builder, {
    answers: answers + 1,
    answersFrom: answers === 0 ? now : next.agentHandling.answersFrom,
  });
}

/** Changes the thread to mode `suggest`, and announces the limit. */
export function stopAnswers(
  builder: ThreadDecisionBuilder,
  agentRunId: string,
  { scope, limit }: ReachedLimit,
): void {
  const actor = JSON.stringify(systemActor);
  builder.addEvent(
    'agent.answer_limit.reached',
    actor,
    `"agentRunId":"${agentRunId}","scope":"${scope}","limit":${limit}`,
  );
  const { next } = builder;
  const previous = JSON.stringify(next.agentMode);
  next.agentMode = 'suggest';
  builder.addThreadEvent('thread.agent_mode.changed', systemActor, `,"previousAgentMode":${previous}`);
}
