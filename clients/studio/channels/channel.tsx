/** One channel: its state, and a message to try it with. */
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Suspense } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { lazyPart } from '../../kit/lazy-part.ts';
import { Facts } from '../parts/facts.tsx';
import { Page, Section } from '../parts/page.tsx';
import { PagePending } from '../parts/page-pending.tsx';
import { Copyable } from '../parts/secret.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { Commands } from './commands.tsx';
import { DefaultAgent } from './default-agent.tsx';
import { TryMessage } from './try-message.tsx';

const Chatapp = lazyPart(() => import('./chatapp/chatapp.tsx'));
const History = lazyPart(() => import('./history/history.tsx'));

export function ChannelPage() {
  const texts = useTexts().channels;
  const { channelId } = useParams({ from: '/signed-in/$projectId/$environmentId/channels/$channelId' });
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const { data: channel, error } = useQuery({
    queryKey: ['channels', environmentId, channelId],
    queryFn: () => client.channels.get(channelId),
  });
  const back = (
    <PageLink to="/$projectId/$environmentId/channels" params={{ projectId, environmentId }}>
      {texts.title}
    </PageLink>
  );
  if (channel === undefined) {
    return <PagePending back={back} error={error} missing={texts.missing} />;
  }
  const { name, kind, status, createdAt } = channel;
  return (
    <Page title={name} back={back} about={texts.kindHints[kind]}>
      <Facts
        facts={[
          [texts.kind, texts.kinds[kind]],
          [texts.status, <State key="status" of={status} label={texts.states[status]} />],
          [texts.agent, <DefaultAgent key="agent" channel={channel} />],
          [texts.created, <Time key="created" at={createdAt} />],
          ['ID', <Copyable key="id" label={texts.copyId} text={channelId} />],
        ]}
      />
      {kind === 'chatapp' && (
        <Suspense>
          <Chatapp channel={channel} />
        </Suspense>
      )}
      {mayWrite && kind !== 'chatapp' && (
        <Section title={texts.tryTitle}>
          <TryMessage channel={channel} />
        </Section>
      )}
      {kind === 'custom' && (
        <Section title={texts.commands}>
          <Commands channelId={channelId} />
        </Section>
      )}
      <Suspense>
        <History channel={channel} />
      </Suspense>
    </Page>
  );
}
