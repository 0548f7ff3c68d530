/** Administrative acts of actors: recorded in the commit that does them (storage/writes/audit.ts). */
import type { AuditAction } from '../protocol/resources/audit.ts';
import type { Actor } from '../protocol/resources/message.ts';
import type { Turn } from '../runtime/actor.ts';
import { actingAs, recordAct, type Origin, type Write } from '../storage/writes.ts';
import type { Tenancy } from './tenancy.ts';

/** Who asks for an act, and by which request. */
export interface ActMark {
  /** Chosen by whoever asks, as all ids are. */
  readonly auditLogId: string;
  readonly author: Actor;
  readonly origin: Origin;
}

/** A command that is an act. Without a mark nobody has asked for it (a timer, a provider), and nothing is recorded. */
export interface Marked {
  readonly act?: ActMark;
}

/** The rows of an act on the actor of this turn: one, or none. */
export function actRows(
  { act }: Marked,
  { projectId, environmentId }: Tenancy,
  turn: Turn,
  action: AuditAction,
  details: Readonly<Record<string, unknown>>,
): readonly Write[] {
  if (act === undefined) return [];
  const { auditLogId, author, origin } = act;
  const actor = actingAs(author);
  const at = new Date(turn.now).toISOString();
  return [
    recordAct({
      ...{ auditLogId, projectId, environmentId, actor, action, targetId: turn.id, origin, details, at },
    }),
  ];
}

/** The names of the fields that a change names: what a record tells of it, since values may be anything. */
export function fieldsOf(changes: object): { readonly fields: readonly string[] } {
  return { fields: Object.keys(changes).sort() };
}
