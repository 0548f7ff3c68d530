/** What the server asks of a custom channel's own program: messages to be sent, and not taken over yet. */
import type { ChannelCommand } from '../../sdk/index.ts';
import { type Column, DataTable } from '../parts/data-table.tsx';
import { Json } from '../parts/json.tsx';
import { Time } from '../parts/time.tsx';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';

/** Milliseconds. */
const refreshMs = 3_000;

export function Commands({ channelId }: { readonly channelId: string }) {
  const texts = useTexts().channels;
  const { client } = useTenant();
  const columns: Column<ChannelCommand>[] = [
    { key: 'name', label: texts.command, isFixed: true, show: ({ eventName }) => eventName },
    { key: 'at', label: texts.at, show: ({ occurredAt }) => <Time at={occurredAt} /> },
    {
      key: 'data',
      label: texts.data,
      show: ({ data }) => (
        <details>
          <summary>{texts.show}</summary>
          <Json label={texts.data} value={data} />
        </details>
      ),
    },
  ];
  return (
    <DataTable
      name="commands"
      label={texts.commands}
      queryKey={['commands', channelId]}
      load={cursor => client.channels.listCommands(channelId, { cursor, limit: 20 })}
      rowKey={({ eventId }) => eventId}
      columns={columns}
      refreshMs={refreshMs}
      empty={texts.noCommands}
    />
  );
}
