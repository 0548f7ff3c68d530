/**
 * Which threads of the list that is shown are chosen. Nothing is changed unseen: what was chosen in another queue is not chosen here, and what
 * has left the list is not chosen any more.
 */
import { useMemo, useState } from 'react';
import type { ThreadList } from '../live/thread-list.ts';

/** As many as one request changes: the contract's. */
export const mostChosen = 100;

export interface Choosing {
  readonly chosen: ReadonlySet<string>;
  /** These, and no others. */
  choose(threadIds: readonly string[]): void;
  toggle(threadId: string): void;
  /** With all between it and the one that was toggled last, as they are listed. */
  chooseUpTo(threadId: string): void;
  /** With all that are listed, from the first on. */
  chooseAll(): void;
}

interface Chosen {
  readonly of: ThreadList;
  readonly threadIds: ReadonlySet<string>;
  /** Toggled last. */
  readonly last: string | undefined;
}

const nothing: ReadonlySet<string> = new Set();

/** @param order what the list shows */
export function useChosen(list: ThreadList, order: readonly string[]): Choosing {
  const [kept, setKept] = useState<Chosen>({ of: list, threadIds: nothing, last: undefined });
  const chosen = toListed(kept, list, order);
  if (chosen !== kept) setKept(chosen);
  const actions = useMemo(() => {
    const change = (toNext: (before: Chosen) => Pick<Chosen, 'threadIds' | 'last'>): void =>
      // What comes late, of a list that is not shown any more, changes nothing in the one that is.
      setKept(before => (before.of === list ? { of: list, ...toNext(before) } : before));
    return {
      choose: (threadIds: readonly string[]) =>
        change(() => ({ threadIds: add(nothing, threadIds), last: undefined })),
      toggle: (threadId: string) =>
        change(({ threadIds }) => {
          const rest = new Set(threadIds);
          return { threadIds: rest.delete(threadId) ? rest : add(threadIds, [threadId]), last: threadId };
        }),
      chooseUpTo: (threadId: string) =>
        change(({ threadIds, last }) => ({
          threadIds: add(threadIds, findBetween(list.getState().order, last ?? threadId, threadId)),
          last: threadId,
        })),
      chooseAll: () =>
        change(({ threadIds, last }) => ({ threadIds: add(threadIds, list.getState().order), last })),
    };
  }, [list]);
  return { chosen: chosen.threadIds, ...actions };
}

/** The same object where nothing of it has gone. */
function toListed(kept: Chosen, list: ThreadList, order: readonly string[]): Chosen {
  if (kept.of !== list) return { of: list, threadIds: nothing, last: undefined };
  if (kept.threadIds.size === 0) return kept;
  const listed = new Set(order);
  const rest = [...kept.threadIds].filter(threadId => listed.has(threadId));
  return rest.length === kept.threadIds.size ? kept : { ...kept, threadIds: new Set(rest) };
}

/** The first of them, as many as may be chosen. */
function add(chosen: ReadonlySet<string>, threadIds: readonly string[]): ReadonlySet<string> {
  const both = new Set(chosen);
  for (const threadId of threadIds) {
    if (both.size >= mostChosen) break;
    both.add(threadId);
  }
  return both;
}

/** From the one to the other, in this order; the other alone where the one is not listed any more. */
function findBetween(order: readonly string[], one: string, other: string): readonly string[] {
  const [from, to] = [order.indexOf(one), order.indexOf(other)];
  if (from === -1 || to === -1) return [other];
  return from <= to ? order.slice(from, to + 1) : order.slice(to, from + 1).reverse();
}
