/** Finds conversations by what was written in them, and goes anywhere: one field, and a list that the arrow keys walk through. */
import { Search } from 'lucide-react';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { type Choice as AnyChoice, ChoiceList } from '../../kit/palette/choice-list.tsx';
import { CommandRow } from '../../kit/palette/command-row.tsx';
import { findCommands } from '../../kit/palette/commands.ts';
import { PaletteFrame } from '../../kit/palette/palette-frame.tsx';
import type { Thread } from '../../sdk/index.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { useTexts } from '../texts/index.ts';
import { isForCommands } from './commands.ts';
import { FoundThread } from './found.tsx';
import { type RunnableCommand, useCommands } from './use-commands.ts';
import { mostFound, useThreadSearch } from './use-thread-search.ts';

type Choice = AnyChoice<RunnableCommand['group'] | 'threads'>;

export interface PaletteProps {
  /** What is written in it at first. */
  readonly asked: string;
  readonly onClose: () => void;
  readonly onShortcuts: () => void;
}

export default function Palette(props: PaletteProps) {
  const texts = useTexts().search;
  return (
    <PaletteFrame title={texts.title} onClose={props.onClose}>
      <Finder {...props} />
    </PaletteFrame>
  );
}

function Finder({ asked, onClose, onShortcuts }: PaletteProps) {
  const texts = useTexts().search;
  const [written, setWritten] = useState(asked);
  const { threads, isSearching, error } = useThreadSearch(isForCommands(written) ? '' : written);
  const commands = useCommands(onShortcuts);
  const open = useOpenThread();
  const showAll = useShowAll();
  const choices = useMemo((): readonly Choice[] => {
    const found = threads.map((thread): Choice => ({
      id: thread.threadId,
      group: 'threads',
      content: <FoundThread thread={thread} />,
      run: () => open(thread),
    }));
    const named = findCommands(written, commands).map((command): Choice => ({
      ...command,
      content: <CommandRow {...command} />,
    }));
    // Where there may be more than the palette shows.
    const words = written.trim();
    const all: readonly Choice[] =
      words === '' || threads.length < mostFound
        ? []
        : [
            {
              id: 'all-results',
              group: 'threads',
              content: <CommandRow Icon={Search} label={texts.all(words)} />,
              run: () => showAll(words),
            },
          ];
    return [...found, ...all, ...named].map(choice => ({
      ...choice,
      run() {
        onClose();
        choice.run();
      },
    }));
  }, [threads, commands, written, open, showAll, texts, onClose]);
  return (
    <ChoiceList
      label={texts.field}
      texts={texts}
      written={written}
      onWritten={setWritten}
      choices={choices}
      isSearching={isSearching}
      error={error}
    />
  );
}

/** Shows everything that is found, as a list. */
function useShowAll(): (words: string) => void {
  const navigate = useNavigate();
  const { projectId, environmentId } = useConversing();
  return useMemo(
    () => q => {
      const params = { projectId, environmentId, queue: 'search' };
      void navigate({ to: '/$projectId/$environmentId/$queue', params, search: { q } });
    },
    [navigate, projectId, environmentId],
  );
}

/** Opens a thread in the queue that is shown, at the message that was found. */
function useOpenThread(): (thread: Thread) => void {
  const navigate = useNavigate();
  const { projectId, environmentId } = useConversing();
  const { queue = 'all' } = useParams({ strict: false });
  return useMemo(
    () =>
      ({ threadId, match }) =>
        void navigate({
          to: '/$projectId/$environmentId/$queue/$threadId',
          params: { projectId, environmentId, queue, threadId },
          search: previous => ({ ...previous, message: match?.messageId ?? undefined }),
        }),
    [navigate, projectId, environmentId, queue],
  );
}
