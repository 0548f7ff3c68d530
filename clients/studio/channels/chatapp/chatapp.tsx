/** What a channel of the chat provider has beside others: its connection, whether it is ready, and its templates. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Channel } from '../../../sdk/index.ts';
import { useTenant } from '../../shell/tenant.tsx';
import { Connection } from './connection.tsx';
import { Readiness } from './readiness.tsx';
import { Templates } from './templates.tsx';
import { useChatappStatus } from './use-chatapp-status.ts';

export default function Chatapp({ channel }: { readonly channel: Channel }) {
  const { channelId } = channel;
  const { environmentId } = useTenant();
  const queries = useQueryClient();
  const { data: status } = useChatappStatus(channelId);
  const isBehind = status !== undefined && status.status !== channel.status;
  useEffect(() => {
    // The page says the same above, and the list of channels.
    if (isBehind) void queries.invalidateQueries({ queryKey: ['channels', environmentId] });
  }, [isBehind, queries, environmentId]);
  const isConnected = status !== undefined && status.wabaId !== null;
  return (
    <>
      <Connection channel={channel} />
      <Readiness channelId={channelId} isConnected={isConnected} />
      {/* Anew with every connection: another account has other templates. */}
      <Templates
        key={status?.connectedAt}
        channelId={channelId}
        isConnected={isConnected && status.status === 'connected'}
      />
    </>
  );
}
