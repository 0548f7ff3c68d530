/**
 * What the agent suggests. The operator approves it, edits it, discards it, or takes over. If anything has happened in the thread that the
 * operator has not seen, nothing is sent; if a colleague was faster, the card says who. What they have written into it is never lost: it is
 * still there when they come back, and where the suggestion ends meanwhile they go on with it in their reply.
 */
import { Button, Textarea, TextInput, Tooltip } from '@mantine/core';
import { Sparkles } from 'lucide-react';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ApiError, type Message, type ResolveSuggestionBody } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import type { AgentPanelProps } from './agent-panel-props.ts';
import type { ShownSuggestion } from './activity.ts';
import { diffWords } from './diff.ts';
import { useTypingSignal } from '../composer/use-typing-signal.ts';
import { LinkedText } from '../thread/linked-text.tsx';
import type { ThreadState } from '../thread/thread-state.ts';
import { describeError } from '../../kit/use-action.ts';
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
  return <Ended {...props} shown={suggestion} onDismiss={() => setDismissed(agentRunId)} />;
}

/** Puts what was edited into the reply, when its suggestion is not pending any more. */
function useEditedText({ state, onTakeOver }: AgentPanelProps): void {
  const { written } = useConversing();
  const { suggestion } = state.activity;
  const pending = suggestion?.suggestion.status === 'pending' ? suggestion.agentRunId : undefined;
  const before = useRef(pending);
  // Before the next key, which is meant for that text.
  useLayoutEffect(() => {
    const ended = before.current;
    before.current = pending;
    if (ended === undefined || ended === pending) return;
    const text = written.get(ended, 'suggestion');
    if (text === '') return;
    written.set(ended, 'suggestion', '');
    onTakeOver(text.trim());
  }, [pending, written, onTakeOver]);
}

type CardProps = AgentPanelProps & { readonly shown: ShownSuggestion };

function Ended({ shown, state, names, onDismiss }: CardProps & { readonly onDismiss: () => void }) {
  const texts = useTexts().thread;
  const { userId } = useConversing();
  const { status, resolvedByUserId } = shown.suggestion;
  // The operator knows what they have done themselves.
  if (resolvedByUserId === userId) return null;
  // Also whoever closes the conversation or pauses its agent ends the suggestion, which the conversation says itself.
  if (status === 'superseded' && !isOvertaken(state, shown.suggestion)) return null;
  return (
    <div className={classes['ended']} role="status">
      <Sparkles size={14} aria-hidden />
      <bdi>{texts.agent.ended[status](names.person(resolvedByUserId))}</bdi>
      <Button variant="subtle" color="gray" size="compact-xs" onClick={onDismiss}>
        {texts.dismiss}
      </Button>
    </div>
  );
}

/** Whether it was a message that came after it. */
function isOvertaken(
  { entries, reachesEnd }: ThreadState,
  { basedOnSequence, resolvedAt }: ShownSuggestion['suggestion'],
): boolean {
  const isAfter = ({ sequence = 0, createdAt }: Message): boolean =>
    sequence > basedOnSequence && createdAt <= (resolvedAt ?? '');
  return !reachesEnd || entries.some(entry => entry.kind === 'message' && isAfter(entry.message));
}

/** Resolves the suggestion, and says what is in the way. */
function useResolution({ open, shown }: CardProps) {
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
      const isOutdated = error instanceof ApiError && error.status === 409;
      setProblem(isOutdated ? texts.outdated : describeError(error));
      // Whoever was faster, the run says it.
      if (isOutdated)
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

type Mode = 'shown' | 'editing' | 'discarding';

/** What the operator makes of the suggestion, kept under it until it is sent, given up or ended. */
function useEditing({ open, shown }: CardProps) {
  const { written } = useConversing();
  const typing = useTypingSignal(open.threadId);
  const { agentRunId, body } = shown;
  const kept = written.get(agentRunId, 'suggestion');
  const [mode, setMode] = useState<Mode>(kept === '' ? 'shown' : 'editing');
  const [edited, setEdited] = useState(kept === '' ? body : kept);
  // An editor that was emptied is still one.
  const keep = (text: string): void => written.set(agentRunId, 'suggestion', text === '' ? ' ' : text);
  const forget = (): void => {
    written.set(agentRunId, 'suggestion', '');
    typing.stop();
  };
  return {
    mode,
    edited,
    keep,
    forget,
    edit: (text: string): void => {
      setEdited(text);
      keep(text);
      typing.typed();
    },
    changeMode: (chosen: Mode): void => {
      if (mode === 'editing') {
        forget();
        setEdited(body);
      }
      if (chosen === 'editing') keep(body);
      setMode(chosen);
    },
  };
}

function Pending(props: CardProps) {
  const { shown, names, state, open, action, onShowRun, onTakeOver } = props;
  const texts = useTexts().thread.agent;
  const { conversations, userId } = useConversing();
  const { client } = conversations;
  const { mode, edited, keep, forget, edit, changeMode } = useEditing(props);
  const [why, setWhy] = useState('');
  const { isRunning, problem, resolve } = useResolution(props);
  const run = state.activity.runs.get(shown.agentRunId);
  const { reason } = shown.suggestion;

  const sendEdited = async (): Promise<void> => {
    // Or the answer, by which the suggestion ends, would leave it in the reply.
    forget();
    if (!(await resolve('approve', edited === shown.body ? {} : { body: edited }))) keep(edited);
  };
  const takeOver = async (): Promise<void> => {
    forget();
    onTakeOver(mode === 'editing' ? edited : shown.body);
    const { threadId } = open;
    await action.run(async () => {
      open.takeThread(await client.threads.update(threadId, { agentMode: 'paused' }));
      open.takeThread(await client.threads.assign(threadId, { userId }));
      await resolve('discard');
    });
  };
  const discard = (): Promise<boolean> => resolve('discard', why.trim() === '' ? {} : { reason: why.trim() });

  return (
    <section className={classes['card']} aria-label={texts.suggestion}>
      <header>
        <Sparkles size={14} aria-hidden />
        <b>
          <bdi>{texts.suggests(names.agent(run?.agentId))}</bdi>
        </b>
        {reason !== undefined && <span className={classes['why']}>{texts.reasons[reason]}</span>}
        <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onShowRun(shown.agentRunId)}>
          {texts.details}
        </Button>
      </header>
      {mode === 'editing' ? (
        <Editor before={shown.body} text={edited} onChange={edit} />
      ) : (
        <div className={classes['body']}>
          <LinkedText text={shown.body} />
        </div>
      )}
      {mode === 'discarding' && (
        <TextInput
          size="xs"
          aria-label={texts.discardReason}
          placeholder={texts.discardReason}
          data-autofocus
          autoFocus
          maxLength={1_000}
          value={why}
          onChange={event => setWhy(event.currentTarget.value)}
        />
      )}
      {problem !== undefined && (
        <p className={classes['problem']} role="alert">
          {problem}
        </p>
      )}
      <footer>
        <Decisions
          mayAnswer={names.mayAnswer}
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
            disabled={!names.mayAnswer}
            onClick={() => void takeOver()}
          >
            {texts.takeOver}
          </Button>
        </Tooltip>
      </footer>
    </section>
  );
}

interface DecisionsProps {
  readonly mayAnswer: boolean;
  readonly mode: Mode;
  readonly onMode: (mode: Mode) => void;
  readonly isRunning: boolean;
  readonly canSend: boolean;
  readonly onApprove: () => void;
  readonly onSendEdited: () => void;
  readonly onDiscard: () => void;
}

/** What the operator can decide, while the suggestion is read, edited or being discarded. */
function Decisions(props: DecisionsProps) {
  const { mayAnswer, mode, onMode, isRunning, canSend, onApprove, onSendEdited, onDiscard } = props;
  const texts = useTexts().thread.agent;
  if (mode === 'shown')
    return (
      <>
        <Button size="compact-sm" disabled={!mayAnswer} loading={isRunning} onClick={onApprove}>
          {texts.approve}
        </Button>
        <Button size="compact-sm" variant="default" disabled={!mayAnswer} onClick={() => onMode('editing')}>
          {texts.edit}
        </Button>
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          disabled={!mayAnswer}
          onClick={() => onMode('discarding')}
        >
          {texts.discard}
        </Button>
      </>
    );
  return (
    <>
      {mode === 'editing' ? (
        <Button
          size="compact-sm"
          loading={isRunning}
          disabled={!canSend || !mayAnswer}
          onClick={onSendEdited}
        >
          {texts.sendEdited}
        </Button>
      ) : (
        <Button size="compact-sm" color="red.8" loading={isRunning} onClick={onDiscard}>
          {texts.confirmDiscard}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => onMode('shown')}>
        {mode === 'editing' ? texts.cancelEdit : texts.keep}
      </Button>
    </>
  );
}

interface EditorProps {
  readonly before: string;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

/** The text, and below it what was changed in it. */
function Editor({ before, text, onChange }: EditorProps) {
  const texts = useTexts().thread.agent;
  const parts = useMemo(() => diffWords(before, text), [before, text]);
  return (
    <>
      <Textarea
        aria-label={texts.edited}
        autosize
        minRows={2}
        maxRows={8}
        dir="auto"
        autoFocus
        value={text}
        onChange={event => onChange(event.currentTarget.value)}
      />
      {text !== before && (
        <div className={classes['diff']} role="group" aria-label={texts.changes} dir="auto">
          {parts.map(({ kind, text: part }, index) =>
            kind === 'same' ? (
              part
            ) : kind === 'added' ? (
              <ins key={index}>{part}</ins>
            ) : (
              <del key={index}>{part}</del>
            ),
          )}
        </div>
      )}
    </>
  );
}
