/** Opens the palette, by its button, or by Cmd or Ctrl and K, wherever the focus is. */
import { useHotkeys } from '@mantine/hooks';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../kit/lazy-part.ts';
import { OpenButton } from '../../kit/palette/open-button.tsx';
import { useTexts } from '../texts/index.ts';

const Palette = lazyPart(() => import('./palette.tsx'));

export function OpenPalette() {
  const texts = useTexts().palette;
  const [isOpen, setOpen] = useState(false);
  useHotkeys([['mod+k', () => setOpen(before => !before)]], []);
  return (
    <>
      <OpenButton label={texts.title} onOpen={() => setOpen(true)} />
      <Suspense>{isOpen && <Palette onClose={() => setOpen(false)} />}</Suspense>
    </>
  );
}
