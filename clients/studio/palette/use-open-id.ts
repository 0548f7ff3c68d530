import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { IdKind } from '../parts/ids.ts';
import type { Tenant } from '../shell/tenant.tsx';

/** Leads to the page of what an id is of. `stitchId`: of a delivery, which is shown beside those of its webhook. */
export function useOpenId({ projectId = '', environmentId = '' }: Partial<Tenant> = {}) {
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
