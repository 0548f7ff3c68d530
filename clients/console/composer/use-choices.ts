/** What can be chosen for the word at the caret: colleagues for `@` in a note. */
import { useCallback, useMemo, useState, type RefObject } from 'react';
import type { Names } from '../thread/names.tsx';
import type { Choice } from './choices.tsx';
import { findToken } from './tokens.ts';
import type { WrittenKind } from './written.ts';

const mostShown = 8;

export function useChoices(
  input: RefObject<HTMLTextAreaElement | null>,
  kind: WrittenKind,
  text: string,
  names: Names,
) {
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  /** The sign whose list was closed. */
  const [closed, setClosed] = useState<number>();
  const follow = useCallback(() => setCaret(input.current?.selectionStart ?? 0), [input]);
  const token = kind === 'note' ? findToken(text, caret, '@') : undefined;
  const { start, query } = token ?? {};
  const choices = useMemo((): readonly Choice[] => {
    if (query === undefined || start === closed) return [];
    const wanted = query.toLocaleLowerCase();
    return names.colleagues
      .filter(({ isMe, name }) => !isMe && name.toLocaleLowerCase().includes(wanted))
      .slice(0, mostShown)
      .map(({ userId, name }) => ({ id: userId, name, text: `@${name} ` }));
  }, [query, start, closed, names]);
  return {
    token,
    caret,
    choices,
    active: Math.min(active, Math.max(0, choices.length - 1)),
    setActive,
    follow,
    close: useCallback(() => {
      setClosed(start);
      setActive(0);
    }, [start]),
  };
}
