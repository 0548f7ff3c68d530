/** The first message, on the first channel that can be tried. */
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../kit/account/account-page.tsx';
import { TryMessage } from '../channels/try-message.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { useLook } from './checklist.ts';

export default function FirstMessage() {
  const texts = useTexts().home;
  const look = useLook();
  const { client, projectId, environmentId } = useTenant();
  const { data: channels } = useQuery({
    queryKey: ['channels', environmentId, 'first'],
    queryFn: () => client.channels.list({ limit: 50 }).toArray(50),
  });
  const channel = channels?.find(({ kind }) => kind !== 'chatapp');
  if (channel !== undefined) return <TryMessage channel={channel} onArrived={look} />;
  return (
    <PageLink to="/$projectId/$environmentId/channels" params={{ projectId, environmentId }}>
      {texts.toChannels}
    </PageLink>
  );
}
