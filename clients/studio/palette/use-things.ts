/** What was made in the environment, by its name: channels, webhooks, instructions and tools. Outside of a project there is nothing. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { NotebookPen, Radio, Webhook, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import type { Skein } from '../../sdk/index.ts';
import { type Tenant, useOptionalTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import type { StudioCommand } from './use-commands.ts';

const icons = { channels: Radio, webhooks: Webhook, instructions: NotebookPen, tools: Wrench } as const;

interface Thing {
  readonly kind: keyof typeof icons;
  readonly id: string;
  readonly name: string;
}

/** Of each kind; others are found in their lists. */
const mostOfKind = 100;

async function listThings({ channels, stitches, looms, tools }: Skein): Promise<readonly Thing[]> {
  const limited = { limit: mostOfKind };
  const lists = await Promise.all([
    channels
      .list(limited)
      .then(({ data }) =>
        data.map(({ channelId, name }): Thing => ({ kind: 'channels', id: channelId, name })),
      ),
    stitches
      .list(limited)
      .then(({ data }) =>
        data.map(({ stitchId, name }): Thing => ({ kind: 'webhooks', id: stitchId, name })),
      ),
    looms
      .list(limited)
      .then(({ data }) =>
        data.map(({ loomId, name }): Thing => ({ kind: 'instructions', id: loomId, name })),
      ),
    tools
      .list(limited)
      .then(({ data }) => data.map(({ toolId, name }): Thing => ({ kind: 'tools', id: toolId, name }))),
  ]);
  return lists.flat();
}

export function useThings() {
  const { pages } = useTexts().shell;
  const tenant = useOptionalTenant();
  const open = useOpen(tenant);
  const { data, isLoading, error } = useQuery({
    queryKey: ['palette', tenant?.environmentId],
    queryFn: tenant === undefined ? skipToken : () => listThings(tenant.client),
    // It may have been made a moment ago.
    staleTime: 0,
  });
  const commands = useMemo(
    () =>
      (data ?? []).map((thing): StudioCommand => ({
        id: thing.id,
        group: 'things',
        label: `${thing.name} · ${pages[thing.kind]}`,
        Icon: icons[thing.kind],
        run: () => open(thing),
      })),
    [data, pages, open],
  );
  return { commands, isLoading, error };
}

function useOpen({ projectId = '', environmentId = '' }: Partial<Tenant> = {}): (thing: Thing) => void {
  const navigate = useNavigate();
  return useMemo(() => {
    const place = { projectId, environmentId };
    return ({ kind, id }) => {
      switch (kind) {
        case 'channels':
          return void navigate({
            to: '/$projectId/$environmentId/channels/$channelId',
            params: { ...place, channelId: id },
          });
        case 'webhooks':
          return void navigate({
            to: '/$projectId/$environmentId/webhooks/$stitchId',
            params: { ...place, stitchId: id },
          });
        case 'instructions':
          return void navigate({
            to: '/$projectId/$environmentId/instructions/$loomId',
            params: { ...place, loomId: id },
          });
        case 'tools':
          return void navigate({
            to: '/$projectId/$environmentId/tools/$toolId',
            params: { ...place, toolId: id },
          });
        default:
          return kind satisfies never;
      }
    };
  }, [navigate, projectId, environmentId]);
}
