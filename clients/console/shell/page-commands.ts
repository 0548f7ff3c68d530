/**
 * What can be done at this moment to what is shown. Each part of the page says what it can do, as far as the operator's role lets them: keys do
 * it, and the palette offers it.
 */
import { useEffect, useId, useSyncExternalStore } from 'react';
import { useShortcuts } from './use-shortcuts.ts';

export interface PageCommand {
  /** Among those of the page. */
  readonly id: string;
  readonly label: string;
  /** As `useShortcuts` takes it. */
  readonly key?: string;
  run(): void;
}

const parts = new Map<string, readonly PageCommand[]>();
const listeners = new Set<() => void>();
let all: readonly PageCommand[] = [];

function put(part: string, commands: readonly PageCommand[]): void {
  if (commands.length === 0) parts.delete(part);
  else parts.set(part, commands);
  all = [...parts.values()].flat();
  for (const listener of listeners) listener();
}

/** Offers the commands while the component is shown. */
export function usePageCommands(commands: readonly PageCommand[]): void {
  const part = useId();
  // They have what the last rendering knew.
  useEffect(() => put(part, commands));
  useEffect(() => () => put(part, []), [part]);
  useShortcuts(commands.flatMap(({ key, run }) => (key === undefined ? [] : [[key, run] as const])));
}

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Those that are offered now. */
export const useOfferedCommands = (): readonly PageCommand[] => useSyncExternalStore(onChange, () => all);
