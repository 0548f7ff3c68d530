/** The last change of the chosen threads: whether it is under way, which of them stayed as they were, and why. */
import { useEffect, useRef, useState } from 'react';
import { describeError } from '../../kit/error-texts.ts';
import type { Thread } from '../../sdk/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import { findNewerSequence, type ThreadChange as SingleChange } from '../thread/unseen.ts';
import { useTexts } from '../texts/index.ts';
import { changeAll, findReasons, type Reason, type Refusal, type ThreadChange } from './change-all.ts';

interface Selection {
  readonly threadIds: readonly string[];
  /** A thread as its row shows it. */
  readonly findThread: (threadId: string) => Thread | undefined;
  /** Called with those that were refused. */
  readonly onChanged: (refused: readonly string[]) => void;
}

interface Refused {
  readonly threadIds: readonly string[];
  readonly reasons: readonly Reason[];
  readonly change?: ThreadChange;
  /** Of those that were not put away since a message had come: their numbers by then. */
  readonly sequences: ReadonlyMap<string, number>;
}

const nothing: Refused = { threadIds: [], reasons: [], sequences: new Map() };

/** What nobody looks at afterwards. */
const putsAway = ({ action, snoozedUntil }: ThreadChange): boolean =>
  action === 'close' || (action === 'snooze' && snoozedUntil != null);

/** The same of one thread. */
const toSingle = ({ action, snoozedUntil = null }: ThreadChange): SingleChange =>
  action === 'close' ? { status: 'closed' } : { snoozedUntil };

export function useSelectionChange({ threadIds, findThread, onChanged }: Selection) {
  const { header: texts } = useTexts().thread;
  const client = useClient();
  const { unseen } = useConversing();
  const isHere = useIsHere();
  const [isBusy, setBusy] = useState(false);
  const [last, setLast] = useState(nothing);
  const describe = async (error: unknown): Promise<string> =>
    findNewerSequence(error) === undefined ? describeError(error) : texts.unseen;
  // Of what is not shown nothing was seen: it stays where its participant has written at all.
  const findSeen = (threadId: string): number => findThread(threadId)?.sequence ?? 0;
  const change = async (what: ThreadChange, findKnown = findSeen): Promise<void> => {
    setBusy(true);
    const isPutAway = putsAway(what);
    const threads = threadIds.flatMap(threadId => findThread(threadId) ?? []);
    if (isPutAway) for (const threadId of threadIds) unseen.remove(threadId);
    const refusals = await changeAll(client, threadIds, what, isPutAway ? findKnown : undefined);
    const newer = findUnseen(refusals);
    for (const thread of threads) {
      const sequence = newer.get(thread.threadId);
      // Where this is shown no more, it is told wherever the operator is.
      if (sequence !== undefined)
        unseen.add({ thread, change: toSingle(what), sequence, wasTold: isHere.current });
    }
    const reasons = await findReasons(refusals, describe);
    const failed = refusals.map(({ threadId }) => threadId);
    setBusy(false);
    setLast({ threadIds: failed, reasons, change: what, sequences: newer });
    onChanged(failed);
  };
  // It is told of as long as the same are chosen.
  const refused =
    last.threadIds.length > 0 &&
    last.threadIds.length === threadIds.length &&
    last.threadIds.every(each => threadIds.includes(each))
      ? last
      : nothing;
  const { change: again, sequences } = refused;
  return {
    isBusy,
    change,
    /** Undefined: nothing was refused. */
    reasons: refused.reasons.length > 0 ? refused.reasons : undefined,
    /** What was refused since messages had come, all the same; undefined: nothing was. */
    anyway:
      again === undefined || sequences.size === 0
        ? undefined
        : {
            label: texts.anyway[again.action === 'close' ? 'closed' : 'snoozed'],
            run: () => change(again, threadId => sequences.get(threadId) ?? findSeen(threadId)),
          },
  };
}

/** Whether the component is shown, for what comes later. */
function useIsHere(): { readonly current: boolean } {
  const isHere = useRef(false);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, []);
  return isHere;
}

function findUnseen(refusals: readonly Refusal[]): ReadonlyMap<string, number> {
  const sequences = new Map<string, number>();
  for (const { threadId, error } of refusals) {
    const sequence = findNewerSequence(error);
    if (sequence !== undefined) sequences.set(threadId, sequence);
  }
  return sequences;
}
