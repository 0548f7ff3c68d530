/** Which events a command is for: by patterns of names, and by thread. */
import { InvalidArgumentError } from 'commander';
import type { EphemeralEvent, Skein, SkeinEvent } from '../sdk/index.ts';
import { CliError, exitCodes } from './failures.ts';

export interface EventFilterOptions {
  /** Names, or their beginnings: `thread.message.*`. None: all. */
  readonly patterns?: readonly string[] | undefined;
  readonly threadId?: string | undefined;
}

/** @throws {CliError} no event of the server can pass: waiting for it would last for ever */
export async function checkPatterns(skein: Skein, patterns: readonly string[] = []): Promise<void> {
  if (patterns.length === 0) return;
  const types = await skein.events.listTypes().toArray();
  const nothing = patterns.find(pattern => !types.some(({ eventName }) => matches(eventName, pattern)));
  if (nothing === undefined) return;
  throw new CliError(
    `No event has a name like ${nothing}.`,
    exitCodes.usage,
    '`skein events types` lists the names.',
  );
}

/** For the option `--thread`. */
export function parseThreadId(text: string): string {
  if (/^thread_\w+$/.test(text)) return text;
  throw new InvalidArgumentError('an id of a thread begins with thread_');
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
