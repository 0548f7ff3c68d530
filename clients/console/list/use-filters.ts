/** What a queue is narrowed down to: it stands in the address, so that it can be kept, sent, and gone back to. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { ThreadFilters } from '../live/queues.ts';

const listNames = ['channelId', 'tag', 'agentMode', 'assigneeUserId'] as const;
const mostValues = 20;
/** Code points: the contract's. */
const longestSearch = 200;

/** Of an address, which anybody may have written. */
export function readFilters(search: Readonly<Record<string, unknown>>): ThreadFilters {
  const lists = listNames.map(name => {
    const value = search[name];
    const values = (Array.isArray(value) ? value : [value]).filter(each => typeof each === 'string');
    return [name, values.length === 0 ? undefined : values.slice(0, mostValues)] as const;
  });
  const given = Object.fromEntries(lists.filter(([, values]) => values !== undefined));
  return {
    ...given,
    ...(search['unread'] === true ? { unread: true } : {}),
    ...readWords(search['q']),
  };
}

/** A number that was searched for stands in an address as one. */
function readWords(value: unknown): Pick<ThreadFilters, 'q'> {
  if (typeof value !== 'string' && typeof value !== 'number') return {};
  const q = Array.from(String(value).trim()).slice(0, longestSearch).join('');
  return q === '' ? {} : { q };
}

/** What stays of an address when another thread is opened. */
export function withoutMessage<T extends object>(search: T): Omit<T, 'message'> {
  const { message: _message, ...kept } = search as T & { readonly message?: string };
  return kept;
}

export function useFilters(): {
  readonly filters: ThreadFilters;
  readonly setFilters: (filters: ThreadFilters) => void;
} {
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/$queue' });
  const navigate = useNavigate();
  const text = JSON.stringify(readFilters(search));
  // The same object as long as the same is meant: a list is made anew with another.
  const filters = useMemo(() => JSON.parse(text) as ThreadFilters, [text]);
  const setFilters = useCallback(
    (changed: ThreadFilters) => void navigate({ to: '.', search: changed, replace: true }),
    [navigate],
  );
  return { filters, setFilters };
}
