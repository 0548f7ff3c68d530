/** Everything that the palette can do, beside finding conversations. */
import { useComputedColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Bookmark, Keyboard, LogOut, type LucideIcon, MapPin, Moon, Settings, Sun, Zap } from 'lucide-react';
import { useMemo } from 'react';
import { askToSignOut } from '../../kit/browser-session.ts';
import { useSavedFilters } from '../list/use-saved-filters.ts';
import { countedQueueNames } from '../live/queues.ts';
import type { Command } from '../../kit/palette/commands.ts';
import { rememberEnvironment, useEnvironments } from '../../kit/shell/environments.ts';
import { useOfferedCommands } from '../shell/page-commands.ts';
import { queueIcons } from '../shell/queue-icons.ts';
import { useTheme } from '../../kit/people/use-profile.ts';
import { useConversing } from '../thread/conversations-context.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import { useTexts } from '../texts/index.ts';

export interface RunnableCommand extends Command<'page' | 'queues' | 'environments' | 'actions'> {
  readonly Icon: LucideIcon;
  /** That do the same. */
  readonly keys?: string;
  run(): void;
}

/** In the order in which they are shown. */
export function useCommands(onShortcuts: () => void): readonly RunnableCommand[] {
  const page = useHereCommands();
  const queues = useQueueCommands();
  const environments = useEnvironmentCommands();
  const actions = useActionCommands(onShortcuts);
  return useMemo(
    () => [...page, ...queues, ...environments, ...actions],
    [page, queues, environments, actions],
  );
}

/** What can be done to what is shown. */
function useHereCommands(): readonly RunnableCommand[] {
  const offered = useOfferedCommands();
  return useMemo(
    () =>
      offered.map(({ id, label, key, run }) => ({
        id: `page-${id}`,
        group: 'page',
        label,
        Icon: Zap,
        ...(key === undefined ? {} : { keys: key.replace('shift+', '⇧ ') }),
        run,
      })),
    [offered],
  );
}

function useQueueCommands(): readonly RunnableCommand[] {
  const { shell } = useTexts();
  const navigate = useNavigate();
  const { projectId, environmentId } = useConversing();
  const { saved } = useSavedFilters();
  return useMemo(
    () => [
      ...countedQueueNames.map(queue => ({
        id: `queue-${queue}`,
        group: 'queues' as const,
        label: shell.queues[queue],
        Icon: queueIcons[queue],
        run() {
          const params = { projectId, environmentId, queue };
          void navigate({ to: '/$projectId/$environmentId/$queue', params, search: {} });
        },
      })),
      ...saved.map(({ name, queue, filters }) => ({
        id: `filter-${name}`,
        group: 'queues' as const,
        label: name,
        Icon: Bookmark,
        run() {
          const params = { projectId, environmentId, queue };
          void navigate({ to: '/$projectId/$environmentId/$queue', params, search: filters });
        },
      })),
    ],
    [saved, shell, navigate, projectId, environmentId],
  );
}

function useEnvironmentCommands(): readonly RunnableCommand[] {
  const navigate = useNavigate();
  const { environmentId } = useConversing();
  const { data: environments } = useEnvironments();
  return useMemo(() => {
    const others = (environments ?? []).filter(each => each.environmentId !== environmentId);
    return others.map(each => ({
      id: `environment-${each.environmentId}`,
      group: 'environments',
      label: each.label,
      Icon: MapPin,
      run() {
        rememberEnvironment(each);
        const params = { projectId: each.projectId, environmentId: each.environmentId, queue: 'all' };
        void navigate({ to: '/$projectId/$environmentId/$queue', params, search: {} });
      },
    }));
  }, [navigate, environments, environmentId]);
}

function useActionCommands(onShortcuts: () => void): readonly RunnableCommand[] {
  const { search: texts, shell } = useTexts();
  const { signOut: toSignOut } = useKitTexts().shell;
  const navigate = useNavigate();
  const { setTheme } = useTheme();
  const colorScheme = useComputedColorScheme();
  return useMemo(() => {
    const create = (id: string, label: string, Icon: LucideIcon, run: () => void): RunnableCommand => ({
      id,
      group: 'actions',
      label,
      Icon,
      run,
    });
    return [
      colorScheme === 'dark'
        ? create('light', texts.light, Sun, () => setTheme('light'))
        : create('dark', texts.dark, Moon, () => setTheme('dark')),
      create('shortcuts', shell.shortcuts.title, Keyboard, onShortcuts),
      create('settings', shell.settings, Settings, () => void navigate({ to: '/settings' })),
      create('sign-out', toSignOut, LogOut, () => void askToSignOut()),
    ];
  }, [texts, shell, toSignOut, navigate, colorScheme, setTheme, onShortcuts]);
}
