/** Looks like a field, and opens the palette: as Cmd or Ctrl and K do, wherever the focus is. */
import { useHotkeys } from '@mantine/hooks';
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { whenFirstPageShown } from '../../kit/first-page.ts';
import inputClasses from '../../kit/palette/input.module.css';
import { OpenButton } from '../../kit/palette/open-button.tsx';
import { useTexts } from '../texts/index.ts';
import { useAskedPalette } from './ask-palette.ts';
import type { PaletteProps } from './palette.tsx';
import classes from './search-field.module.css';

/** By itself: what follows an import in the same expression becomes a part of it for Vite, and hears nothing of a style that is missing. */
const importPalette = () => import('./palette.tsx');

/** Once it is there it stays. */
let loaded: ComponentType<PaletteProps> | undefined;

async function loadPalette(): Promise<ComponentType<PaletteProps>> {
  return (loaded ??= (await importPalette()).default);
}

export function SearchField({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const texts = useTexts().search;
  /** What is written in it at first; undefined: it is closed. */
  const [asked, setAsked] = useState<string>();
  const [Palette, setPalette] = useState(() => loaded);
  const isOpen = asked !== undefined;
  const isLoaded = Palette !== undefined;
  const close = (): void => setAsked(undefined);
  const load = useCallback(
    () =>
      loadPalette().then(
        palette => setPalette(() => palette),
        () => setAsked(undefined),
      ),
    [],
  );
  // Not in the way of the first page, and at once when it is asked for. `lazy` would show it a moment later, also when it is there.
  useEffect(() => void whenFirstPageShown().then(load), [load]);
  useEffect(() => {
    if (isOpen && !isLoaded) void load();
  }, [isOpen, isLoaded, load]);
  useAskedPalette(setAsked);
  useHotkeys([['mod+k', () => setAsked(open => (open === undefined ? '' : undefined))]], []);
  return (
    <>
      <OpenButton label={texts.field} onOpen={() => setAsked('')} />
      {isOpen &&
        (Palette ? (
          <Palette asked={asked} onClose={close} onShortcuts={onShortcuts} />
        ) : (
          // What is typed while it loads is written in it afterwards, and is not meant for what is behind it.
          <div role="dialog" aria-label={texts.title} className={classes['field']}>
            <input
              autoFocus
              className={inputClasses['input']}
              aria-label={texts.field}
              maxLength={200}
              value={asked}
              onChange={event => setAsked(event.currentTarget.value)}
              onKeyDown={({ key }) => key === 'Escape' && close()}
            />
          </div>
        ))}
    </>
  );
}
