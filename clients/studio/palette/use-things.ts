/** What was made in the environment, by its name: channels, webhooks, instructions and tools. Outside of a project there is nothing. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { NotebookPen, Radio, Webhook, Wrench } from 'lucide-react';
import { useMemo } from 'react';
import type { Skein } from '../../sdk/index.ts';
import { useOptionalTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import type { StudioCommand } from './use-commands.ts';
import { useOpenId } from './use-open-id.ts';

/** Of each kind of id: the page that lists what it is of, and its icon. */
const kinds = {
  channel: { page: 'channels', Icon: Radio },
  webhook: { page: 'webhooks', Icon: Webhook },
  instructions: { page: 'instructions', Icon: NotebookPen },
  tool: { page: 'tools', Icon: Wrench },
} as const;

interface Thing {
  readonly kind: keyof typeof kinds;
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
        data.map(({ channelId, name }): Thing => ({ kind: 'channel', id: channelId, name })),
      ),
    stitches
      .list(limited)
      .then(({ data }) => data.map(({ stitchId, name }): Thing => ({ kind: 'webhook', id: stitchId, name }))),
    looms
      .list(limited)
      .then(({ data }) =>
        data.map(({ loomId, name }): Thing => ({ kind: 'instructions', id: loomId, name })),
      ),
    tools
      .list(limited)
      .then(({ data }) => data.map(({ toolId, name }): Thing => ({ kind: 'tool', id: toolId, name }))),
  ]);
  return lists.flat();
}

export function useThings() {
  const { pages } = useTexts().shell;
  const tenant = useOptionalTenant();
  const open = useOpenId(tenant);
  const { data, isLoading, error } = useQuery({
    queryKey: ['palette', tenant?.environmentId],
    queryFn: tenant === undefined ? skipToken : () => listThings(tenant.client),
    // It may have been made a moment ago.
    staleTime: 0,
  });
  const commands = useMemo(
    () =>
      (data ?? []).map(({ kind, id, name }): StudioCommand => ({
        id,
        group: 'things',
        label: `${name} · ${pages[kinds[kind].page]}`,
        Icon: kinds[kind].Icon,
        run: () => open(kind, id),
      })),
    [data, pages, open],
  );
  return { commands, isLoading, error };
}
