/** One row of the list that is no message of the participant's conversation yet, or never: days, notes, events, and what is on its way. */
import { UnstyledButton } from '@mantine/core';
import { Clock } from 'lucide-react';
import { toShownName } from '../../kit/shown-name.ts';
import type { Outgoing } from '../composer/outbox.ts';
import { getShownState } from '../composer/unsent.ts';
import { useTexts, type ConsoleTexts } from '../texts/index.ts';
import { useConversing } from './conversations-context.tsx';
import type { ShownEvent } from './history.ts';
import { LinkedText } from './linked-text.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from './names.tsx';
import bubbles from './bubble.module.css';
import classes from './row.module.css';

export function DaySeparator({ at }: { readonly at: string }) {
  const formats = useFormats();
  return (
    <div className={classes['separator']}>
      <span>{formats.day(at)}</span>
    </div>
  );
}

export function UnreadLine() {
  const texts = useTexts().thread.list;
  return (
    <div className={classes['separator']} data-unread>
      <span>{texts.newMessages}</span>
    </div>
  );
}

export function InlineEvent({ event, names }: { readonly event: ShownEvent; readonly names: Names }) {
  const formats = useFormats();
  const text = useEventText(event, names);
  const at = formats.dateTime(event.occurredAt);
  // Of two times nobody would know which is which.
  const namesTime = event.eventName === 'thread.snooze.changed' && event.data.thread.snoozedUntil != null;
  return (
    <div className={classes['event']} title={namesTime ? at : undefined}>
      <bdi>{text}</bdi>{' '}
      {!namesTime && (
        <time dateTime={event.occurredAt} title={at}>
          {formats.time(event.occurredAt)}
        </time>
      )}
    </div>
  );
}

function useEventText(event: ShownEvent, names: Names): string {
  const texts = useTexts().thread.events;
  const formats = useFormats();
  const by = names.actor(event.data.actor);
  switch (event.eventName) {
    case 'thread.assignment.changed': {
      const { assigneeUserId } = event.data.thread;
      return assigneeUserId == null ? texts.released(by) : texts.assigned(by, names.person(assigneeUserId));
    }
    case 'thread.status.changed':
      return texts.status[event.data.thread.status](by);
    case 'thread.agent_mode.changed':
      return texts.mode[event.data.thread.agentMode ?? 'none'](by);
    case 'thread.tags.changed': {
      const { thread, previousTags = [] } = event.data;
      const { tags = [] } = thread;
      const added = tags.filter(tag => !previousTags.includes(tag));
      const removed = previousTags.filter(tag => !tags.includes(tag));
      if (removed.length === 0) return texts.tags.added(by, added);
      return added.length === 0 ? texts.tags.removed(by, removed) : texts.tags.changed(by, added, removed);
    }
    case 'thread.snooze.changed': {
      const { snoozedUntil } = event.data.thread;
      return snoozedUntil == null ? texts.woken(by) : texts.snoozed(by, formats.dateAndTime(snoozedUntil));
    }
    case 'agent.handoff.requested':
      return texts.handoff(event.data.reason);
    case 'agent.suggestion.resolved':
      return texts.discarded(by, event.data.suggestion.discardReason);
    case 'agent.budget.exceeded':
      return texts.budget;
    case 'agent.answer_limit.reached':
      return texts.answerLimit;
    case 'thread.lifecycle.erased':
      return texts.erased(by);
  }
}

/**
 * Of what an agent is writing so much is shown, in characters: the end, which is new. With all of a word of 15,000, of which a piece comes every
 * 50 ms, the page stood still for 53 s.
 */
const shownOfWriting = 2_000;

function cutWriting(text: string): string {
  if (text.length <= shownOfWriting) return text;
  // Half of a character is none.
  return `…${text.slice(-shownOfWriting).replace(/^[\uDC00-\uDFFF]/, '')}`;
}

export function Writing({ text }: { readonly text: string }) {
  const texts = useTexts().thread.agent;
  return (
    <div className={bubbles['line']} data-direction="outbound" data-author="agent" data-first>
      <div className={bubbles['column']}>
        <div className={bubbles['author']}>{texts.writing}</div>
        <div className={`${bubbles['bubble']} ${bubbles['writing']}`}>
          <span className={bubbles['text']} dir="auto">
            {cutWriting(text)}
          </span>
        </div>
      </div>
    </div>
  );
}

function toReason(problem: string | undefined, texts: ConsoleTexts['thread']['composer']): string {
  return problem === 'tooOld' || problem === 'archived' ? texts[problem] : (problem ?? '');
}

interface OutgoingBubbleProps {
  readonly outgoing: Outgoing;
  /** Whether one that was refused stands before it. */
  readonly isBehind: boolean;
}

export function OutgoingBubble({ outgoing, isBehind }: OutgoingBubbleProps) {
  const texts = useTexts().thread.composer;
  const { outbox } = useConversing().conversations;
  const { content, problem, key } = outgoing;
  const state = getShownState(outgoing);
  const said = state === 'sending' ? texts.sending : isBehind ? texts.waitingBehind : texts.waiting;
  return (
    <article
      className={bubbles['line']}
      data-direction="outbound"
      data-state={state}
      data-first
      aria-label={said}
    >
      <div className={bubbles['column']}>
        <div className={`${bubbles['bubble']} ${content.kind === 'note' ? bubbles['note'] : ''}`}>
          {content.kind === 'message' &&
            content.attachments.map(({ attachmentId, filename }) => (
              <div key={attachmentId} className={bubbles['meta']}>
                <bdi>{toShownName(filename ?? '')}</bdi>
              </div>
            ))}
          <LinkedText text={content.body} />
          {state !== 'refused' && (
            <div className={bubbles['foot']}>
              <span>{said}</span>
              <Clock size={12} aria-hidden />
            </div>
          )}
        </div>
        {state === 'refused' && (
          <div className={bubbles['problem']} role="alert">
            <span>{texts.refused(toReason(problem, texts))}</span>
            <UnstyledButton onClick={() => outbox.retry(key)}>{texts.again}</UnstyledButton>
            <UnstyledButton onClick={() => outbox.remove(key)}>{texts.discard}</UnstyledButton>
          </div>
        )}
      </div>
    </article>
  );
}
