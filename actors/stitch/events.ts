/** A stitch as REST shows it, and the events about it. */
import { formatEvent, type EventName } from '../../protocol/events.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { Actor, Stitch } from '../../protocol/resources/index.ts';
import type { Turn } from '../../runtime/actor/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { appendEvent } from '../../storage/writes/index.ts';
import type { StitchState } from './state.ts';

/** The stitch as REST and events show it. */
export function toStitch(state: StitchState, stitchId: string): Stitch {
  return {
    stitchId,
    projectId: state.projectId,
    environmentId: state.environmentId,
    name: state.name,
    webhookUrl: state.webhookUrl,
    status: state.status,
    eventNames: [...state.eventNames],
    metadata: state.metadata,
    createdAt: state.createdAt,
    updatedAt: state.updatedAt,
    archivedAt: state.archivedAt,
  };
}

export interface StitchEvent {
  readonly name: EventName;
  /** The name that receivers are told instead, in a test event. */
  readonly sampledName?: EventName;
  readonly author: Actor;
  /** The members of `data` beside environment and actor. */
  readonly data: Readonly<Record<string, unknown>>;
  /** `self`: delivered to this stitch alone. `others`: to all but this one, so that its failures do not produce more of them. */
  readonly to: 'self' | 'others' | 'all';
}

/** The event as a row, and its id. The state's counter `made` includes it already. */
export function createStitchEvent(
  state: StitchState,
  event: StitchEvent,
  turn: Turn,
): { readonly eventId: string; readonly write: Write } {
  const { projectId, environmentId } = state;
  const eventId = numberedId('event', turn.now, turn.id, state.made);
  const occurredAt = new Date(turn.now).toISOString();
  const data = JSON.stringify({ environmentId, actor: event.author, ...event.data });
  const shownName = event.sampledName ?? event.name;
  const body = formatEvent({ eventId, eventName: shownName, occurredAt, projectId, data });
  const row = { projectId, environmentId, eventId, eventName: event.name, occurredAt, body };
  const write = appendEvent({
    ...row,
    ...(event.to === 'self' ? { onlyStitchId: turn.id } : {}),
    ...(event.to === 'others' ? { exceptStitchId: turn.id } : {}),
  });
  return { eventId, write };
}
