import { useEffect, useState } from 'react';
import type { Action } from '../../kit/use-action.ts';
import { useTexts } from '../texts/index.ts';

/** For so long it is said that it was copied, in milliseconds. */
const saidMs = 4_000;

/** Copies the address of the page, and says so, or what to do instead. */
export function useCopyLink(action: Action) {
  const { linkNotCopied } = useTexts().thread.header;
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), saidMs);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async (): Promise<void> => {
    setCopied(false);
    const isDone = await action.run(async () => {
      if (!(await copyText(location.href))) throw new Error(linkNotCopied);
    });
    setCopied(isDone);
  };
  return { isCopied, copyLink: () => void copy() };
}

/** Gives whether it was copied. Pages on plain http, and browsers whose owner forbids it, have no clipboard: there a selection is copied. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const focused = document.activeElement;
  const area = document.createElement('textarea');
  area.value = text;
  area.readOnly = true;
  area.style.position = 'fixed';
  area.style.opacity = '0';
  document.body.append(area);
  area.select();
  try {
    // Marked as outdated, and the only way without a secure page.
    return document.execCommand('copy');
  } catch {
    return false;
  } finally {
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
  }
}
