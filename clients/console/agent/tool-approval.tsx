/** A tool call that waits for a person. */
import { Button, TextInput } from '@mantine/core';
import { Wrench } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../texts/index.ts';
import { usePageCommands } from '../shell/page-commands.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { toShownCode } from '../../kit/shown-name.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { useMinute } from '../../kit/use-now.ts';
import { useAction } from '../../kit/use-action.ts';
import type { WaitingCall } from './activity.ts';
import classes from './agent.module.css';

interface ToolApprovalProps {
  readonly call: WaitingCall;
  readonly mayAnswer: boolean;
  /** Keys are for the first one. */
  readonly isFirst: boolean;
  readonly onShowRun: (agentRunId: string) => void;
}

export function ToolApproval({ call, mayAnswer, isFirst, onShowRun }: ToolApprovalProps) {
  const texts = useTexts().thread.agent;
  const { conversations, drafts } = useConversing();
  const { agentRuns } = conversations.client;
  const { isRunning, problem, run } = useAction();
  const { agentRunId, callId: toolCallId, input } = call;
  const kept = drafts.getText(toolCallId, 'reason');
  const [reason, setReason] = useState(kept === '' ? undefined : kept);
  /** What is kept of an earlier time takes no keys that are meant for the list. */
  const [wasEntered, setEntered] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  /** Undefined: it is not refused. What is written is still there when the operator comes back. */
  const giveReason = (text: string | undefined): void => {
    setReason(text);
    drafts.setText(toolCallId, 'reason', text ?? '');
  };
  const beginRefusal = (): void => {
    setEntered(true);
    giveReason(reason ?? '');
    field.current?.focus();
  };
  const resolve = (action: 'approve' | 'refuse'): void =>
    void run(async () => {
      await agentRuns.resolveToolCall(agentRunId, {
        toolCallId,
        action,
        ...(reason !== undefined && reason.trim() !== '' && { reason }),
      });
      drafts.setText(toolCallId, 'reason', '');
    });
  // What it is called with is read first.
  const isReadable = input !== undefined;
  const hasKeys = useSettled(isFirst) && mayAnswer;
  useToolCommands(hasKeys && !isRunning, {
    // While it is being refused, nothing allows it.
    allow: reason === undefined && isReadable ? () => resolve('approve') : undefined,
    refuse: beginRefusal,
  });
  return (
    <section className={classes['card']} aria-label={texts.toolApproval}>
      <CallHeader call={call} onShowRun={onShowRun} />
      {isReadable && (
        <pre className={classes['code']} dir="ltr" tabIndex={0}>
          {toShownCode(JSON.stringify(input, null, 2))}
        </pre>
      )}
      {mayAnswer && reason !== undefined && (
        <TextInput
          ref={field}
          size="xs"
          aria-label={texts.refuseReason}
          aria-keyshortcuts={hasKeys ? 'Shift+P' : undefined}
          placeholder={texts.refuseReason}
          autoFocus={wasEntered}
          maxLength={1_000}
          value={reason}
          onChange={event => giveReason(event.currentTarget.value)}
        />
      )}
      {problem !== undefined && (
        <p className={classes['problem']} role="alert">
          {problem}
        </p>
      )}
      {mayAnswer && (
        <footer>
          {reason === undefined && (
            <Button
              size="compact-sm"
              loading={isRunning}
              disabled={!isReadable}
              aria-keyshortcuts={hasKeys && isReadable ? 'P' : undefined}
              onClick={() => resolve('approve')}
            >
              {texts.approveTool}
            </Button>
          )}
          <Button
            size="compact-sm"
            variant={reason === undefined ? 'default' : 'filled'}
            color={reason === undefined ? undefined : 'red'}
            aria-keyshortcuts={hasKeys && reason === undefined ? 'Shift+P' : undefined}
            onClick={() => (reason === undefined ? beginRefusal() : resolve('refuse'))}
          >
            {texts.refuseTool}
          </Button>
          {reason !== undefined && (
            <Button size="compact-sm" variant="default" onClick={() => giveReason(undefined)}>
              {texts.cancelRefusal}
            </Button>
          )}
        </footer>
      )}
    </section>
  );
}

function CallHeader({ call, onShowRun }: Pick<ToolApprovalProps, 'call' | 'onShowRun'>) {
  const texts = useTexts().thread.agent;
  const formats = useFormats();
  const now = useMinute();
  return (
    <header>
      <Wrench size={14} aria-hidden />
      <b>{texts.toolApproval}</b>
      <code>{call.name}</code>
      <span className={classes['why']}>
        {texts.expires(formats.duration(Date.parse(call.expiresAt) - now))}
      </span>
      <Button variant="subtle" color="gray" size="compact-xs" onClick={() => onShowRun(call.agentRunId)}>
        {texts.details}
      </Button>
    </header>
  );
}

/** Milliseconds. */
const settlingMs = 500;

/** Whether a call has been the first for a while: a second, impatient press was meant for the one before, and allows nothing that nobody has read. */
function useSettled(isFirst: boolean): boolean {
  const [isSettled, setSettled] = useState(false);
  useEffect(() => {
    if (!isFirst) return undefined;
    const timer = setTimeout(() => setSettled(true), settlingMs);
    return () => clearTimeout(timer);
  }, [isFirst]);
  return isFirst && isSettled;
}

/** What one decides about a tool, by key. */
function useToolCommands(
  isOffered: boolean,
  { allow, refuse }: { readonly allow: (() => void) | undefined; readonly refuse: () => void },
): void {
  const texts = useTexts().thread.agent.commands;
  const refusal = { id: 'refuse', key: 'shift+P', label: texts.refuse, run: refuse };
  const allowing = allow === undefined ? [] : [{ id: 'allow', key: 'P', label: texts.allow, run: allow }];
  usePageCommands(isOffered ? [...allowing, refusal] : []);
}
