/** The last change of the chosen threads: whether it is under way, which of them stayed as they were, and why. */
import { useState } from 'react';
import { describeError } from '../../kit/error-texts.ts';
import { useClient } from '../thread/conversations-context.tsx';
import { findNewerSequence } from '../thread/unseen.ts';
import { useTexts } from '../texts/index.ts';
import { changeAll, findReasons, type Reason, type Refusal, type ThreadChange } from './change-all.ts';

interface Selection {
  readonly threadIds: readonly string[];
  /** The number of a thread up to which its row shows what came. */
  readonly findSeen: (threadId: string) => number | undefined;
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

export function useSelectionChange({ threadIds, findSeen, onChanged }: Selection) {
  const { header: texts } = useTexts().thread;
  const client = useClient();
  const [isBusy, setBusy] = useState(false);
  const [last, setLast] = useState(nothing);
  const describe = async (error: unknown): Promise<string> =>
    findNewerSequence(error) === undefined ? describeError(error) : texts.unseen;
  const change = async (what: ThreadChange, findKnown = findSeen): Promise<void> => {
    setBusy(true);
    const refusals = await changeAll(client, threadIds, what, putsAway(what) ? findKnown : undefined);
    const reasons = await findReasons(refusals, describe);
    const failed = refusals.map(({ threadId }) => threadId);
    setBusy(false);
    setLast({ threadIds: failed, reasons, change: what, sequences: findUnseen(refusals) });
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

function findUnseen(refusals: readonly Refusal[]): ReadonlyMap<string, number> {
  const sequences = new Map<string, number>();
  for (const { threadId, error } of refusals) {
    const sequence = findNewerSequence(error);
    if (sequence !== undefined) sequences.set(threadId, sequence);
  }
  return sequences;
}
