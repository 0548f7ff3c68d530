/** The list of a queue: rows that scroll, keys that move through it, filters above it, and what can be done to several at once. */
import { Button, Skeleton } from '@mantine/core';
import { ArrowUp } from 'lucide-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { Suspense, useEffect, useRef, type MouseEvent } from 'react';
import { tellFirstPage } from '../../kit/first-page.ts';
import { lazyPart } from '../../kit/lazy-part.ts';
import { toShownName } from '../../kit/shown-name.ts';
import type { QueueName } from '../live/queues.ts';
import type { ThreadList, ThreadListState } from '../live/thread-list.ts';
import { useThreadList } from '../live/use-thread-list.ts';
import { useFormats } from '../../kit/use-formats.ts';
import { useNow } from '../../kit/use-now.ts';
import { useNames } from '../thread/names.tsx';
import { useEscape } from '../shell/escape.ts';
import { type PageCommand, usePageCommands } from '../shell/page-commands.ts';
import { useShortcuts } from '../shell/use-shortcuts.ts';
import { useTexts } from '../texts/index.ts';
import { FilterBar } from './filter-bar.tsx';
import { ThreadRow } from './thread-row.tsx';
import { type Choosing, mostChosen, useChosen } from './use-chosen.ts';
import { useFilters } from './use-filters.ts';
import { moveByArrow, useMove, useOpenThread } from './use-moving.ts';
import classes from './thread-list-pane.module.css';

// Not of the first load: nothing is chosen then.
const SelectionBar = lazyPart(() => import('./selection-bar.tsx'));

const rowHeight = 68;
/** Ages are told anew so often. */
const agesEveryMs = 20_000;
/** So many rows before the end the next page is asked for. */
const aheadRows = 40;
/** Of so many threads the tags are offered. */
const taggedRows = 1_000;

interface ThreadListPaneProps {
  readonly queue: QueueName;
  readonly selected: string | undefined;
}

export function ThreadListPane({ queue, selected }: ThreadListPaneProps) {
  const { filters, setFilters } = useFilters();
  const { list, state } = useThreadList(queue, filters);
  const isShown = state.phase !== 'reading';
  useEffect(() => {
    if (isShown) tellFirstPage();
  }, [isShown]);
  const texts = useTexts();
  const choosing = useChosen(list, state.order);
  const { chosen, choose } = choosing;
  useEscape('choice', chosen.size > 0 ? () => choose([]) : undefined);
  const { q } = filters;
  const title =
    queue === 'search' && q !== undefined ? texts.list.resultsOf(toShownName(q)) : texts.shell.queues[queue];
  return (
    <section className={classes['pane']} aria-label={texts.shell.queues[queue]}>
      <FilterBar title={title} queue={queue} filters={filters} onChange={setFilters}>
        {state.waiting > 0 && (
          <Button
            size="compact-xs"
            variant="light"
            leftSection={<ArrowUp size={12} />}
            onClick={() => list.release()}
          >
            {texts.list.waitingRows(state.waiting)}
          </Button>
        )}
      </FilterBar>
      <Rows list={list} state={state} queue={queue} selected={selected} choosing={choosing} />
      {chosen.size > 0 && (
        <Suspense>
          <SelectionBar
            threadIds={[...chosen]}
            tags={listTags(list, state.order)}
            onAll={
              chosen.size < mostChosen && state.order.some(each => !chosen.has(each))
                ? choosing.chooseAll
                : undefined
            }
            onClear={() => choose([])}
            findThread={threadId => list.getThread(threadId)}
            onChanged={choose}
          />
        </Suspense>
      )}
    </section>
  );
}

/** The tags of the threads that are listed first. */
function listTags(list: ThreadList, order: readonly string[]): readonly string[] {
  const tags = order.slice(0, taggedRows).flatMap(threadId => list.getThread(threadId)?.tags ?? []);
  return [...new Set(tags)].sort((one, other) => one.localeCompare(other));
}

interface RowsProps extends ThreadListPaneProps {
  readonly list: ThreadList;
  readonly state: ThreadListState;
  readonly choosing: Choosing;
}

function Rows({ list, state, queue, selected, choosing }: RowsProps) {
  const texts = useTexts().list;
  const formats = useFormats();
  const names = useNames();
  const now = useNow(agesEveryMs);
  const open = useOpenThread(queue);
  const scroller = useRef<HTMLDivElement>(null);
  const { order } = state;
  const { chosen } = choosing;
  const rows = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    getItemKey: index => order[index] ?? index,
    overscan: 8,
  });
  const items = rows.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  // After a failure the list asks again by itself.
  const readsOn = state.hasMore && !state.isFar && state.error === undefined;
  useEffect(() => {
    if (readsOn && lastShown >= order.length - aheadRows) void list.readMore();
  }, [list, readsOn, state.pages, lastShown, order.length]);
  const move = useMove({ order, selected, open, scrollTo: index => rows.scrollToIndex(index) });
  useShortcuts([
    ['J', () => move(1), { repeats: true }],
    ['K', () => move(-1), { repeats: true }],
  ]);
  useListCommands(
    names.mayAnswer && selected !== undefined && order.includes(selected) ? selected : undefined,
    choosing,
  );
  if (order.length === 0) return <Nothing list={list} state={state} queue={queue} />;
  return (
    <div className={classes['frame']}>
      <div
        className={classes['scroller']}
        ref={scroller}
        role="listbox"
        aria-label={texts.label}
        aria-busy={state.phase !== 'ready'}
        aria-multiselectable="true"
        data-choosing={chosen.size > 0 || undefined}
        // Only while it is drawn: far from what is in view it is no element.
        aria-activedescendant={
          selected !== undefined && items.some(({ index }) => order[index] === selected)
            ? toRowId(selected)
            : undefined
        }
        tabIndex={0}
        onKeyDown={event => moveByArrow(event, move)}
        onPointerEnter={event => event.pointerType === 'mouse' && list.hold(true)}
        onPointerLeave={() => list.hold(false)}
      >
        <div className={classes['whole']} style={{ height: rows.getTotalSize() }} role="presentation">
          {items.map(item => {
            const threadId = order[item.index] ?? '';
            const thread = list.getThread(threadId);
            if (thread === undefined) return null;
            return (
              <div
                key={item.key}
                id={toRowId(threadId)}
                role="option"
                aria-selected={threadId === selected}
                aria-checked={chosen.size === 0 ? undefined : chosen.has(threadId)}
                aria-setsize={state.hasMore ? -1 : order.length}
                aria-posinset={item.index + 1}
                className={classes['row']}
                data-chosen={chosen.has(threadId) || undefined}
                style={{ transform: `translateY(${item.start}px)` }}
                // Shift would select the texts between.
                onMouseDown={event => event.shiftKey && event.preventDefault()}
                // Threads are chosen to be changed, all at once.
                onClick={event => (names.mayAnswer ? click(event, threadId, choosing, open) : open(threadId))}
              >
                {/* No control of its own, which an option may not have: by keyboard it is X. */}
                {names.mayAnswer && <span className={classes['check']} data-check aria-hidden />}
                <ThreadRow
                  thread={thread}
                  texts={texts}
                  formats={formats}
                  names={names}
                  now={now}
                  isSelected={threadId === selected}
                />
              </div>
            );
          })}
        </div>
        <Further list={list} state={state} />
      </div>
    </div>
  );
}

/** Behind the last row: why nothing follows yet. */
function Further({ list, state }: Pick<RowsProps, 'list' | 'state'>) {
  const texts = useTexts().list;
  const isUnreadable = state.error !== undefined && state.hasMore && state.phase === 'ready';
  if (!isUnreadable && !state.isFar) return null;
  return (
    <div className={classes['nothing']} role={isUnreadable ? 'alert' : 'status'}>
      <p>{isUnreadable ? texts.unreadable : texts.far}</p>
      <Button variant="default" onClick={() => void list.readMore()}>
        {isUnreadable ? texts.readAgain : texts.further}
      </Button>
    </div>
  );
}

/** By keyboard, the thread that is open is chosen, or all up to it. */
function useListCommands(
  selected: string | undefined,
  { chosen, toggle, chooseUpTo, chooseAll }: Choosing,
): void {
  const texts = useTexts().list.selection;
  const commands: PageCommand[] = [];
  if (selected !== undefined)
    commands.push(
      { id: 'choose', key: 'X', label: texts.choose, run: () => toggle(selected) },
      { id: 'choose-up-to', key: 'shift+X', label: texts.chooseUpTo, run: () => chooseUpTo(selected) },
    );
  if (chosen.size > 0) commands.push({ id: 'choose-all', label: texts.all, run: chooseAll });
  usePageCommands(commands);
}

/** Opens the thread; at its face, or with a key held, chooses it. */
function click(
  event: MouseEvent<HTMLElement>,
  threadId: string,
  { toggle, chooseUpTo }: Choosing,
  open: (threadId: string) => void,
): void {
  if (event.shiftKey) return chooseUpTo(threadId);
  const isAtFace = (event.target as Element).closest('[data-check]') !== null;
  return isAtFace || event.metaKey || event.ctrlKey ? toggle(threadId) : open(threadId);
}

const toRowId = (threadId: string): string => `row-${threadId}`;

/** There is no row: not yet, not any more, or nobody could say. */
function Nothing({ list, state, queue }: Pick<RowsProps, 'list' | 'state' | 'queue'>) {
  const texts = useTexts().list;
  if (state.phase === 'failed') {
    return (
      <div className={classes['nothing']} role="alert">
        <p>{texts.unreadable}</p>
        <Button variant="default" onClick={() => void list.read()}>
          {texts.readAgain}
        </Button>
      </div>
    );
  }
  if (state.isFar || (state.error !== undefined && state.hasMore))
    return <Further list={list} state={state} />;
  if (state.phase === 'reading' || state.hasMore) {
    return (
      <div role="status" aria-label={texts.reading}>
        {Array.from({ length: 8 }, (_, index) => (
          <div key={index} className={classes['skeleton']}>
            <Skeleton circle h={32} />
            <div>
              <Skeleton h={9} w="55%" mb={8} />
              <Skeleton h={8} w="85%" />
            </div>
          </div>
        ))}
      </div>
    );
  }
  return (
    <div className={classes['nothing']}>
      <p>{texts.empty[queue]}</p>
    </div>
  );
}
