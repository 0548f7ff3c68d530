/**
 * What the agent suggests. The operator approves it, edits it, discards it, or takes over. If anything has happened in the thread that the
 * operator has not seen, nothing is sent; if a colleague was faster, the card says who. What they have written into it is never lost: it is
 * still there when they come back, and where the suggestion ends meanwhile they go on with it in their reply.
 */
import { Button, TextInput, Tooltip } from '@mantine/core';
import { Sparkles } from 'lucide-react';
import { useLayoutEffect, useRef, useState } from 'react';
import { splitByNames } from '../../kit/named-parts.ts';
import { Sentence } from '../../kit/sentence.tsx';
import { useTexts } from '../texts/index.ts';
import { usePageCommands } from '../shell/page-commands.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { AgentPanelProps, SuggestionCardProps } from './agent-panel-props.ts';
import { LinkedText } from '../thread/linked-text.tsx';
import { Decisions } from './suggestion-decisions.tsx';
import { SuggestionEditor } from './suggestion-editor.tsx';
import { EndedSuggestionNotice } from './ended-suggestion.tsx';
import { isPending, wasSent } from './activity.ts';
import { useEditing } from './use-suggestion-editing.ts';
import { useResolution } from './use-resolution.ts';
import { useTakingOver } from './use-taking-over.ts';
import classes from './agent.module.css';

export function SuggestionCard(props: AgentPanelProps) {
  const { state } = props;
  const { suggestion } = state.activity;
  const [dismissed, setDismissed] = useState<string>();
  const [seenPending, setSeenPending] = useState<string>();
  useEditedText(props);
  if (suggestion === undefined) return null;
  const { agentRunId } = suggestion;
  if (suggestion.suggestion.status === 'pending') {
    if (seenPending !== agentRunId) setSeenPending(agentRunId);
    return <Pending key={agentRunId} {...props} shown={suggestion} />;
  }
  // What had ended before the operator came is told by the messages.
  if (seenPending !== agentRunId || dismissed === agentRunId) return null;
  return <EndedSuggestionNotice {...props} shown={suggestion} onDismiss={() => setDismissed(agentRunId)} />;
}

/** Puts what was edited into the reply, when its suggestion is not pending any more. */
function useEditedText({ state, onTakeOver }: AgentPanelProps): void {
  const { drafts } = useConversing();
  const { activity } = state;
  const { suggestion } = activity;
  const pending = suggestion?.suggestion.status === 'pending' ? suggestion.agentRunId : undefined;
  const before = useRef(pending);
  // Before the next key, which is meant for that text.
  useLayoutEffect(() => {
    const ended = before.current;
    before.current = pending;
    if (ended === undefined || ended === pending) return;
    drafts.setText(ended, 'reason', '');
    const text = drafts.getText(ended, 'suggestion');
    if (text === '') return;
    drafts.setText(ended, 'suggestion', '');
    // Sent, though the answer was lost.
    if (!wasSent(activity, ended, text)) onTakeOver(text.trim());
  }, [pending, activity, drafts, onTakeOver]);
}

/** Of a suggestion that was not sent: its text is kept under it, or goes on in the reply. */
function putBack(
  { open, shown, onTakeOver }: SuggestionCardProps,
  edited: string,
  keep: (text: string) => void,
): void {
  const { activity } = open.getState();
  if (isPending(activity, shown.agentRunId)) keep(edited);
  // It ended before the answer came, when nothing was kept under it.
  else if (!wasSent(activity, shown.agentRunId, edited)) onTakeOver(edited);
}

function Pending(props: SuggestionCardProps) {
  const { shown, names, state, onShowRun } = props;
  const texts = useTexts().thread.agent;
  const editing = useEditing(props);
  const { mode, wasEntered, edited, why, keep, forget, edit, giveReason, changeMode } = editing;
  const { isTaken, takeOver } = useTakingOver(props, editing);
  const mayDecide = names.mayAnswer && !isTaken;
  const { isRunning, problem, resolve } = useResolution(props);
  const run = state.activity.runs.get(shown.agentRunId);
  const { reason } = shown.suggestion;

  const sendEdited = async (): Promise<void> => {
    // Or the answer, by which the suggestion ends, would leave it in the reply.
    forget();
    if (!(await resolve('approve', edited === shown.body ? {} : { body: edited })))
      putBack(props, edited, keep);
  };
  const discard = async (): Promise<void> => {
    if (await resolve('discard', why.trim() === '' ? {} : { reason: why.trim() })) giveReason('');
  };

  useSuggestionCommands(mayDecide && mode === 'shown', {
    approve: () => void resolve('approve'),
    edit: () => changeMode('editing'),
    discard: () => changeMode('discarding'),
    takeOver: () => void takeOver(),
  });

  return (
    <section className={classes['card']} aria-label={texts.suggestion}>
      <header>
        <Sparkles size={14} aria-hidden />
        <b>
          <Sentence parts={splitByNames(texts.suggests, names.agent(run?.agentId))} />
        </b>
        {reason !== undefined && <span className={classes['why']}>{texts.reasons[reason]}</span>}
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onShowRun(shown.agentRunId)}>
          {texts.details}
        </Button>
      </header>
      {mode === 'editing' ? (
        <SuggestionEditor before={shown.body} text={edited} takesFocus={wasEntered} onChange={edit} />
      ) : (
        <div className={classes['body']}>
          <LinkedText text={shown.body} />
        </div>
      )}
      {mode === 'discarding' && names.mayAnswer && (
        <TextInput
          size="xs"
          aria-label={texts.discardReason}
          placeholder={texts.discardReason}
          data-autofocus
          autoFocus={wasEntered}
          maxLength={1_000}
          value={why}
          onChange={event => giveReason(event.currentTarget.value)}
        />
      )}
      {problem !== undefined && (
        <p className={classes['problem']} role="alert">
          {problem}
        </p>
      )}
      {names.mayAnswer && (
        <footer>
          <Decisions
            mayAnswer={mayDecide}
            mode={mode}
            onMode={changeMode}
            isRunning={isRunning}
            canSend={edited.trim() !== ''}
            onApprove={() => void resolve('approve')}
            onSendEdited={() => void sendEdited()}
            onDiscard={() => void discard()}
          />
          <Tooltip label={texts.takeOverHint}>
            <Button
              size="compact-sm"
              variant="subtle"
              color="gray"
              ms="auto"
              disabled={!mayDecide}
              onClick={() => void takeOver()}
            >
              {texts.takeOver}
            </Button>
          </Tooltip>
        </footer>
      )}
    </section>
  );
}

/** What one decides about a suggestion, by key. */
function useSuggestionCommands(
  isOffered: boolean,
  decide: Readonly<Record<'approve' | 'edit' | 'discard' | 'takeOver', () => void>>,
): void {
  const texts = useTexts().thread.agent;
  const offered = [
    { id: 'approve', key: 'Y', label: texts.commands.approve, run: decide.approve },
    { id: 'edit', key: 'W', label: texts.commands.edit, run: decide.edit },
    { id: 'discard', key: 'Q', label: texts.commands.discard, run: decide.discard },
    { id: 'take-over', key: 'T', label: texts.takeOver, run: decide.takeOver },
  ];
  usePageCommands(isOffered ? offered : []);
}
