/** The channels of the environment: how participants and the server reach each other. */
import { useQueryClient } from '@tanstack/react-query';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useState } from 'react';
import type { Channel } from '../../sdk/index.ts';
import type { Column } from '../parts/data-table.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Name } from '../parts/name.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { CreateChannel } from './create-channel.tsx';

export function Channels() {
  const texts = useTexts().channels;
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['channels', environmentId];
  const [isCreating, setCreating] = useState(false);
  const columns: Column<Channel>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: ({ channelId, name }) => (
        <PageLink
          to="/$projectId/$environmentId/channels/$channelId"
          params={{ projectId, environmentId, channelId }}
        >
          <Name of={name} id={channelId} />
        </PageLink>
      ),
    },
    { key: 'kind', label: texts.kind, show: ({ kind }) => texts.kinds[kind] },
    {
      key: 'status',
      label: texts.status,
      show: ({ status }) => <State of={status} label={texts.states[status]} />,
    },
    { key: 'changed', label: texts.changed, show: ({ updatedAt }) => <Time at={updatedAt} /> },
    { key: 'id', label: 'ID', show: ({ channelId }) => channelId, isExtra: true },
  ];
  return (
    <ListPage
      texts={texts}
      name="channels"
      queryKey={queryKey}
      load={query => client.channels.list(query)}
      rowKey={({ channelId }) => channelId}
      columns={columns}
      onCreate={mayWrite ? () => setCreating(true) : undefined}
    >
      {isCreating && (
        <CreateChannel
          onCreated={() => void queries.invalidateQueries({ queryKey })}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  );
}
