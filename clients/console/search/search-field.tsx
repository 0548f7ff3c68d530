/** Looks like a field, and opens the palette: as Cmd or Ctrl and K do, wherever the focus is. */
import { useHotkeys } from '@mantine/hooks';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { OpenButton } from '../../kit/palette/open-button.tsx';
import { useTexts } from '../texts/index.ts';
import { useAskedPalette } from './ask-palette.ts';

const importPalette = () => import('./palette.tsx');
const Palette = lazyPart(importPalette);
const loadAfterMs = 2_000;

export function SearchField({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const texts = useTexts().search;
  /** What is written in it at first; undefined: it is closed. */
  const [asked, setAsked] = useState<string>();
  const isOpen = asked !== undefined;
  useAskedPalette(setAsked);
  // It is there when it is asked for, and not in the way of the first page.
  useEffect(() => {
    const load = (): void => void importPalette().catch(() => undefined);
    const timer = setTimeout(load, loadAfterMs);
    return () => clearTimeout(timer);
  }, []);
  useHotkeys([['mod+k', () => setAsked(open => (open === undefined ? '' : undefined))]], []);
  return (
    <>
      <OpenButton label={texts.field} onOpen={() => setAsked('')} />
      {/* Something is in front while it loads, too: keys are not meant for what is behind it. */}
      <Suspense fallback={isOpen && <div role="dialog" hidden />}>
        {isOpen && <Palette asked={asked} onClose={() => setAsked(undefined)} onShortcuts={onShortcuts} />}
      </Suspense>
    </>
  );
}
