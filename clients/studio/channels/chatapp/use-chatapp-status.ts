import { useQuery } from '@tanstack/react-query';
import { useTenant } from '../../shell/tenant.tsx';

/** Milliseconds between two looks: while it is being connected, and otherwise. */
const connectingMs = 1_500;
const usualMs = 15_000;

/** Beneath that of the channel, so that both are read anew together. */
export const toStatusKey = (environmentId: string, channelId: string): readonly string[] => [
  'channels',
  environmentId,
  channelId,
  'chatapp',
];

export function useChatappStatus(channelId: string) {
  const { client, environmentId } = useTenant();
  return useQuery({
    queryKey: toStatusKey(environmentId, channelId),
    queryFn: () => client.chatapp.getStatus(channelId),
    refetchInterval: ({ state: { data } }) => (data?.status === 'connecting' ? connectingMs : usualMs),
  });
}
