/**
 * The audit log for plain resources: whoever changes one records the act in the same transaction, so that neither is there
 * without the other. Actors record theirs in their own commits (storage/writes/audit.ts).
 */
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../protocol/ids.ts';
import type { Actor } from '../protocol/resources/message.ts';
import { executeBound } from './execute-bound.ts';
import { WorkspaceMember } from './entities/tenancy.ts';
import { parametersOf } from './statement.ts';
import { actingAs, insertActs, recordAct, type Act, type Origin } from './writes/audit.ts';

export type { Origin } from './writes/audit.ts';

/** An act, to be given its id and its instant. */
export type NewAct = Omit<Act, 'auditLogId' | 'at'>;

/** Somebody's act, by a request. */
export interface Doing {
  readonly byUserId: string;
  readonly origin: Origin;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Records the acts, at `now` (epoch milliseconds). Call it inside `em.transactional`, once what was done is flushed. */
export async function recordActs(em: EntityManager, acts: readonly NewAct[], now: number): Promise<void> {
  if (acts.length === 0) return;
  const at = new Date(now).toISOString();
  const rows = acts.map(act => recordAct({ ...act, auditLogId: newId('audit', now), at }).values);
  await executeBound(em, insertActs.text, parametersOf(insertActs, rows));
}

/** What a user has done: `act` says what. */
export function recordDoing(
  em: EntityManager,
  { byUserId, origin, now }: Doing,
  act: Omit<NewAct, 'actor' | 'origin'>,
): Promise<void> {
  return recordActs(em, [{ ...act, actor: { type: 'user', id: byUserId }, origin }], now);
}

/** An act of whoever may administer an environment: a user, or a key. */
export interface Deed {
  readonly author: Actor;
  readonly origin: Origin;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What was done with a deed: `act` says what. */
export function recordDeed(
  em: EntityManager,
  { author, origin, now }: Deed,
  act: Omit<NewAct, 'actor' | 'origin'>,
): Promise<void> {
  return recordActs(em, [{ ...act, actor: actingAs(author), origin }], now);
}

/**
 * An act on a user's own account: it shows in every workspace that the user is a member of, whose admins answer for who gets in.
 * Without one it is kept all the same.
 */
export async function recordOwnAct(
  em: EntityManager,
  { byUserId: id, origin, now }: Doing,
  act: Pick<NewAct, 'action' | 'targetId' | 'details'>,
): Promise<void> {
  const memberships = await em.find(WorkspaceMember, { userId: id }, { fields: ['workspaceId'] });
  const own: NewAct = { ...act, actor: { type: 'user', id }, origin };
  const acts = memberships.map(({ workspaceId }): NewAct => ({ ...own, workspaceId }));
  await recordActs(em, acts.length === 0 ? [own] : acts, now);
}
