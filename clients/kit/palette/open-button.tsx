/** Looks like a field, and opens a palette. */
import { Search } from 'lucide-react';
import { modifierKey } from '../modifier-key.ts';
import classes from './open-button.module.css';

const shortcut = modifierKey === '⌘' ? '⌘K' : `${modifierKey} K`;

export function OpenButton({ label, onOpen }: { readonly label: string; readonly onOpen: () => void }) {
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
        {shortcut}
      </kbd>
    </button>
  );
}
