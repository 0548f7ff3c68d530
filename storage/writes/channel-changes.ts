/** Rows of `channel_changes`: what became of a channel's connection, each with the event that tells the same. */
import type { Actor, ChannelChange } from '../../protocol/resources/index.ts';
import { statement, type Write } from '../statements/index.ts';

const insert = statement(
  'channel_change.insert',
  47,
  {
    channel_id: 'text',
    event_id: 'text',
    project_id: 'text',
    environment_id: 'text',
    event_name: 'text',
    status: 'text',
    previous_status: 'text',
    error: 'jsonb',
    token_expires_at: 'timestamptz',
    actor: 'jsonb',
    occurred_at: 'timestamptz',
  },
  input => `
    insert into channel_changes (channel_id, event_id, project_id, environment_id, event_name, status, previous_status, error,
      token_expires_at, actor, occurred_at)
    select * from ${input}`,
);

export interface ChannelChangeRow extends Omit<ChannelChange, 'actor'> {
  readonly projectId: string;
  readonly environmentId: string;
  readonly actor: Actor;
}

export function insertChannelChange(row: ChannelChangeRow): Write {
  return {
    statement: insert,
    values: [
      row.channelId,
      row.eventId,
      row.projectId,
      row.environmentId,
      row.eventName,
      row.status,
      row.previousStatus,
      row.error === null ? null : JSON.stringify(row.error),
      row.tokenExpiresAt,
      JSON.stringify(row.actor),
      row.occurredAt,
    ],
  };
}
