/**
 * The messages of a thread, of which only those in view are in the page. It starts at the newest; older ones come as one scrolls up, and what
 * is in view stays where it is; what is new is followed at the end, and counted elsewhere.
 */
import { Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import type { AgentRun } from '../../sdk/index.ts';
import { useTexts } from '../texts/index.ts';
import { Bubble, type MessageActions } from './bubble.tsx';
import { useOutgoing } from './conversations-context.tsx';
import { useFormats } from '../../kit/use-formats.ts';
import { type Names } from './names.tsx';
import type { OpenThread } from './open-thread.ts';
import type { ThreadState } from './thread-state.ts';
import { Note } from './note.tsx';
import { DaySeparator, InlineEvent, OutgoingBubble, UnreadLine, Writing } from './row.tsx';
import { createRows, type Row } from './rows.ts';
import { useReadCursor } from './read-cursor.tsx';
import { atEndPixels, isFound, useFollowing } from './use-following.ts';
import classes from './message-list.module.css';

export interface MessageListProps {
  readonly open: OpenThread;
  readonly state: ThreadState;
  readonly names: Names;
  readonly participantName: string;
  readonly actions: MessageActions;
  /** The message or note that a search or a mention has led to. */
  readonly foundId: string | undefined;
  /** The operator wants to see the newest instead. */
  readonly onLeaveFound: () => void;
}

/** So near to the first or last row, more are asked for. */
const nearEdge = 8;

export function MessageList(props: MessageListProps) {
  const { open, state } = props;
  const texts = useTexts().thread.list;
  const rows = useRows(props);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 64,
    getItemKey: index => rows[index]?.key ?? index,
    anchorTo: 'end',
    scrollEndThreshold: atEndPixels,
    overscan: 8,
    paddingEnd: 10,
  });
  const { reachesEnd, isReadingEarlier, isReadingLater } = state;
  const following = useFollowing({ ...props, reachesEnd, virtual, scroller, rows });
  const { isAtEnd, hasStarted, follow, jumpToEnd } = following;
  const items = virtual.getVirtualItems();
  // Before the first scroll to the end, the first rows are in view for a moment.
  const shown = hasStarted ? items : [];
  useMorePages(props, { first: shown[0]?.index, last: shown.at(-1)?.index, count: rows.length });
  useReadCursor(open, state, isAtEnd);
  const newCount = useNewCount(props, isAtEnd);

  return (
    <div className={classes['frame']}>
      <div
        className={classes['scroller']}
        ref={scroller}
        role="log"
        aria-live="off"
        aria-label={texts.label}
        aria-busy={isReadingEarlier || isReadingLater}
        tabIndex={0}
        onScroll={follow}
      >
        {isReadingEarlier && <ReadingMore label={texts.earlier} />}
        {rows.length === 0 && <p className={classes['empty']}>{texts.empty}</p>}
        <div className={classes['whole']} style={{ height: virtual.getTotalSize() }}>
          {items.map(item => {
            const row = rows[item.index];
            return row === undefined ? null : (
              <div
                key={item.key}
                data-index={item.index}
                ref={virtual.measureElement}
                className={classes['item']}
                data-found={isFound(row, props.foundId) || undefined}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row.day !== undefined && <DaySeparator at={row.day} />}
                {row.isFirstUnread === true && <UnreadLine />}
                <RowContent {...props} row={row} rows={rows} />
              </div>
            );
          })}
        </div>
      </div>
      {isReadingLater && <ReadingMore label={texts.later} isBelow />}
      {!isAtEnd && (
        <Button
          className={classes['jump']}
          variant="default"
          size="xs"
          radius="xl"
          leftSection={<ArrowDown size={14} aria-hidden />}
          onClick={() => {
            props.onLeaveFound();
            jumpToEnd();
          }}
        >
          {newCount === 0 ? texts.jump : texts.jumpWithCount(newCount)}
        </Button>
      )}
      <Announcement {...props} />
    </div>
  );
}

function ReadingMore({ label, isBelow }: { readonly label: string; readonly isBelow?: boolean }) {
  return (
    <div className={classes['more']} data-below={isBelow} role="status" aria-label={label}>
      <Skeleton h={28} w="40%" radius="md" />
    </div>
  );
}

function useRows({ open, state }: MessageListProps): readonly Row[] {
  const formats = useFormats();
  const outgoing = useOutgoing(open.threadId);
  const readSequence = useReadSequenceAtOpening(state);
  const { entries, reachesStart, reachesEnd, activity } = state;
  const writing = activity.writing?.text;
  return useMemo(() => {
    // What is on its way stands behind the newest message.
    const last = reachesEnd ? { outgoing, writing } : { outgoing: [], writing: undefined };
    return createRows({ entries, reachesStart, ...last, readSequence, toDay: formats.toDay });
  }, [entries, reachesStart, reachesEnd, outgoing, writing, readSequence, formats]);
}

/** Rows that are in view, by their places. */
interface InView {
  readonly first: number | undefined;
  readonly last: number | undefined;
  /** Of all rows. */
  readonly count: number;
}

/** Reads on where the operator comes near to an end of what is shown. */
function useMorePages({ open, state }: MessageListProps, { first, last, count }: InView): void {
  const { reachesStart, reachesEnd, isReadingEarlier, isReadingLater } = state;
  const wantsEarlier = first !== undefined && first < nearEdge && !reachesStart;
  const wantsLater = last !== undefined && last >= count - nearEdge && !reachesEnd;
  useEffect(() => {
    if (wantsEarlier && !isReadingEarlier) void open.readEarlier();
  }, [open, wantsEarlier, isReadingEarlier]);
  useEffect(() => {
    if (wantsLater && !isReadingLater) void open.readLater();
  }, [open, wantsLater, isReadingLater]);
}

/** Where the line of the unread ones stays while the thread is open, however far is read meanwhile. */
function useReadSequenceAtOpening({ phase, thread }: ThreadState): number | undefined {
  const [atOpening, setAtOpening] = useState<number>();
  if (atOpening === undefined && phase === 'ready') setAtOpening(thread?.readSequence ?? 0);
  return atOpening;
}

/** Messages of the participant that came while the operator looked at older ones. */
function useNewCount({ open, state }: MessageListProps, isAtEnd: boolean): number {
  const { lastSequence } = state;
  const [seen, setSeen] = useState(lastSequence);
  if (isAtEnd && seen !== lastSequence) setSeen(lastSequence);
  return isAtEnd ? 0 : open.countInbound(seen);
}

type RowContentProps = MessageListProps & { readonly row: Row; readonly rows: readonly Row[] };

function RowContent({ row, rows, open, state, names, participantName, actions }: RowContentProps) {
  switch (row.kind) {
    case 'note':
      return <Note note={row.entry.note} open={open} names={names} />;
    case 'event':
      return <InlineEvent event={row.entry.event} names={names} />;
    case 'writing':
      return <Writing text={row.text} />;
    case 'outgoing': {
      const isBehind = rows.some(each => each.kind === 'outgoing' && each.outgoing.state === 'refused');
      return <OutgoingBubble outgoing={row.outgoing} isBehind={isBehind} />;
    }
    case 'message': {
      const { message, showsAuthor, reactions } = row;
      const { messageId } = message;
      const quotedId = message.replyTo?.messageId;
      const isOnItsWay = rows.some(
        each => each.kind === 'outgoing' && each.outgoing.resend?.messageId === messageId,
      );
      return (
        <Bubble
          message={message}
          showsAuthor={showsAuthor}
          reactions={reactions}
          quoted={quotedId == null ? undefined : open.getMessage(quotedId)}
          run={findRun(state.activity.runs, messageId)}
          wasResent={message.status === 'failed' && (open.wasResent(messageId) || isOnItsWay)}
          names={names}
          participantName={participantName}
          actions={actions}
        />
      );
    }
  }
}

function findRun(runs: ReadonlyMap<string, AgentRun>, messageId: string): AgentRun | undefined {
  for (const run of runs.values()) if (run.outputMessageId === messageId) return run;
  return undefined;
}

/** Tells a screen reader of a message of the participant that comes while the thread is open. */
function Announcement({ state, participantName }: MessageListProps) {
  const texts = useTexts().thread.list;
  const [first] = useState(state.lastSequence);
  const last = state.entries.findLast(entry => entry.kind === 'message');
  const isNew = last?.message.direction === 'inbound' && (last.message.sequence ?? 0) > first;
  return (
    <VisuallyHidden aria-live="polite">
      {isNew && texts.announced(participantName, last.message.body.slice(0, 300))}
    </VisuallyHidden>
  );
}
