/** The operator goes on instead of the agent, with its text: once, however often they ask. */
import { useState } from 'react';
import { useConversing } from '../thread/conversations-context.tsx';
import { isPending, wasSent } from './activity.ts';
import type { SuggestionCardProps } from './agent-panel-props.ts';
import { isAlreadyResolved } from './use-resolution.ts';
import type { useEditing } from './use-suggestion-editing.ts';

export function useTakingOver(
  { open, shown, action, onTakeOver }: SuggestionCardProps,
  { mode, edited, keep, forget }: ReturnType<typeof useEditing>,
) {
  const { conversations, userId } = useConversing();
  const { threads, agentRuns } = conversations.client;
  const [isTaken, setTaken] = useState(false);
  const { threadId } = open;
  const { agentRunId } = shown;
  const isStillPending = (): boolean => isPending(open.getState().activity, agentRunId);

  const takeOver = async (): Promise<void> => {
    if (isTaken) return;
    setTaken(true);
    const text = mode === 'editing' ? edited : shown.body;
    // Or what ends the suggestion would leave it in the reply, too.
    forget();
    const isPaused = await action.run(async () =>
      open.takeThread(await threads.update(threadId, { agentMode: 'paused' })),
    );
    if (!isPaused && isStillPending()) {
      setTaken(false);
      if (mode === 'editing') keep(edited);
      return;
    }
    if (!wasSent(open.getState().activity, agentRunId, text)) onTakeOver(text);
    if (!isPaused) return;
    await action.run(async () => {
      open.takeThread(await threads.assign(threadId, { userId }));
      await agentRuns.resolveSuggestion(agentRunId, { action: 'discard' }).then(
        run => open.takeRuns([run]),
        (error: unknown) => {
          // By the pause, where the agent was not paused before.
          if (!isAlreadyResolved(error)) throw error;
        },
      );
    });
  };
  return { isTaken, takeOver };
}
