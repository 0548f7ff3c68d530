import { useState } from 'react';
import { ApiError, type ErrorCode, type ResolveSuggestionBody } from '../../sdk/index.ts';
import { describeError } from '../../kit/error-texts.ts';
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { findNewerSequence } from '../thread/unseen.ts';
import type { SuggestionCardProps } from './agent-panel-props.ts';

const isRefusal = (error: unknown, code: ErrorCode): error is ApiError =>
  error instanceof ApiError && error.code === code;

/** Somebody was faster. */
export const isAlreadyResolved = (error: unknown): boolean =>
  isRefusal(error, 'svc/agent_runs/suggestion_already_resolved');

/** Resolves the suggestion, and says what is in the way. */
export function useResolution({ open, shown }: SuggestionCardProps) {
  const texts = useTexts().thread.agent;
  const { conversations } = useConversing();
  const { client } = conversations;
  const [isRunning, setRunning] = useState(false);
  const [problem, setProblem] = useState<string>();
  const resolve = async (
    action: 'approve' | 'discard',
    words: Pick<ResolveSuggestionBody, 'body' | 'reason'> = {},
  ): Promise<boolean> => {
    setRunning(true);
    setProblem(undefined);
    // Read when the operator decides: what came since then has not been seen.
    const expectedSequence = open.getState().lastSequence;
    try {
      const run = await client.agentRuns.resolveSuggestion(shown.agentRunId, {
        action,
        ...words,
        expectedSequence,
      });
      open.takeRuns([run]);
      return true;
    } catch (error) {
      const newer = findNewerSequence(error);
      // Without a stream it would not come before the next poll.
      if (newer !== undefined) void open.reset(newer);
      setProblem(newer !== undefined ? texts.outdated : await describeError(error));
      // Whoever was faster, the run says it.
      if (newer !== undefined || isAlreadyResolved(error))
        void client.agentRuns.get(shown.agentRunId).then(
          run => open.takeRuns([run]),
          () => undefined,
        );
      return false;
    } finally {
      setRunning(false);
    }
  };
  return { isRunning, problem, resolve };
}
