/**
 * What somebody may see can be taken from them while they look at it. The next refusal tells, and on a page of which nothing is asked a look at
 * their workspaces, now and then while it is visible. Then what they may do is read again, and the frames show what is left of it.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { onRefusal } from '../../kit/browser-session.ts';
import { ApiError } from '../../sdk/index.ts';
import { callerKey, callerQuery } from './caller.ts';

/** Milliseconds. */
const lookEveryMs = 30_000;
/** Refusals that come together have one cause, and a list that is refused again and again asks for no more than this. */
const pauseMs = 5_000;

/** The first parts of the keys by which it is read who may see what: their own refusals are the answer. */
const read = ['access', 'workspace', 'environments', ...callerKey];

/** Of one who may not, or may not any more: the server tells nobody which. */
const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404);

export function useAccessWatch(): void {
  const queries = useQueryClient();
  const lastAt = useRef(-Infinity);
  const [readAgain] = useState(() => () => {
    if (performance.now() - lastAt.current < pauseMs) return;
    lastAt.current = performance.now();
    for (const first of read) void queries.invalidateQueries({ queryKey: [first] });
  });
  useEffect(() => onRefusal(readAgain), [readAgain]);
  useEffect(
    () =>
      queries.getQueryCache().subscribe(event => {
        if (event.type !== 'updated' || event.action.type !== 'error') return;
        if (read.includes(String(event.query.queryKey[0])) || !isRefusal(event.action.error)) return;
        readAgain();
      }),
    [queries, readAgain],
  );
  // The same as long as they are the same: what is read again is compared.
  const workspaces = useQuery({ ...callerQuery, refetchInterval: lookEveryMs }).data?.workspaces;
  const known = useRef(workspaces);
  useEffect(() => {
    if (known.current !== undefined && known.current !== workspaces) readAgain();
    known.current = workspaces;
  }, [workspaces, readAgain]);
}
