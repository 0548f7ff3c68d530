/** The webhooks (stitches) of the environment: whom the server tells what happens. */
import { useQueryClient } from '@tanstack/react-query';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Stitch } from '../../sdk/index.ts';
import type { Column } from '../parts/data-table.tsx';
import { ListPage } from '../parts/list-page.tsx';
import { Name } from '../parts/name.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { CreateWebhook } from './create-webhook.tsx';
import { ReplayFailed } from './replay-failed.tsx';

export function Webhooks() {
  const texts = useTexts().webhooks;
  const isArchived = useSearch({ from: '/signed-in/$projectId/$environmentId/webhooks' }).archived === 'yes';
  const navigate = useNavigate({ from: '/$projectId/$environmentId/webhooks' });
  const { client, projectId, environmentId, mayWrite } = useTenant();
  const queries = useQueryClient();
  const queryKey = ['webhooks', environmentId];
  const [isCreating, setCreating] = useState(false);
  const columns: Column<Stitch>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: ({ stitchId, name }) => (
        <PageLink
          to="/$projectId/$environmentId/webhooks/$stitchId"
          params={{ projectId, environmentId, stitchId }}
          search={{}}
        >
          <Name of={name} id={stitchId} />
        </PageLink>
      ),
    },
    { key: 'url', label: texts.url, show: ({ webhookUrl }) => <bdi>{webhookUrl ?? '–'}</bdi> },
    {
      key: 'status',
      label: texts.status,
      show: ({ status }) => <State of={status} label={texts.states[status]} />,
    },
    {
      key: 'events',
      label: texts.events,
      show: ({ eventNames }) => texts.eventCount(eventNames),
    },
    { key: 'created', label: texts.created, show: ({ createdAt }) => <Time at={createdAt} />, isExtra: true },
    { key: 'id', label: 'ID', show: ({ stitchId }) => stitchId, isExtra: true },
  ];
  return (
    <ListPage
      texts={texts}
      name="webhooks"
      queryKey={queryKey}
      archive={{ isShown: isArchived, onChange: search => void navigate({ search }) }}
      load={query => client.stitches.list(query)}
      rowKey={({ stitchId }) => stitchId}
      columns={columns}
      actions={mayWrite && <ReplayFailed />}
      onCreate={mayWrite ? () => setCreating(true) : undefined}
    >
      {isCreating && (
        <CreateWebhook
          onCreated={() => void queries.invalidateQueries({ queryKey })}
          onClose={() => setCreating(false)}
        />
      )}
    </ListPage>
  );
}
