/** What became of the connection of a channel: since when it is as it is, what was before, who did it and why. */
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { PageLink } from '../../../kit/account/account-page.tsx';
import { useFormats } from '../../../kit/use-formats.ts';
import type { Channel, ChannelChange } from '../../../sdk/index.ts';
import { type Column, DataTable } from '../../parts/data-table.tsx';
import { Section } from '../../parts/page.tsx';
import { State } from '../../parts/state.tsx';
import { Time } from '../../parts/time.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { useTexts } from '../../texts/index.ts';
import { texts } from '../../texts/history.ts';

/** Milliseconds. */
const refreshMs = 15_000;
/** Members of the workspace that are named at most. */
const mostMembers = 300;

export default function History({ channel }: { readonly channel: Channel }) {
  const { channelId, status } = channel;
  const { client } = useTenant();
  const columns = useColumns();
  return (
    <Section title={texts.title}>
      <DataTable
        name="channel-changes"
        label={texts.title}
        queryKey={['channel-changes', channelId, status]}
        load={cursor => client.channels.listChanges(channelId, { cursor, limit: 20 })}
        rowKey={({ eventId }) => eventId}
        columns={columns}
        refreshMs={refreshMs}
        empty={texts.none}
      />
    </Section>
  );
}

function useColumns(): Column<ChannelChange>[] {
  const { states } = useTexts().channels;
  const { projectId, environmentId } = useTenant();
  const toName = useActorNames();
  return [
    {
      key: 'at',
      label: texts.at,
      isFixed: true,
      show: ({ occurredAt }) => <Time at={occurredAt} isExact />,
    },
    {
      key: 'status',
      label: texts.status,
      isFixed: true,
      show: ({ status }) => <State of={status} label={states[status]} />,
    },
    { key: 'what', label: texts.what, show: change => <What change={change} /> },
    { key: 'who', label: texts.who, show: ({ actor }) => <bdi>{toName(actor)}</bdi> },
    {
      key: 'event',
      label: texts.event,
      isExtra: true,
      show: ({ eventId, eventName }) => (
        <PageLink
          to="/$projectId/$environmentId/events"
          params={{ projectId, environmentId }}
          search={{ event: eventId }}
        >
          {eventName}
        </PageLink>
      ),
    },
  ];
}

function What({ change }: { readonly change: ChannelChange }) {
  const { states } = useTexts().channels;
  const formats = useFormats();
  const { eventName, status, previousStatus, error, tokenExpiresAt } = change;
  return (
    <div>
      {eventName === 'channel.status.changed' && previousStatus !== null
        ? texts.changed(states[previousStatus], states[status])
        : texts.events[eventName]}
      {eventName.startsWith('channel.credential.') && tokenExpiresAt !== null && (
        <Text size="xs" c="dimmed">
          {texts.expires(formats.dateAndTime(tokenExpiresAt))}
        </Text>
      )}
      {error !== null && (
        <Text size="xs" c="dimmed" maw={420}>
          {error.step !== null && `${texts.steps[error.step]}: `}
          <span lang="en">{error.message}</span>
          {error.code !== null && ` (${texts.code(error.code)})`}
        </Text>
      )}
    </div>
  );
}

/** Members by name; a key by its id, as the audit log has it. */
function useActorNames(): (actor: ChannelChange['actor']) => string {
  const { client, workspaceId } = useTenant();
  const { data: members = [] } = useQuery({
    queryKey: ['members', workspaceId, 'names'],
    queryFn: () => client.members.list(workspaceId, { limit: 100 }).toArray(mostMembers),
  });
  return ({ type, id }) => {
    if (type === 'system') return texts.system;
    if (type === 'user') return members.find(each => each.userId === id)?.displayName ?? texts.formerMember;
    return type === 'api_key' ? texts.key(id ?? '') : (id ?? type);
  };
}
