/** The names by which the chat provider calls participants, where they lead to a thread that another name has made: see actors/channel. */
import type { Queries, TenantScope } from '../database/index.ts';

/** A thread, and the name that it was made by. */
export interface AliasedThread {
  readonly threadId: string;
  readonly externalRef: string;
}

/** A thread that a name leads to. */
export interface KnownAlias extends AliasedThread {
  /** Whether the participant has a user id: every name but a phone number's digits is one. */
  readonly hasUserId: boolean;
}

/** Those of the names that are known, each with its thread. */
export async function findAliases(
  db: Queries,
  { projectId, environmentId, channelId }: TenantScope & { readonly channelId: string },
  names: readonly string[],
): Promise<ReadonlyMap<string, KnownAlias>> {
  const rows = await db.query<KnownAlias & { readonly alias: string }>(
    `select alias, thread_id as "threadId", external_ref as "externalRef", exists (
       select from chatapp_aliases o where o.thread_id = a.thread_id and o.alias ~ '[^0-9]') as "hasUserId"
     from chatapp_aliases a where channel_id = $1 and alias = any ($2::text[]) and project_id = $3 and environment_id = $4`,
    [channelId, names, projectId, environmentId],
    'chatapp_aliases.find',
  );
  return new Map(rows.map(({ alias, ...thread }) => [alias, thread]));
}
