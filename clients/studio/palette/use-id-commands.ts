/** An id that is pasted into the palette leads to what it is of; of anything else that may name a message or a participant, to its messages. */
import { skipToken, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Fingerprint, MessagesSquare } from 'lucide-react';
import { useMemo } from 'react';
import { readId } from '../parts/ids.ts';
import { useOptionalTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import type { StudioCommand } from './use-commands.ts';
import { useOpenId } from './use-open-id.ts';

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
