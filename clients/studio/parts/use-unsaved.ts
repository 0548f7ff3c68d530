/**
 * A link, or a step back, leads away from what is half written: its writer is asked first. What stands behind the ? of the address is on the same
 * page: that changes by itself, and nothing is left. A page that is loaded anew, or left since the session is over, is not kept: nothing of it is to
 * stay on the screen.
 */
import { useBlocker } from '@tanstack/react-router';
import { useTexts } from '../texts/index.ts';

/** @param isUnsaved something is written that was not sent, nor is on its way */
export function useUnsaved(isUnsaved: boolean): void {
  const { leaves } = useTexts().confirm;
  useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !window.confirm(leaves),
    disabled: !isUnsaved,
    enableBeforeUnload: false,
  });
}
