/** The deliveries of a webhook, as they come; one of them beside the list, with every attempt. */
import { Anchor } from '@mantine/core';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { WebhookDelivery } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ChoiceFilter, DateFilter, SwitchFilter, TextFilter } from '../parts/filters.tsx';
import { State } from '../parts/state.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { isStatus, statuses } from './delivery-statuses.ts';
import { DeliveryDrawer } from './delivery-drawer.tsx';

/** Milliseconds. */
const liveMs = 2_000;

export function Deliveries({ stitchId }: { readonly stitchId: string }) {
  const texts = useTexts().webhooks.deliveries;
  const { client } = useTenant();
  const from = '/signed-in/$projectId/$environmentId/webhooks/$stitchId';
  const search = useSearch({ from });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/webhooks/$stitchId' });
  const [isLive, setLive] = useState(true);
  const { name: eventName, event: eventId, since, until } = search;
  const filter = (changed: Partial<typeof search>): void =>
    void navigate({ search: before => ({ ...before, ...changed }) });
  const status = isStatus(search.status) ? search.status : undefined;
  const columns: Column<WebhookDelivery>[] = [
    {
      key: 'event',
      label: texts.event,
      isFixed: true,
      show: ({ deliveryId, eventName }) => (
        <Anchor component="button" type="button" size="sm" onClick={() => filter({ delivery: deliveryId })}>
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
        queryKey={['deliveries', stitchId, status, eventName, eventId, since, until]}
        load={cursor =>
          client.deliveries.list({ stitchId, status, eventName, eventId, since, until, cursor, limit: 50 })
        }
        rowKey={({ deliveryId }) => deliveryId}
        columns={columns}
        refreshMs={isLive ? liveMs : undefined}
        empty={
          [status, eventName, eventId, since, until].every(each => each === undefined)
            ? texts.none
            : texts.noneFound
        }
        controls={
          <>
            <ChoiceFilter
              label={texts.status}
              any={texts.anyStatus}
              value={status}
              onChange={value => filter({ status: value })}
              choices={statuses.map(value => ({ value, label: texts.states[value] }))}
            />
            <TextFilter
              label={texts.eventName}
              value={eventName}
              onChange={value => filter({ name: value })}
            />
            <TextFilter label={texts.eventId} value={eventId} onChange={value => filter({ event: value })} />
            <DateFilter label={texts.since} value={since} onChange={value => filter({ since: value })} />
            <DateFilter label={texts.until} value={until} onChange={value => filter({ until: value })} />
            <SwitchFilter label={texts.live} isOn={isLive} onChange={setLive} />
          </>
        }
      />
      {search.delivery !== undefined && (
        <DeliveryDrawer deliveryId={search.delivery} onClose={() => filter({ delivery: undefined })} />
      )}
    </>
  );
}
