/**
 * Single keys that do something to what is open. They rest while something else may want them: a field (as `useHotkeys` has it), a dialog, a
 * menu, one that is about to open, and a key that is held, unless it moves through a list.
 */
import { useHotkeys } from '@mantine/hooks';

/** Each key with what it does; `repeats`: again and again while it is held. */
export type Shortcut = readonly [key: string, run: () => void, options?: { readonly repeats?: boolean }];

/** What wants the keys for itself. */
export const inFront = '[role="dialog"], [role="alertdialog"], [role="menu"]';

export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useHotkeys(
    shortcuts.map(([key, run, { repeats = false } = {}]) => [
      key,
      event => {
        if ((event.repeat && !repeats) || document.querySelector(inFront) !== null) return;
        event.preventDefault();
        run();
      },
      { preventDefault: false },
    ]),
  );
}
