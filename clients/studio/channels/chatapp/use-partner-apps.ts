import { useQuery } from '@tanstack/react-query';
import { skein } from '../../../kit/browser-session.ts';

export const partnerAppsKey = (workspaceId: string): readonly string[] => ['partner-apps', workspaceId];

/** Those that are shown by name at most. */
const mostApps = 200;

/** Of the workspace, the revoked ones, too: a channel may have lost its app. */
export function usePartnerApps(workspaceId: string) {
  return useQuery({
    queryKey: [...partnerAppsKey(workspaceId), 'all'],
    queryFn: () => skein.partnerApps.list({ workspaceId, limit: 100 }).toArray(mostApps),
  });
}
