/** Opens the palette from anywhere, with something written already. */
import { useEffect } from 'react';

let opened: ((written: string) => void) | undefined;

export function askPalette(written: string): void {
  opened?.(written);
}

/** For the palette's owner. */
export function useAskedPalette(open: (written: string) => void): void {
  useEffect(() => {
    opened = open;
    return () => {
      if (opened === open) opened = undefined;
    };
  }, [open]);
}
