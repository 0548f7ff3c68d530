/**
 * The fields of a form on a page that is read again while somebody writes in it:
 *
 *   untouched -> written: a field differs from what its writer began with. What is typed stays, whatever the server says meanwhile
 *             -> untouched: the server has something newer, which is shown
 *   written -> untouched: it was saved, or is again as it was
 */
import { useState } from 'react';
import { getChangedFields, isChanged } from './changed-fields.ts';

interface Kept<Fields> {
  /** What its writer began with. */
  readonly begun: Fields;
  readonly written: Fields;
  /** When what it began with was changed last; empty: never. */
  readonly at: string;
  /** Another one whenever the form begins anew: some parts of a form hold a text of their own. */
  readonly round: number;
}

export interface Writing<Fields> extends Kept<Fields> {
  readonly isWritten: boolean;
  readonly change: (changed: Partial<Fields>) => void;
  /** The server has what was written at this rendering, and shows it so. */
  readonly save: (saved: Fields, at: string | null) => void;
}

/**
 * @param shown what the server says, as the form shows it
 * @param updatedAt when that changed last, as the server writes instants; null: never
 */
export function useWriting<Fields extends object>(shown: Fields, updatedAt: string | null): Writing<Fields> {
  const [kept, setKept] = useState(() => begin(shown, updatedAt, 0));
  const isWritten = isChanged(kept.begun, kept.written);
  if (!isWritten && (updatedAt ?? '') > kept.at) setKept(begin(shown, updatedAt, kept.round + 1));
  return {
    ...kept,
    isWritten,
    change: changed => setKept(now => ({ ...now, written: { ...now.written, ...changed } })),
    save(saved, at) {
      setKept(now => {
        const later = getChangedFields(kept.written, now.written);
        if (Object.keys(later).length === 0) return begin(saved, at, now.round + 1);
        // Typed while it was on its way.
        return { ...now, begun: saved, written: { ...saved, ...later }, at: at ?? '' };
      });
    },
  };
}

const begin = <Fields>(shown: Fields, updatedAt: string | null, round: number): Kept<Fields> => ({
  begun: shown,
  written: shown,
  at: updatedAt ?? '',
  round,
});
