/** An id that is pasted into the palette leads to what it is of; of anything else that may name a message or a participant, to its messages. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fingerprint, MessagesSquare } from 'lucide-react';
import { useMemo } from 'react';
import { type IdKind, readId } from '../parts/ids.ts';
import { type Tenant, useOptionalTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import type { StudioCommand } from './use-commands.ts';

/** Phone numbers and the ids of others have a digit; words are names of pages. */
const mayBeReference = (text: string): boolean => text.length >= 4 && /\p{Number}/u.test(text);

export function useIdCommands(written: string): readonly StudioCommand[] {
  const texts = useTexts().palette;
  const tenant = useOptionalTenant();
  const open = useOpenId(tenant);
  const navigate = useNavigate();
  const text = written.trim();
  const kind = readId(text);
  // A delivery is shown beside those of its webhook.
  const { data: delivery } = useQuery({
    queryKey: ['delivery', text],
    queryFn:
      tenant !== undefined && kind === 'delivery' ? () => tenant.client.deliveries.get(text) : skipToken,
  });
  const stitchId = delivery?.stitchId ?? undefined;
  return useMemo(() => {
    if (tenant === undefined) return [];
    const { projectId, environmentId } = tenant;
    if (kind !== undefined) {
      if (kind === 'delivery' && stitchId === undefined) return [];
      const run = (): void => open(kind, text, stitchId);
      return [
        { id: `id-${text}`, group: 'things', label: `${texts.ids[kind]}: ${text}`, Icon: Fingerprint, run },
      ];
    }
    if (!mayBeReference(text)) return [];
    const find: StudioCommand = {
      id: 'find-messages',
      group: 'things',
      label: texts.findMessages(text),
      Icon: MessagesSquare,
      run: () =>
        void navigate({
          to: '/$projectId/$environmentId/messages',
          params: { projectId, environmentId },
          search: { q: text },
        }),
    };
    return [find];
  }, [tenant, kind, text, stitchId, texts, open, navigate]);
}

/** `stitchId`: of a delivery. */
function useOpenId({ projectId = '', environmentId = '' }: Partial<Tenant> = {}) {
  const navigate = useNavigate();
  return useMemo(() => {
    const place = { projectId, environmentId };
    return (kind: IdKind, id: string, stitchId = ''): void => {
      switch (kind) {
        case 'message':
        case 'thread':
          return void navigate({
            to: '/$projectId/$environmentId/messages',
            params: place,
            search: kind === 'message' ? { q: id, message: id } : { q: id },
          });
        case 'event':
          return void navigate({
            to: '/$projectId/$environmentId/events',
            params: place,
            search: { event: id },
          });
        case 'run':
          return void navigate({ to: '/$projectId/$environmentId/runs', params: place, search: { run: id } });
        case 'delivery':
        case 'webhook':
          return void navigate({
            to: '/$projectId/$environmentId/webhooks/$stitchId',
            params: { ...place, stitchId: kind === 'webhook' ? id : stitchId },
            search: kind === 'delivery' ? { delivery: id } : {},
          });
        case 'channel':
          return void navigate({
            to: '/$projectId/$environmentId/channels/$channelId',
            params: { ...place, channelId: id },
          });
        case 'agent':
          return void navigate({
            to: '/$projectId/$environmentId/agents/$agentId',
            params: { ...place, agentId: id },
          });
        case 'instructions':
          return void navigate({
            to: '/$projectId/$environmentId/instructions/$loomId',
            params: { ...place, loomId: id },
          });
        case 'tool':
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
