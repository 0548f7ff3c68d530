/**
 * Which events a reader sees (docs/contract-decisions.md, "Who may do what"): those of resources that the reader may read over the API. The
 * catalogue names the operation that reads the resource of each event (`readBy`), and its row in the operation table says who may do that.
 */
import { type EventName, type EventType, eventTypes } from '../../protocol/events.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations } from '../../protocol/operations/index.ts';
import { admits } from './authorise.ts';
import type { Caller, ProjectScope, ServiceCaller } from './handler.ts';

/** A set of event names. There is one view for each set, so that readers who see the same can share what is made for them. */
export interface EventView {
  /** Unique in this process. */
  readonly id: number;
  readonly names: ReadonlySet<string>;
}

const eventNames = Object.keys(eventTypes) as EventName[];
const readings = new Set(eventNames.map((name): Operation => operations[eventTypes[name].readBy]));
const views = new Map<string, EventView>();

/** What the caller sees in a scope that was authorised for it. */
export function getEventView(caller: Caller | ServiceCaller, scope: Pick<ProjectScope, 'access'>): EventView {
  const allowed = new Set([...readings].filter(operation => admits(operation, caller, scope)));
  const names = eventNames.filter(name => {
    const type: EventType = eventTypes[name];
    return allowed.has(operations[type.readBy]) && (type.usersOnly !== true || caller.type === 'user');
  });
  const key = names.join();
  let view = views.get(key);
  if (view === undefined) views.set(key, (view = { id: views.size, names: new Set(names) }));
  return view;
}
