/**
 * Records entries of the audit log for plain resources, in the transaction of the change, so that neither exists without the other. Actors
 * write theirs in their own commits (storage/writes/audit.ts).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import { executeBound } from '../database/index.ts';
import { WorkspaceMember } from '../entities/index.ts';
import { toParameters } from '../statements/index.ts';
import {
  type AuditEntry,
  insertAuditEntries,
  insertAuditEntry,
  type RequestOrigin,
  toAuditActor,
} from '../writes/index.ts';

export type { RequestOrigin } from '../writes/index.ts';

/** An entry without its id and its instant. */
export type NewAuditEntry = Omit<AuditEntry, 'auditLogId' | 'at'>;

/** The user who makes a change, and the request. */
export interface UserAuditContext {
  readonly byUserId: string;
  readonly origin: RequestOrigin;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records the entries at `now` (epoch milliseconds). Call it inside `em.transactional`, after the change is flushed. */
export async function recordAuditEntries(
  em: EntityManager,
  entries: readonly NewAuditEntry[],
  now: number,
): Promise<void> {
  if (entries.length === 0) return;
  const at = new Date(now).toISOString();
  const rows = entries.map(
    entry => insertAuditEntry({ ...entry, auditLogId: newId('audit', now), at }).values,
  );
  await executeBound(em, insertAuditEntries.text, toParameters(insertAuditEntries, rows));
}

/** Records a change by a user. */
export function recordUserAction(
  em: EntityManager,
  { byUserId, origin, now }: UserAuditContext,
  entry: Omit<NewAuditEntry, 'actor' | 'origin'>,
): Promise<void> {
  return recordAuditEntries(em, [{ ...entry, actor: { type: 'user', id: byUserId }, origin }], now);
}

/** Whoever administers an environment, a user or an API key, and the request. */
export interface AuditContext {
  readonly author: Actor;
  readonly origin: RequestOrigin;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records a change by whoever administers an environment. */
export function recordAction(
  em: EntityManager,
  { author, origin, now }: AuditContext,
  entry: Omit<NewAuditEntry, 'actor' | 'origin'>,
): Promise<void> {
  return recordAuditEntries(em, [{ ...entry, actor: toAuditActor(author), origin }], now);
}

/** What an entry says in the log of this workspace alone. */
export interface WorkspaceDetails {
  readonly workspaceId: string;
  readonly details: Readonly<Record<string, string>>;
}

/**
 * Records what happens to a user's own account in every workspace that the user is a member of, because the admins of these workspaces are
 * responsible for who has access. Where the user was at that time is not their business: they get no address. What happens to a user
 * without a workspace is recorded as well.
 *
 * @param entry without `actor` it was the user
 * @param further is not told to the other workspaces
 */
export async function recordAccountAction(
  em: EntityManager,
  { byUserId: id, origin, now }: UserAuditContext,
  entry: Pick<NewAuditEntry, 'action' | 'targetId' | 'details'> & Partial<Pick<NewAuditEntry, 'actor'>>,
  further?: WorkspaceDetails,
): Promise<void> {
  const memberships = await em.find(WorkspaceMember, { userId: id }, { fields: ['workspaceId'] });
  const own: NewAuditEntry = { actor: { type: 'user', id }, ...entry, origin };
  const { requestId } = origin;
  const shown = memberships.map(({ workspaceId }): NewAuditEntry => ({
    ...own,
    origin: { requestId },
    workspaceId,
    ...(workspaceId === further?.workspaceId && { details: { ...entry.details, ...further.details } }),
  }));
  await recordAuditEntries(em, shown.length === 0 ? [own] : shown, now);
}
