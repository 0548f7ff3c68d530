/**
 * Audit records of commands that administer. The record is a row of the commit that carries out the command, so that there is never
 * one without the other.
 */
import type { Actor, AuditAction } from '../../protocol/resources/index.ts';
import type { Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { insertAuditEntry, type RequestOrigin, toAuditActor } from '../../storage/writes/index.ts';
import type { Tenancy } from './tenancy.ts';

/** Who gave an administrative command, and by which request. */
export interface CommandAudit {
  /** Chosen by the caller: a decision makes no ids of its own. */
  readonly auditLogId: string;
  readonly author: Actor;
  readonly origin: RequestOrigin;
}

/** A command that may be administrative. Without `act` nobody asked for it (a timer, a provider), and nothing is recorded. */
export interface Audited {
  readonly act?: CommandAudit;
}

/**
 * The audit record of a command to the actor of this turn: one row, or none.
 *
 * @param targetId what the act is about, where that is not the actor itself
 */
export function createAuditWrites(
  { act }: Audited,
  { projectId, environmentId }: Tenancy,
  turn: Turn,
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
  targetId = turn.id,
): readonly Write[] {
  if (act === undefined) return [];
  return [
    insertAuditEntry({
      auditLogId: act.auditLogId,
      projectId,
      environmentId,
      actor: toAuditActor(act.author),
      action,
      targetId,
      origin: act.origin,
      details,
      at: new Date(turn.now).toISOString(),
    }),
  ];
}

/** The names of the fields that a change sets. An audit record shows no values: they may be anything. */
export function getChangedFields(changes: object): { readonly fields: readonly string[] } {
  return { fields: Object.keys(changes).sort() };
}
