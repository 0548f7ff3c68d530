/** What has happened in the environment: each event with its payload, newest first. */
import { Anchor, Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { PageLink } from '../../kit/account/account-page.tsx';
import { useKitTexts } from '../../kit/texts/index.ts';
import type { SkeinEvent } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { SwitchFilter, TextFilter } from '../parts/filters.tsx';
import { readId } from '../parts/ids.ts';
import { Json } from '../parts/json.tsx';
import { Page } from '../parts/page.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { PersonalData } from './personal-data.tsx';

/** Milliseconds. */
const liveMs = 2_000;

export function Events() {
  const texts = useTexts().events;
  const { client, projectId, environmentId, mayReadPersonalData } = useTenant();
  const search = useSearch({ from: '/signed-in/$projectId/$environmentId/events' });
  const navigate = useNavigate({ from: '/$projectId/$environmentId/events' });
  const [isLive, setLive] = useState(true);
  const { name: eventName, thread: threadId } = search;
  const columns: Column<SkeinEvent>[] = [
    {
      key: 'name',
      label: texts.name,
      isFixed: true,
      show: event => (
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => void navigate({ search: before => ({ ...before, event: event.eventId }) })}
        >
          {event.eventName}
        </Anchor>
      ),
    },
    { key: 'at', label: texts.at, show: ({ occurredAt }) => <Time at={occurredAt} isExact /> },
    {
      key: 'thread',
      label: texts.thread,
      show: ({ data }) => {
        const ofThread = 'threadId' in data ? data.threadId : undefined;
        if (typeof ofThread !== 'string') return '–';
        return (
          <PageLink
            to="/$projectId/$environmentId/messages"
            params={{ projectId, environmentId }}
            search={{ q: ofThread }}
          >
            {ofThread}
          </PageLink>
        );
      },
    },
    { key: 'id', label: 'ID', show: ({ eventId }) => eventId, isExtra: true },
  ];
  return (
    <Page
      title={texts.title}
      about={texts.about}
      actions={mayReadPersonalData && <PersonalData threadId={threadId} />}
    >
      <DataTable
        name="events"
        label={texts.title}
        queryKey={['events', environmentId, eventName, threadId]}
        load={cursor => client.events.list({ eventName, threadId, cursor, limit: 50 })}
        rowKey={({ eventId }) => eventId}
        columns={columns}
        refreshMs={isLive ? liveMs : undefined}
        empty={eventName === undefined && threadId === undefined ? texts.none : texts.noneFound}
        controls={
          <>
            <TextFilter
              label={texts.name}
              value={eventName}
              onChange={value => void navigate({ search: before => ({ ...before, name: value }) })}
            />
            <TextFilter
              label={texts.thread}
              value={threadId}
              onChange={value => void navigate({ search: before => ({ ...before, thread: value }) })}
            />
            <SwitchFilter label={texts.live} isOn={isLive} onChange={setLive} />
          </>
        }
      />
      {search.event !== undefined && (
        <EventDrawer
          eventId={search.event}
          onClose={() => void navigate({ search: before => ({ ...before, event: undefined }) })}
        />
      )}
    </Page>
  );
}

function EventDrawer({ eventId, onClose }: { readonly eventId: string; readonly onClose: () => void }) {
  const texts = useTexts().events;
  const { close, loading } = useKitTexts().shell;
  const { client, projectId, environmentId } = useTenant();
  const { data: event, error } = useQuery({
    queryKey: ['event', eventId],
    queryFn: () => client.events.get(eventId),
    staleTime: Infinity,
  });
  const messageId = event === undefined ? undefined : findMessageId(event);
  return (
    <Drawer
      opened
      onClose={onClose}
      title={event?.eventName ?? texts.event}
      closeButtonProps={{ 'aria-label': close }}
    >
      {error !== null && <ErrorNote error={error} />}
      {event === undefined && error === null && loading}
      {messageId !== undefined && (
        <PageLink
          to="/$projectId/$environmentId/messages"
          params={{ projectId, environmentId }}
          search={{ message: messageId }}
        >
          {texts.toMessage}
        </PageLink>
      )}
      {event !== undefined && <Json label={texts.payload} value={event} />}
    </Drawer>
  );
}

/** Of the message that the event is about. */
function findMessageId({ data }: SkeinEvent): string | undefined {
  const { message } = data as { readonly message?: { readonly messageId?: unknown } | null };
  const id = message?.messageId;
  return typeof id === 'string' && readId(id) === 'message' ? id : undefined;
}
