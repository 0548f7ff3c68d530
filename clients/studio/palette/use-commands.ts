/** What the palette offers beside what was made here: pages, environments, and what is done anywhere. */
import { useComputedColorScheme } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import {
  Blocks,
  Building2,
  CircleUser,
  Coins,
  HeartPulse,
  LogOut,
  type LucideIcon,
  MapPin,
  Moon,
  Sun,
} from 'lucide-react';
import { useMemo } from 'react';
import { askToSignOut } from '../../kit/browser-session.ts';
import type { Command } from '../../kit/palette/commands.ts';
import { useTheme } from '../../kit/people/use-profile.ts';
import { useEnvironments } from '../../kit/shell/environments.ts';
import { useKitTexts } from '../../kit/texts/index.ts';
import { listWorkspaces, useCaller } from '../shell/caller.ts';
import { mayOpen, pageGroups } from '../shell/nav-pages.ts';
import { useOptionalTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { texts as prices } from '../texts/prices.ts';

export interface StudioCommand extends Command<'pages' | 'things' | 'environments' | 'actions'> {
  readonly Icon: LucideIcon;
  run(): void;
}

/** Those of the project, where there is one, and those outside of it. */
export function usePageCommands(): readonly StudioCommand[] {
  const { pages: names } = useTexts().shell;
  const ofProject = useProjectPages();
  const workspaces = useWorkspaces();
  const navigate = useNavigate();
  const isInstanceAdmin = useCaller().data?.user?.instanceAdmin === true;
  return useMemo(
    () => [
      ...ofProject,
      ...workspaces.map(({ workspaceId, label }): StudioCommand => ({
        id: `page-workspace-${workspaceId}`,
        group: 'pages',
        label,
        Icon: Building2,
        run: () => void navigate({ to: '/workspace/$workspaceId', params: { workspaceId } }),
      })),
      ...workspaces.map(({ workspaceId, name }): StudioCommand => ({
        id: `page-partner-apps-${workspaceId}`,
        group: 'pages',
        label: name === undefined ? names.partnerApps : `${name} · ${names.partnerApps}`,
        Icon: Blocks,
        run: () => void navigate({ to: '/workspace/$workspaceId/partner-apps', params: { workspaceId } }),
      })),
      {
        id: 'page-account',
        group: 'pages',
        label: names.account,
        Icon: CircleUser,
        run: () => void navigate({ to: '/account' }),
      },
      ...(isInstanceAdmin ? [toSystemCommand(names.system, () => void navigate({ to: '/system' }))] : []),
    ],
    [names, ofProject, workspaces, navigate, isInstanceAdmin],
  );
}

const toSystemCommand = (label: string, run: () => void): StudioCommand => ({
  id: 'page-system',
  group: 'pages',
  label,
  Icon: HeartPulse,
  run,
});

function useProjectPages(): readonly StudioCommand[] {
  const { pages: names } = useTexts().shell;
  const tenant = useOptionalTenant();
  const navigate = useNavigate();
  return useMemo(() => {
    if (tenant === undefined) return [];
    const { projectId, environmentId } = tenant;
    const pages = pageGroups.flatMap(group => group.pages.filter(page => mayOpen(tenant, page)));
    const params = { projectId, environmentId };
    return [
      ...pages.map(({ key, to, Icon }): StudioCommand => ({
        id: `page-${key}`,
        group: 'pages',
        label: names[key],
        Icon,
        run: () => void navigate({ to, params }),
      })),
      {
        id: 'page-prices',
        group: 'pages',
        label: `${names.credentials} · ${prices.title}`,
        Icon: Coins,
        run: () =>
          void navigate({ to: '/$projectId/$environmentId/providers', params, search: { prices: 'all' } }),
      },
    ];
  }, [names, tenant, navigate]);
}

/** That of the project; outside of projects all, by their names. */
function useWorkspaces(): readonly {
  readonly workspaceId: string;
  readonly label: string;
  /** Where there are several. */
  readonly name?: string;
}[] {
  const { workspace } = useTexts().shell.pages;
  const tenant = useOptionalTenant();
  const { data: caller } = useCaller();
  return useMemo(() => {
    if (tenant !== undefined) return [{ workspaceId: tenant.workspaceId, label: workspace }];
    return listWorkspaces(caller).map(({ workspaceId, name }) => ({
      workspaceId,
      name,
      label: `${name} · ${workspace}`,
    }));
  }, [workspace, tenant, caller]);
}

export function useEnvironmentCommands(): readonly StudioCommand[] {
  const navigate = useNavigate();
  const here = useOptionalTenant()?.environmentId;
  const { data: places } = useEnvironments();
  return useMemo(
    () =>
      (places ?? [])
        .filter(({ environmentId }) => environmentId !== here)
        .map(({ projectId, environmentId, label }): StudioCommand => ({
          id: `environment-${environmentId}`,
          group: 'environments',
          label,
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
