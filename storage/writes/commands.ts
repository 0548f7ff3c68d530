/** Rows of `channel_commands`, which a custom channel has to carry out, and of `parked_receipts`. */
import { statement, type Write } from '../statements/index.ts';

const insert = statement(
  'command.insert',
  40,
  {
    event_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    channel_id: 'text',
    event_name: 'text',
    occurred_at: 'timestamptz',
    message_id: 'text',
    data: 'json',
  },
  input => `
    insert into channel_commands (event_id, project_id, environment_id, channel_id, event_name, occurred_at, message_id, data)
    select * from ${input}`,
);

export interface CommandRow {
  /** The id of the event that is this command. */
  readonly eventId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly channelId: string;
  readonly eventName: string;
  /** ISO 8601. */
  readonly occurredAt: string;
  readonly messageId: string;
  /** JSON text, kept as it is. */
  readonly data: string;
}

/** Something that the owner of a custom channel has to do, listed until it is acknowledged. */
export function insertCommand(row: CommandRow): Write {
  return {
    statement: insert,
    values: [
      row.eventId,
      row.projectId,
      row.environmentId,
      row.channelId,
      row.eventName,
      row.occurredAt,
      row.messageId,
      row.data,
    ],
  };
}

const acknowledge = statement(
  'command.acknowledge',
  41,
  { event_id: 'text', channel_id: 'text', at: 'timestamptz' },
  input => `
    update channel_commands c set acknowledged_at = coalesce(c.acknowledged_at, input.at)
    from ${input} where c.event_id = input.event_id and c.channel_id = input.channel_id`,
);

/** A second acknowledgement keeps the first instant. */
export function acknowledgeCommand(row: {
  readonly eventId: string;
  readonly channelId: string;
  readonly at: string;
}): Write {
  return { statement: acknowledge, key: row.eventId, values: [row.eventId, row.channelId, row.at] };
}

const park = statement(
  'receipt.park',
  45,
  {
    channel_id: 'text',
    external_message_id: 'text',
    status: 'text',
    occurred_at: 'timestamptz',
    payload: 'jsonb',
    expires_at: 'timestamptz',
  },
  input => `
    insert into parked_receipts (channel_id, external_message_id, status, occurred_at, payload, expires_at)
    select * from ${input} on conflict do nothing`,
);

export interface ParkedReceiptRow {
  readonly channelId: string;
  readonly externalMessageId: string;
  readonly status: string;
  readonly occurredAt: string;
  readonly payload: unknown;
  /** 24 h after it came (docs/contract-decisions.md, "States"). */
  readonly expiresAt: string;
}

/** Parks a receipt of an unknown message until the message appears. */
export function parkReceipt(row: ParkedReceiptRow): Write {
  return {
    statement: park,
    key: `${row.channelId}/${row.externalMessageId}/${row.status}`,
    values: [
      row.channelId,
      row.externalMessageId,
      row.status,
      row.occurredAt,
      JSON.stringify(row.payload ?? null),
      row.expiresAt,
    ],
  };
}

const unpark = statement(
  'receipt.unpark',
  46,
  { channel_id: 'text', external_message_id: 'text', status: 'text' },
  input => `
    delete from parked_receipts p using ${input}
    where p.channel_id = input.channel_id and p.external_message_id = input.external_message_id
      and p.status = input.status`,
);

/** Removes a parked receipt, in the commit that applies it. Later receipts of the message, which nobody has read yet, stay. */
export function unparkReceipt(
  row: Pick<ParkedReceiptRow, 'channelId' | 'externalMessageId' | 'status'>,
): Write {
  return {
    statement: unpark,
    key: `${row.channelId}/${row.externalMessageId}/${row.status}`,
    values: [row.channelId, row.externalMessageId, row.status],
  };
}
