/** Goes anywhere in Studio by its name: to pages, to what was made here, to other environments. */
import { useMemo, useState } from 'react';
import { ChoiceList } from '../../kit/palette/choice-list.tsx';
import { CommandRow } from '../../kit/palette/command-row.tsx';
import { findCommands } from '../../kit/palette/commands.ts';
import { PaletteFrame } from '../../kit/palette/palette-frame.tsx';
import { useTexts } from '../texts/index.ts';
import { useActionCommands, useEnvironmentCommands, usePageCommands } from './use-commands.ts';
import { useIdCommands } from './use-id-commands.ts';
import { useThings } from './use-things.ts';

export default function Palette({ onClose }: { readonly onClose: () => void }) {
  const texts = useTexts().palette;
  const [written, setWritten] = useState('');
  const pages = usePageCommands();
  const things = useThings();
  const ids = useIdCommands(written);
  const environments = useEnvironmentCommands();
  const actions = useActionCommands();
  const isWritten = written.trim() !== '';
  const choices = useMemo(() => {
    // What was made may be a lot: it is shown to whoever looks for it.
    const commands = [...pages, ...(isWritten ? things.commands : []), ...environments, ...actions];
    const found = findCommands(written, commands);
    // Those of a group stand together: an id comes before whatever has it in its name, and what may be one behind.
    const isId = ids.some(({ id }) => id !== 'find-messages');
    const behind = found.findLastIndex(({ group }) => group === 'pages' || group === 'things') + 1;
    const all = isId ? [...ids, ...found] : found.toSpliced(behind, 0, ...ids);
    return all.map(({ id, group, Icon, label, run }) => ({
      id,
      group,
      content: <CommandRow Icon={Icon} label={label} />,
      run() {
        onClose();
        run();
      },
    }));
  }, [pages, things.commands, environments, actions, ids, written, isWritten, onClose]);
  return (
    <PaletteFrame title={texts.title} onClose={onClose}>
      <ChoiceList
        label={texts.title}
        texts={texts}
        written={written}
        onWritten={setWritten}
        choices={choices}
        isSearching={isWritten && things.isLoading}
        error={things.error}
      />
    </PaletteFrame>
  );
}
