/** Which events a command is for: by patterns of names, and by thread. */
import type { EphemeralEvent, SkeinEvent } from '../sdk/index.ts';

export interface EventFilterOptions {
  /** Names, or their beginnings: `thread.message.*`. None: all. */
  readonly patterns?: readonly string[] | undefined;
  readonly threadId?: string | undefined;
}

export type EventFilter = (event: SkeinEvent | EphemeralEvent) => boolean;

export function createEventFilter({ patterns = [], threadId }: EventFilterOptions): EventFilter {
  return ({ eventName, data }) =>
    (patterns.length === 0 || patterns.some(pattern => matches(eventName, pattern))) &&
    (threadId === undefined || (data as { readonly threadId?: string }).threadId === threadId);
}

/** `*` stands for the rest, as in a stitch. */
function matches(name: string, pattern: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** `a.b.*,c.d.e`, given once or several times. */
export function collectPatterns(text: string, before: readonly string[] = []): string[] {
  return [...before, ...text.split(',').map(part => part.trim())];
}
