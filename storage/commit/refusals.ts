/** What the database's refusal of a batch says: which commits are to blame, and what their committers are told. */
import pg from 'pg';
import { type Commit, Duplicate, Fenced, LimitReached, StoreUnavailable } from '../../runtime/actor/index.ts';
import { fenceState, isInterrupted, isOutOfResources } from '../database/index.ts';
import type { Write } from '../statements/index.ts';

/** Reads the report of `skein_fence`: a function that gives the reason to reject a commit, or undefined. */
export function parseFence(error: Error): ((commit: Commit<Write>) => Error | undefined) | undefined {
  if (!(error instanceof pg.DatabaseError) || error.code !== fenceState) return undefined;
  const { scope, keys } = JSON.parse(error.detail ?? '{}') as { scope: string; keys: string[] };
  const named = new Set(keys);
  return ({ actor, writes }) => {
    if (actor.kind === scope && named.has(actor.id)) return new Fenced(actor);
    const clash = writes.find(write => named.has((write.unique ? write.key : write.claim) ?? ''));
    if (clash === undefined) return undefined;
    if (scope !== 'limit') return new Duplicate(scope, clash.key ?? '');
    const [limit = '', most] = (clash.key ?? '').split('/');
    return new LimitReached(limit, Number(most));
  };
}

/** SQLSTATE 23505, unique_violation. */
export function isUniqueViolation(error: unknown): error is pg.DatabaseError {
  return error instanceof pg.DatabaseError && error.code === '23505';
}

/** What the committer of a refused commit is told; in each case nothing of it was applied. */
export function toReason(error: Error): Error {
  if (isUniqueViolation(error)) return new Duplicate(error.constraint ?? 'row', '');
  if (isInterrupted(error) || isOutOfResources(error))
    return new StoreUnavailable('the database refused the commit', { cause: error });
  return error;
}
