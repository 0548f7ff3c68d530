/** What one step of a run is made of: see actors/run/tasks/plans.ts. Every statement names the project and the environment. */
import type { MessageAttachment } from '../../protocol/resources/attachment.ts';
import type { Provider } from '../../protocol/resources/byok.ts';
import type { Direction } from '../../protocol/resources/message.ts';
import { byokColumns, type ByokRow } from '../agents/byok.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

type Queries = Pick<Database, 'query'>;

/** Which loom version, and whose it has to be. */
export interface VersionKey extends Place {
  readonly loomId: string;
  readonly loomVersionId: string;
}

/** What a loom version says of its model. */
export interface PlannedVersion {
  readonly systemPrompt: string;
  readonly rules: readonly string[];
  readonly provider: Provider;
  readonly model: string;
  readonly byokCredentialId: string | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

const theVersion = `loom_versions v
  where v.loom_version_id = $1 and v.loom_id = $2 and v.project_id = $3 and v.environment_id = $4`;

const keyValues = ({ loomVersionId, loomId, projectId, environmentId }: VersionKey): readonly string[] => [
  ...[loomVersionId, loomId, projectId, environmentId],
];

const selectVersion = `
  select v.system_prompt as "systemPrompt", v.rules, v.provider, v.model, v.byok_credential_id as "byokCredentialId",
    v.temperature, v.max_tokens as "maxTokens"
  from ${theVersion}`;

/** Undefined where the place has no such version. */
export async function plannedVersion(db: Queries, key: VersionKey): Promise<PlannedVersion | undefined> {
  const [row] = await db.query<PlannedVersion>(selectVersion, keyValues(key), 'plans.version');
  return row;
}

/** A credential with its secrets, sealed. */
export interface SealedCredential extends ByokRow {
  readonly secret: string;
  readonly previousSecret: string | null;
}

const selectCredential = `
  select ${byokColumns}, secret, previous_secret as "previousSecret"
  from byok_credentials
  where project_id = $3 and environment_id = $4 and status <> 'revoked'
    and provider = (select v.provider from ${theVersion})
    and byok_credential_id = coalesce((select v.byok_credential_id from ${theVersion}), byok_credential_id)
  order by created_at desc, byok_credential_id desc limit 1`;

/** The version's own credential, or else the newest of its provider; undefined where that is revoked, or there is none. */
export async function plannedCredential(db: Queries, key: VersionKey): Promise<SealedCredential | undefined> {
  const [row] = await db.query<SealedCredential>(selectCredential, keyValues(key), 'plans.credential');
  return row;
}

/** A tool of a version. */
export interface ListedTool {
  readonly toolId: string;
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
  /** Active, or in error and to be probed. */
  readonly callable: boolean;
}

const selectTools = `
  select t.tool_id as "toolId", t.name, t.description, t.input_schema as "inputSchema", t.timeout_ms as "timeoutMs",
    t.url is not null and (t.status = 'active' or t.status = 'error' and t.probe_at <= $5) as callable
  from (select v.tool_ids from ${theVersion}) as version,
    unnest(version.tool_ids) with ordinality as listed(tool_id, n)
    join tools t on t.tool_id = listed.tool_id and t.project_id = $3 and t.environment_id = $4
  order by listed.n`;

/** The tools of a version, in its order. */
export function plannedTools(db: Queries, key: VersionKey, now: Date): Promise<ListedTool[]> {
  return db.query<ListedTool>(selectTools, [...keyValues(key), now], 'plans.tools');
}

/** A message as a model is to know it. */
export interface HistoryRow {
  readonly direction: Direction;
  readonly body: string;
  readonly attachments: readonly MessageAttachment[];
}

export interface HistoryKey extends Place {
  readonly threadId: string;
  /** The last message that counts. */
  readonly throughSequence: number;
  /** As many of the newest messages as fit, and the one that no longer does. */
  readonly characters: number;
  readonly limit: number;
}

// What was not sent was never read by anybody.
const selectHistory = `
  select direction, body, attachments
  from (
    select *, sum(length(body)) over (order by sequence desc) - length(body) as newer
    from (
      select m.sequence, m.direction, m.body, m.attachments from messages m
      where m.thread_id = $1 and m.project_id = $2 and m.environment_id = $3 and m.sequence <= $4
        and (m.direction = 'inbound' or m.status is distinct from 'failed')
      order by m.sequence desc limit $6
    ) as newest
  ) as measured
  where newer < $5 order by sequence desc`;

/** The end of a conversation, newest first. */
export function plannedHistory(db: Queries, key: HistoryKey): Promise<HistoryRow[]> {
  const { threadId, projectId, environmentId, throughSequence, characters, limit } = key;
  const values = [threadId, projectId, environmentId, throughSequence, characters, limit];
  return db.query<HistoryRow>(selectHistory, values, 'plans.history');
}
