/** One thread in a list. Plain elements: two hundred of them may change in a second. */
import { memo, useMemo } from 'react';
import { toShownName } from '../../kit/shown-name.ts';
import type { Thread } from '../../sdk/index.ts';
import { Snippet } from '../search/snippet.tsx';
import { getWindowLeft } from '../live/queues.ts';
import type { Names } from '../thread/names.tsx';
import type { Formats } from '../../kit/formats.ts';
import type { ConsoleTexts } from '../texts/index.ts';
import { Face } from '../../kit/people/face.tsx';
import { ParticipantFace } from '../people/participant-face.tsx';
import { toParticipantName } from '../people/participant-name.ts';
import { PresentFaces } from '../people/present-faces.tsx';
import { UnsentMark } from './unsent-mark.tsx';
import classes from './thread-row.module.css';

export interface ThreadRowProps {
  readonly thread: Thread;
  readonly texts: ConsoleTexts['list'];
  readonly formats: Formats;
  readonly names: Names;
  /** Milliseconds since 1970, told once in a while: ages are counted from it. */
  readonly now: number;
  readonly isSelected: boolean;
}

/** Windows that close later than this are no news. */
const shownWindowMs = 14_400_000;
const minuteMs = 60_000;

export const ThreadRow = memo(function ThreadRow(props: ThreadRowProps) {
  const { thread, texts, formats } = props;
  const name = toParticipantName(thread, texts.participantNames);
  const unread = thread.unreadCount ?? 0;
  return (
    <>
      <ParticipantFace thread={thread} name={name} size={32} />
      <div className={classes['text']}>
        <div className={classes['top']}>
          <bdi className={classes['name']} data-unread={unread > 0 || undefined} title={name}>
            {name}
          </bdi>
          <PresentFaces threadId={thread.threadId} names={props.names} />
          <time
            className={classes['age']}
            dateTime={thread.lastMessageAt}
            title={formats.dateTime(thread.lastMessageAt)}
          >
            {tellAge(props, thread.lastMessageAt)}
          </time>
        </div>
        <div className={classes['preview']} data-unread={unread > 0 || undefined}>
          <Preview {...props} />
        </div>
        <div className={classes['chips']}>
          <Chips {...props} />
          {unread > 0 && (
            <span className={classes['unread']} aria-label={texts.unread(unread)}>
              {unread >= 100 ? '99+' : unread}
            </span>
          )}
        </div>
      </div>
    </>
  );
});

function Preview({ thread, texts, names }: ThreadRowProps) {
  const { preview, match } = thread;
  if (match !== undefined) {
    return (
      <bdi>
        <Snippet {...match} />
      </bdi>
    );
  }
  const subject = thread.subject == null ? null : <Subject text={thread.subject} />;
  if (preview === undefined || preview === null)
    return subject ?? (thread.erasedAt == null ? texts.noMessages : texts.erased);
  const { direction, actorType, text, attachmentCount, contentType } = preview;
  const author =
    direction === 'inbound' ? '' : actorType === 'agent' ? names.agent(thread.agentId) : texts.you;
  const shown = text !== '' ? text : attachmentCount > 0 ? texts.files(attachmentCount) : (contentType ?? '');
  return (
    <>
      {subject}
      {author !== '' && (
        <span className={classes['author']}>
          <bdi>{author}</bdi>:{' '}
        </span>
      )}
      <bdi>{shown}</bdi>
    </>
  );
}

/** Before what was said last. */
function Subject({ text }: { readonly text: string }) {
  const shown = toShownName(text);
  return (
    <bdi className={classes['subject']} title={shown}>
      {shown}
    </bdi>
  );
}

function Chips({ thread, texts, formats, names, now, isSelected }: ThreadRowProps) {
  const windowLeft = getWindowLeft(thread, now);
  const assignee = useMemo(
    () => (thread.assigneeUserId == null ? undefined : names.person(thread.assigneeUserId)),
    [names, thread.assigneeUserId],
  );
  return (
    <>
      <UnsentMark threadId={thread.threadId} texts={texts} isSelected={isSelected} />
      {(thread.failedSends ?? 0) > 0 && (
        <span className={classes['chip']} data-kind="failed">
          {texts.failed(thread.failedSends ?? 0)}
        </span>
      )}
      {thread.pendingSuggestion != null && (
        <span className={classes['chip']} data-kind="suggestion">
          {texts.suggestion}
        </span>
      )}
      {windowLeft !== undefined && windowLeft < shownWindowMs && (
        <span className={classes['chip']} data-kind="window" title={texts.windowTitle}>
          {texts.window(formats.age(windowLeft))}
        </span>
      )}
      {thread.snoozedUntil != null && Date.parse(thread.snoozedUntil) > now && (
        <span
          className={classes['chip']}
          title={texts.snoozedUntil(formats.dateAndTime(thread.snoozedUntil))}
        >
          {texts.snoozed(formats.age(Date.parse(thread.snoozedUntil) - now))}
        </span>
      )}
      {thread.waitingSince != null && now - Date.parse(thread.waitingSince) >= minuteMs && (
        <span className={classes['chip']} data-kind="waiting" title={texts.waitingTitle}>
          {texts.waiting(formats.age(now - Date.parse(thread.waitingSince)))}
        </span>
      )}
      {thread.agentMode != null && (
        <span className={classes['chip']} data-kind={thread.agentMode}>
          {texts.modes[thread.agentMode]}
        </span>
      )}
      {thread.tags?.slice(0, 2).map(tag => (
        <span key={tag} className={classes['chip']} data-kind="tag">
          {tag}
        </span>
      ))}
      {assignee !== undefined && (
        <Face
          userId={thread.assigneeUserId ?? ''}
          name={assignee}
          color={names.colleagues.find(({ userId }) => userId === thread.assigneeUserId)?.avatarColor}
          title={texts.assignedTo(assignee)}
          size={16}
        />
      )}
    </>
  );
}

function tellAge({ texts, formats, now }: ThreadRowProps, at: string): string {
  const age = now - Date.parse(at);
  return age < minuteMs ? texts.now : formats.age(age);
}
