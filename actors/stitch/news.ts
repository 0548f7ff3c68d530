/** What a stitch tells of itself: events, and its JSON. */
import { eventText, type EventName } from '../../protocol/events.ts';
import { numberedId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import type { Stitch } from '../../protocol/resources/stitch.ts';
import type { Turn } from '../../runtime/actor.ts';
import { appendEvent, type Write } from '../../storage/writes.ts';
import type { StitchState } from './state.ts';

/** The stitch as REST shows it (specification, "Stitch"). */
export function stitchView(state: StitchState, stitchId: string): Stitch {
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
  readonly author: Actor;
  /** What `data` holds beside environment and actor. */
  readonly data: Readonly<Record<string, unknown>>;
  /** `self`: delivered to this stitch alone. `others`: to all but this one; its failures must not feed on themselves. */
  readonly to: 'self' | 'others' | 'all';
}

/** The event as a row, and its id. `state` counts it already: its number is `state.made`. */
export function newsOf(
  state: StitchState,
  event: StitchEvent,
  turn: Turn,
): { readonly eventId: string; readonly write: Write } {
  const { projectId, environmentId } = state;
  const eventId = numberedId('event', turn.now, turn.id, state.made);
  const occurredAt = new Date(turn.now).toISOString();
  const data = JSON.stringify({ environmentId, actor: event.author, ...event.data });
  const body = eventText({ eventId, eventName: event.name, occurredAt, projectId, data });
  const row = { projectId, environmentId, eventId, eventName: event.name, occurredAt, body };
  const write = appendEvent({
    ...row,
    ...(event.to === 'self' ? { onlyStitchId: turn.id } : {}),
    ...(event.to === 'others' ? { exceptStitchId: turn.id } : {}),
  });
  return { eventId, write };
}
