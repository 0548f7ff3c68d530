/** Event names by the area that they begin with, as the picker shows them: an area is chosen whole (`thread.*`), or by its events. */
import type { EventType } from '../../sdk/index.ts';

export interface EventGroup {
  /** The first part of its names. */
  readonly area: string;
  readonly types: readonly EventType[];
}

/** Webhooks carry what is kept: not what only the live stream shows. */
export function groupEvents(types: readonly EventType[]): readonly EventGroup[] {
  const groups = new Map<string, EventType[]>();
  for (const type of types) {
    if (type.ephemeral) continue;
    const area = type.eventName.split('.')[0] ?? '';
    groups.set(area, [...(groups.get(area) ?? []), type]);
  }
  return [...groups].map(([area, found]) => ({ area, types: found }));
}

export const toPattern = (area: string): string => `${area}.*`;

/** With or without a whole area: its single events go, as the pattern has them. */
export function chooseArea(
  chosen: readonly string[],
  { area }: EventGroup,
  isChosen: boolean,
): readonly string[] {
  const others = chosen.filter(name => name.split('.')[0] !== area);
  return isChosen ? [...others, toPattern(area)] : others;
}

/** With or without one event: of an area that was chosen whole, the others stay. */
export function chooseEvent(
  chosen: readonly string[],
  { area, types }: EventGroup,
  name: string,
  isChosen: boolean,
): readonly string[] {
  const all = types.map(({ eventName }) => eventName);
  const before = chosen.includes(toPattern(area)) ? all : chosen.filter(each => all.includes(each));
  const next = isChosen ? [...new Set([...before, name])] : before.filter(each => each !== name);
  const others = chosen.filter(each => each.split('.')[0] !== area);
  return next.length === all.length ? [...others, toPattern(area)] : [...others, ...next];
}
