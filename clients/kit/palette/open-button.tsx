/** Looks like a field, and opens a palette. */
import { Search } from 'lucide-react';
import { useModifierKey } from '../modifier-key.ts';
import classes from './open-button.module.css';

export function OpenButton({ label, onOpen }: { readonly label: string; readonly onOpen: () => void }) {
  const modifierKey = useModifierKey();
  return (
    <button
      type="button"
      className={classes['field']}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
    >
      <Search size={14} aria-hidden />
      <span className={classes['label']}>{label}</span>
      <kbd className={classes['keys']} aria-hidden>
        {modifierKey === '⌘' ? '⌘K' : `${modifierKey} K`}
      </kbd>
    </button>
  );
}
