/** What the palette offers beside what was made here: pages, environments, and what is done anywhere. */
import { useComputedColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Building2, CircleUser, LogOut, type LucideIcon, MapPin, Moon, Sun } from 'lucide-react';
import { useMemo } from 'react';
import { askToSignOut } from '../../kit/browser-session.ts';
import type { Command } from '../../kit/palette/commands.ts';
import { useTheme } from '../../kit/people/use-profile.ts';
import { useEnvironments } from '../../kit/shell/environments.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { mayOpen, pageGroups } from '../shell/nav-pages.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

export interface StudioCommand extends Command<'pages' | 'things' | 'environments' | 'actions'> {
  readonly Icon: LucideIcon;
  run(): void;
}

export function usePageCommands(): readonly StudioCommand[] {
  const { pages: names } = useTexts().shell;
  const tenant = useTenant();
  const navigate = useNavigate();
  return useMemo(() => {
    const { projectId, environmentId, workspaceId } = tenant;
    const pages = pageGroups.flatMap(group => group.pages.filter(page => mayOpen(tenant, page)));
    return [
      ...pages.map(({ key, to, Icon }): StudioCommand => ({
        id: `page-${key}`,
        group: 'pages',
        label: names[key],
        Icon,
        run: () => void navigate({ to, params: { projectId, environmentId } }),
      })),
      {
        id: 'page-workspace',
        group: 'pages',
        label: names.workspace,
        Icon: Building2,
        run: () => void navigate({ to: '/workspace/$workspaceId', params: { workspaceId } }),
      },
      {
        id: 'page-account',
        group: 'pages',
        label: names.account,
        Icon: CircleUser,
        run: () => void navigate({ to: '/account' }),
      },
    ];
  }, [names, tenant, navigate]);
}

export function useEnvironmentCommands(): readonly StudioCommand[] {
  const navigate = useNavigate();
  const { environmentId: here } = useTenant();
  const { data: places } = useEnvironments();
  return useMemo(
    () =>
      (places ?? [])
        .filter(({ environmentId }) => environmentId !== here)
        .map(({ projectId, environmentId, projectName, environmentName }): StudioCommand => ({
          id: `environment-${environmentId}`,
          group: 'environments',
          label: `${projectName} · ${environmentName}`,
          Icon: MapPin,
          run: () =>
            void navigate({ to: '/$projectId/$environmentId', params: { projectId, environmentId } }),
        })),
    [places, here, navigate],
  );
}

export function useActionCommands(): readonly StudioCommand[] {
  const texts = useTexts().palette;
  const { signOut: toSignOut } = useKitTexts().shell;
  const { setTheme } = useTheme();
  const isDark = useComputedColorScheme() === 'dark';
  return useMemo(
    () => [
      {
        id: 'appearance',
        group: 'actions',
        label: isDark ? texts.light : texts.dark,
        Icon: isDark ? Sun : Moon,
        run: () => setTheme(isDark ? 'light' : 'dark'),
      },
      { id: 'sign-out', group: 'actions', label: toSignOut, Icon: LogOut, run: () => void askToSignOut() },
    ],
    [texts, toSignOut, setTheme, isDark],
  );
}
