/**
 * Escape leaves what is open, the innermost first: the field one writes in, which keeps what it has, then the choice of several conversations,
 * then the details, then the conversation. Dialogs, menus and lists of choices end by themselves.
 */
import { useEffect } from 'react';
import { inFront } from './use-shortcuts.ts';

const order = ['choice', 'details', 'thread'] as const;
export type Leavable = (typeof order)[number];

const leaving = new Map<Leavable, () => void>();

/** @param leave undefined: there is nothing to leave */
export function useEscape(what: Leavable, leave: (() => void) | undefined): void {
  useEffect(() => {
    if (leave === undefined) return undefined;
    leaving.set(what, leave);
    return () => {
      if (leaving.get(what) === leave) leaving.delete(what);
    };
  });
}

/** Leaves a field for the messages, where J, K and the like work again. */
function leaveField(): boolean {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !focused.matches('input, textarea, select')) return false;
  const log = document.querySelector<HTMLElement>('[role="log"]');
  if (log === null) focused.blur();
  else log.focus({ preventScroll: true });
  return true;
}

/** For the whole page, once. */
export function useEscapeKey(): void {
  useEffect(() => {
    let isForFront = false;
    // What is in front may be gone by the time that the key comes here.
    const look = (event: KeyboardEvent): void => {
      if (event.key === 'Escape') isForFront = document.querySelector(inFront) !== null;
    };
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || isForFront) return;
      if (leaveField()) return;
      const what = order.find(each => leaving.has(each));
      if (what !== undefined) leaving.get(what)?.();
    };
    addEventListener('keydown', look, { capture: true });
    document.addEventListener('keydown', press);
    return () => {
      removeEventListener('keydown', look, { capture: true });
      document.removeEventListener('keydown', press);
    };
  }, []);
}
