/** Rows of `chatapp_aliases`: see storage/chatapp/aliases.ts. */
import { statement, type Write } from '../statements/index.ts';

const insert = statement(
  'chatapp_alias.add',
  44,
  {
    channel_id: 'text',
    alias: 'text',
    project_id: 'text',
    environment_id: 'text',
    thread_id: 'text',
    external_ref: 'text',
    created_at: 'timestamptz',
  },
  input => `
    insert into chatapp_aliases (channel_id, alias, project_id, environment_id, thread_id, external_ref, created_at)
    select * from ${input}
    on conflict (channel_id, alias) do update set
      thread_id = excluded.thread_id, external_ref = excluded.external_ref, created_at = excluded.created_at`,
);

export interface AliasRow {
  readonly channelId: string;
  readonly alias: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly threadId: string;
  /** The name that the thread was made by. */
  readonly externalRef: string;
  /** ISO 8601. */
  readonly createdAt: string;
}

/** From now on the name leads to this thread. */
export function addAlias(row: AliasRow): Write {
  const { channelId, alias, projectId, environmentId, threadId, externalRef, createdAt } = row;
  return {
    statement: insert,
    key: `${channelId}/${alias}`,
    values: [channelId, alias, projectId, environmentId, threadId, externalRef, createdAt],
  };
}
