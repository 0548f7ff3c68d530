/**
 * Which part of a thread's list is in view. It starts at the end, or at a message that a search has led to. Who is at the end stays there,
 * whatever comes; elsewhere nothing moves what is in view.
 */
import type { Virtualizer } from '@tanstack/react-virtual';
import { useEffect, useEffectEvent, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { OpenThread } from './open-thread.ts';
import type { Row } from './rows.ts';

type List = Virtualizer<HTMLDivElement, Element>;

interface Followed {
  readonly virtual: List;
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly rows: readonly Row[];
  readonly open: OpenThread;
  /** Whether the end of the list is that of the thread. */
  readonly reachesEnd: boolean;
  /** The message or note that a search or a mention has led to. */
  readonly foundId: string | undefined;
}

/** So near, one is at the end. */
export const atEndPixels = 80;

export function isFound(row: Row, foundId: string | undefined): boolean {
  if (foundId === undefined) return false;
  if (row.kind === 'note') return row.entry.id === foundId;
  return row.kind === 'message' && row.message.messageId === foundId;
}

export function useFollowing(followed: Followed) {
  const { virtual, scroller, rows, open, reachesEnd } = followed;
  const [isAtBottom, setAtBottom] = useState(true);
  const isAtEnd = isAtBottom && reachesEnd;
  const [hasStarted, setStarted] = useState(false);
  const { goToEnd, leaveWay, noteScroll } = useWayToEnd(virtual, scroller);
  const follow = (): void => setAtBottom(noteScroll());
  const jumpToEnd = (): void => {
    setAtBottom(true);
    open.showNewest();
    goToEnd();
  };
  useLayoutEffect(() => {
    virtual.shouldAdjustScrollPositionOnItemSizeChange = isAboveView;
    goToEnd();
    const frame = requestAnimationFrame(() => setStarted(true));
    return () => cancelAnimationFrame(frame);
  }, [virtual, goToEnd]);
  // Rows come at the end, and before what is on its way there.
  useLayoutEffect(() => {
    if (isAtEnd) goToEnd();
  }, [goToEnd, rows, isAtEnd]);
  // Who sends wants to see it.
  const sent = rows.findLast(({ kind }) => kind === 'outgoing')?.key;
  const showSent = useEffectEvent(jumpToEnd);
  useLayoutEffect(() => {
    if (sent !== undefined) showSent();
  }, [sent]);
  // The composer grows and the window turns.
  useEffect(() => {
    const element = scroller.current;
    if (element === null || !isAtEnd) return;
    const observer = new ResizeObserver(goToEnd);
    observer.observe(element);
    return () => observer.disconnect();
  }, [goToEnd, scroller, isAtEnd]);
  useFoundMessage(followed, index => {
    setAtBottom(false);
    leaveWay();
    virtual.scrollToIndex(index, { align: 'center' });
    // It may be in view already, and then nothing scrolls.
    requestAnimationFrame(follow);
  });
  return { isAtEnd, hasStarted, follow, jumpToEnd };
}

/** On its way to the end, the list waits until rows have their size, and goes on. Whoever scrolls upward meanwhile wants to be elsewhere. */
function useWayToEnd(virtual: List, scroller: RefObject<HTMLDivElement | null>) {
  const isOnWay = useRef(false);
  const lastTop = useRef(0);
  return useMemo(() => {
    const getTop = (): number => scroller.current?.scrollTop ?? 0;
    // As it is: the virtualizer hears of a scroll later than the page.
    const getDistance = (): number => {
      const { scrollHeight = 0, clientHeight = 0, scrollTop = 0 } = scroller.current ?? {};
      return scrollHeight - clientHeight - scrollTop;
    };
    return {
      goToEnd(): void {
        isOnWay.current = true;
        virtual.scrollToEnd();
        lastTop.current = getTop();
      },
      /** The list is to be elsewhere. */
      leaveWay(): void {
        isOnWay.current = false;
      },
      /** The list has scrolled. Gives whether it is at its end. */
      noteScroll(): boolean {
        const isAtEnd = getDistance() <= atEndPixels;
        if (!isAtEnd && isOnWay.current && getTop() < lastTop.current) {
          isOnWay.current = false;
          virtual.cancelScroll();
        }
        lastTop.current = getTop();
        return isAtEnd;
      },
    };
  }, [virtual, scroller]);
}

/** Shows the message, once, as soon as it has been read. */
function useFoundMessage({ open, foundId, rows }: Followed, show: (index: number) => void): void {
  const shownId = useRef<string>(undefined);
  useEffect(() => {
    // Where it cannot be read, the newest ones are shown.
    if (foundId !== undefined) void open.show(foundId);
    else {
      // It may have been left in its past.
      open.showNewest();
      shownId.current = undefined;
    }
  }, [open, foundId]);
  const index = rows.findIndex(row => isFound(row, foundId));
  const showOnce = useEffectEvent(() => {
    if (shownId.current === foundId) return;
    shownId.current = foundId;
    show(index);
  });
  useEffect(() => {
    if (index !== -1) showOnce();
  }, [index, foundId]);
}

/**
 * Whether a row that has another size than before moves what is in view: one that is measured for the first time, from its start on; one that
 * has changed, such as the first row, which loses its author to an older one, once it is out of view.
 */
const isAboveView: List['shouldAdjustScrollPositionOnItemSizeChange'] = (
  item,
  _delta,
  { itemSizeCache, scrollOffset },
) => (itemSizeCache.has(item.key) ? item.end : item.start) <= (scrollOffset ?? 0);
