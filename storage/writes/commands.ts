/** Rows of `channel_commands` (specification, "Channel command") and of `parked_receipts`. */
import type { Statement, Write } from '../statement.ts';

const insert: Statement = {
  name: 'command.insert',
  order: 40,
  text: `
    insert into channel_commands (event_id, project_id, environment_id, channel_id, event_name, occurred_at, message_id, data)
    select "eventId", "projectId", "environmentId", "channelId", "eventName", "occurredAt", "messageId", data
    from json_to_recordset($1::json) as r("eventId" text, "projectId" text, "environmentId" text, "channelId" text,
      "eventName" text, "occurredAt" timestamptz, "messageId" text, data json)`,
};

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
  /** JSON text, as it stands. */
  readonly data: string;
}

/** Something a custom channel's owner has to do, listed until it is acknowledged. */
export function insertCommand(row: CommandRow): Write {
  const { data, ...rest } = row;
  return { statement: insert, row: `${JSON.stringify(rest).slice(0, -1)},"data":${data}}` };
}

const acknowledge: Statement = {
  name: 'command.acknowledge',
  order: 41,
  text: `
    update channel_commands c set acknowledged_at = coalesce(c.acknowledged_at, r.at)
    from json_to_recordset($1::json) as r("eventId" text, "channelId" text, at timestamptz)
    where c.event_id = r."eventId" and c.channel_id = r."channelId"`,
};

/** Acknowledging twice keeps the first instant. */
export function acknowledgeCommand(row: {
  readonly eventId: string;
  readonly channelId: string;
  readonly at: string;
}): Write {
  return { statement: acknowledge, row: JSON.stringify(row), key: row.eventId };
}

const park: Statement = {
  name: 'receipt.park',
  order: 45,
  text: `
    insert into parked_receipts (channel_id, external_message_id, status, occurred_at, payload, expires_at)
    select "channelId", "externalMessageId", status, "occurredAt", payload, "expiresAt"
    from json_to_recordset($1::json) as r("channelId" text, "externalMessageId" text, status text, "occurredAt" timestamptz,
      payload jsonb, "expiresAt" timestamptz)
    on conflict do nothing`,
};

export interface ParkedReceiptRow {
  readonly channelId: string;
  readonly externalMessageId: string;
  readonly status: string;
  readonly occurredAt: string;
  readonly payload: unknown;
  /** 24 h after it came (decisions, section 4). */
  readonly expiresAt: string;
}

/** A receipt for a message nobody knows yet waits here until the message appears. */
export function parkReceipt(row: ParkedReceiptRow): Write {
  return {
    statement: park,
    row: JSON.stringify(row),
    key: `${row.channelId}/${row.externalMessageId}/${row.status}`,
  };
}

const unpark: Statement = {
  name: 'receipt.unpark',
  order: 46,
  text: `
    delete from parked_receipts p using json_to_recordset($1::json) as r("channelId" text, "externalMessageId" text)
    where p.channel_id = r."channelId" and p.external_message_id = r."externalMessageId"`,
};

/** Removes the parked receipts of a message, in the commit that applies them. */
export function unparkReceipts(row: {
  readonly channelId: string;
  readonly externalMessageId: string;
}): Write {
  return { statement: unpark, row: JSON.stringify(row), key: `${row.channelId}/${row.externalMessageId}` };
}
