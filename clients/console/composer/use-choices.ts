/** What can be chosen for the word at the caret: colleagues for `@` in a note, canned replies for `/` in a reply. */
import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState, type RefObject } from 'react';
import type { Thread } from '../../sdk/index.ts';
import { useClient, useConversing } from '../thread/conversations-context.tsx';
import type { Names } from '../thread/names.tsx';
import { fillCannedReply, findCannedReplies } from './canned-replies.ts';
import type { Choice } from './choices.tsx';
import type { WrittenKind } from './drafts.ts';
import { findToken } from './tokens.ts';

const mostShown = 8;
/** The contract's. */
const mostReplies = 1_000;

interface Writing {
  readonly kind: WrittenKind;
  readonly text: string;
  readonly names: Names;
  readonly thread: Thread;
}

export function useChoices(input: RefObject<HTMLTextAreaElement | null>, writing: Writing) {
  const { kind, text, names, thread } = writing;
  const [caret, setCaret] = useState(0);
  const [active, setActive] = useState(0);
  /** The sign whose list was closed. */
  const [closed, setClosed] = useState<number>();
  const follow = useCallback(() => setCaret(input.current?.selectionStart ?? 0), [input]);
  const token = findToken(text, caret, kind === 'note' ? '@' : '/');
  const { start, query } = token ?? {};
  // Another word at the same place is another one.
  if (token === undefined && closed !== undefined) setClosed(undefined);
  const { data: replies, isError } = useCannedReplies(kind === 'reply');
  const isReplyWanted = kind === 'reply' && token !== undefined && start !== closed;
  const choices = useMemo((): readonly Choice[] => {
    if (query === undefined || start === closed) return [];
    if (kind === 'note') return findColleagues(names, query);
    const operatorName = names.colleagues.find(({ isMe }) => isMe)?.name ?? '';
    return findCannedReplies(replies ?? [], query)
      .slice(0, mostShown)
      .map(({ cannedReplyId, shortcut, title, body }) => ({
        id: cannedReplyId,
        name: shortcut,
        hint: title,
        text: fillCannedReply(body, { thread, operatorName }),
      }));
  }, [kind, query, start, closed, names, replies, thread]);
  return {
    token,
    caret,
    choices,
    /** A reply was asked for by its sign, and the project has none. */
    hasNoReplies: isReplyWanted && replies?.length === 0,
    /** A reply was asked for by its sign, and none can be shown: they are being read, or that has failed. */
    missing: isReplyWanted && replies === undefined ? (isError ? 'failed' : 'reading') : undefined,
    active: Math.min(active, Math.max(0, choices.length - 1)),
    setActive,
    follow,
    close: useCallback(() => {
      setClosed(start);
      setActive(0);
    }, [start]),
  };
}

function findColleagues(names: Names, query: string): readonly Choice[] {
  const wanted = query.toLocaleLowerCase();
  return names.colleagues
    .filter(({ isMe, name }) => !isMe && name.toLocaleLowerCase().includes(wanted))
    .slice(0, mostShown)
    .map(({ userId, name }) => ({ id: userId, name, text: `@${name} ` }));
}

/** All of the project, read as soon as a reply can be written: whoever types a shortcut and Enter does not wait for them. */
function useCannedReplies(isAsked: boolean) {
  const client = useClient();
  const { projectId } = useConversing();
  return useQuery({
    queryKey: ['canned-replies', projectId],
    queryFn: () => client.cannedReplies.list({ limit: 100 }).toArray(mostReplies),
    enabled: isAsked,
    staleTime: 60_000,
  });
}
