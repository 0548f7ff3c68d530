/** The trace of a run, as `AgentRun.trace` shows it (protocol/resources/run-trace.ts), and what is told of a suggestion. */
import type { Suggestion, SuggestionStatus } from '../../protocol/resources/index.ts';

export type {
  Approval,
  BudgetScope,
  RunTrace,
  SpentBudget,
  Suggestion,
  TracedCall,
  TracedStep,
} from '../../protocol/resources/index.ts';

/**
 * What became of a pending suggestion. The thread that decides it does not hold the text: the run has the rest of the suggestion, which
 * stays as it was.
 */
export type Settlement = Required<Pick<Suggestion, 'resolvedAt' | 'resolvedByUserId'>> &
  Pick<Suggestion, 'sentBody' | 'discardReason' | 'messageId'> & {
    readonly status: Exclude<SuggestionStatus, 'pending'>;
  };
