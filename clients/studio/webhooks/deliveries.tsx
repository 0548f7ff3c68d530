/** The deliveries of a webhook, as they come; one of them beside the list, with every attempt. */
import { Anchor, Select, Switch } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListDeliveriesQuery, WebhookDelivery } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';

type Status = NonNullable<ListDeliveriesQuery['status']>;
const statuses: readonly Status[] = ['pending', 'delivering', 'delivered', 'retrying', 'failed', 'cancelled'];
const isStatus = (text: string | undefined): text is Status => statuses.some(each => each === text);

/** Milliseconds. */
const liveMs = 2_000;

export function Deliveries({ stitchId }: { readonly stitchId: string }) {
  const texts = useTexts().webhooks.deliveries;
  const { client } = useTenant();
  const from = '/signed-in/$projectId/$environmentId/webhooks/$stitchId';
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/webhooks/$stitchId' });
  const [isLive, setLive] = useState(true);
  const status = isStatus(search.status) ? search.status : undefined;
  const columns: Column<WebhookDelivery>[] = [
    {
      key: 'event',
      label: texts.event,
      isFixed: true,
      show: ({ deliveryId, eventName }) => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => void navigate({ search: before => ({ ...before, delivery: deliveryId }) })}
        >
          {eventName ?? deliveryId}
        </Anchor>
      ),
    },
    {
      key: 'status',
      label: texts.status,
      show: delivery => <State of={delivery.status} label={texts.states[delivery.status]} />,
    },
    { key: 'response', label: texts.response, show: ({ responseStatus }) => responseStatus ?? '–' },
    { key: 'attempts', label: texts.attempts, align: 'right', show: ({ attemptCount }) => attemptCount },
    { key: 'created', label: texts.created, show: ({ createdAt }) => <Time at={createdAt} isExact /> },
    { key: 'next', label: texts.next, show: ({ nextAttemptAt }) => <Time at={nextAttemptAt} isExact /> },
    { key: 'thread', label: texts.thread, show: ({ threadId }) => threadId ?? '–', isExtra: true },
    { key: 'error', label: texts.error, show: ({ lastError }) => lastError ?? '–', isExtra: true },
    { key: 'id', label: 'ID', show: ({ deliveryId }) => deliveryId, isExtra: true },
  ];
  return (
    <>
      <DataTable
        name="deliveries"
        label={texts.title}
        queryKey={['deliveries', stitchId, status]}
        load={cursor => client.deliveries.list({ stitchId, status, cursor, limit: 50 })}
        rowKey={({ deliveryId }) => deliveryId}
        columns={columns}
        refreshMs={isLive ? liveMs : undefined}
        empty={status === undefined ? texts.none : texts.noneOfStatus}
        controls={
          <>
            <Select
              size="xs"
              w={160}
              aria-label={texts.status}
              clearable
              placeholder={texts.anyStatus}
              value={status ?? null}
              onChange={value =>
                void navigate({ search: ({ delivery }) => ({ delivery, status: value ?? undefined }) })
              }
              data={statuses.map(value => ({ value, label: texts.states[value] }))}
            />
            <Switch
              size="xs"
              label={texts.live}
              checked={isLive}
              onChange={event => setLive(event.currentTarget.checked)}
              style={{ alignSelf: 'center' }}
            />
          </>
        }
      />
      {search.delivery !== undefined && (
        <DeliveryDrawer
          deliveryId={search.delivery}
          onClose={() => void navigate({ search: ({ status: kept }) => ({ status: kept }) })}
        />
      )}
    </>
  );
}
