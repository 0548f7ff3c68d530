/** What the agent has to say to the operator: that it is at work, that it asks for a person, what it suggests, and which tools it wants to use. */
import { Button } from '@mantine/core';
import { Bot, Hand } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useTexts } from '../texts/index.ts';
import { useClient } from '../thread/conversations-context.tsx';
import { useThreadUpdate } from '../thread/use-thread-update.ts';
import type { AgentPanelProps } from './agent-panel-props.ts';
import { SuggestionCard } from './suggestion-card.tsx';
import { ToolApproval } from './tool-approval.tsx';
import classes from './agent.module.css';

export function AgentPanel(props: AgentPanelProps) {
  const { state, names, onShowRun } = props;
  const texts = useTexts().thread.agent;
  const { activity } = state;
  const { running, writing } = activity;
  useWaitingCalls(props);
  return (
    <>
      <Handoff {...props} />
      {activity.waitingCalls.map((call, index) => (
        <ToolApproval
          key={call.callId}
          call={call}
          mayAnswer={names.mayAnswer}
          isFirst={index === 0}
          onShowRun={onShowRun}
        />
      ))}
      {running?.status === 'running' && writing === undefined && activity.waitingCalls.length === 0 && (
        <div className={classes['working']} role="status">
          <Bot size={14} aria-hidden /> {texts.thinking}
        </div>
      )}
      <SuggestionCard {...props} />
    </>
  );
}

/** Where a run cannot be read, it is tried again after so many milliseconds. */
const againMs = 5_000;

/** Of a call that was announced by an event, the run that was read has the name and the arguments. Nobody allows it before they are here. */
function useWaitingCalls({ open, state }: AgentPanelProps): void {
  const client = useClient();
  const missing = state.activity.waitingCalls.find(call => call.name === undefined)?.agentRunId;
  useEffect(() => {
    if (missing === undefined) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const read = async (): Promise<void> => {
      await client.agentRuns.get(missing).then(
        run => open.takeRun(run),
        () => undefined,
      );
      if (!isOver) timer = setTimeout(() => void read(), againMs);
    };
    void read();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, open, missing]);
}

/** While an agent has asked for a person, and nobody has let it go on. */
function Handoff({ open, state, thread, names, action }: AgentPanelProps) {
  const texts = useTexts().thread;
  const update = useThreadUpdate(open, action);
  const { handoff, pause } = state.activity;
  const [dismissed, setDismissed] = useState<string>();
  if (handoff === undefined || thread.agentMode !== 'paused' || dismissed === handoff.at) return null;
  return (
    <div className={classes['handoff']} role="status">
      <Hand size={15} aria-hidden />
      <bdi>{texts.agent.handoff(handoff.reason)}</bdi>
      {names.mayAnswer && (
        <Button
          variant="default"
          size="compact-xs"
          // Null is a mode, too: that of the agent counts again.
          onClick={() => void update({ agentMode: pause === undefined ? 'suggest' : pause.before })}
        >
          {texts.agent.resume}
        </Button>
      )}
      <Button variant="subtle" color="gray" size="compact-xs" onClick={() => setDismissed(handoff.at)}>
        {texts.dismiss}
      </Button>
    </div>
  );
}
