/** What a model is given in one step of a run (actors/run/plans.ts). Every statement names the project and the environment. */
import type { Direction, MessageAttachment, Provider } from '../../protocol/resources/index.ts';
import { byokColumns, type ByokRow } from './byok.ts';
import type { Queries, TenantScope } from '../database/index.ts';

/** A loom version, and the tenant that it must belong to. */
export interface LoomVersionKey extends TenantScope {
  readonly loomId: string;
  readonly loomVersionId: string;
}

/** What a loom version says of its model. */
export interface ModelDefinition {
  readonly systemPrompt: string;
  readonly rules: readonly string[];
  readonly provider: Provider;
  readonly model: string;
  readonly byokCredentialId: string | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
}

const fromVersion = `loom_versions v
  where v.loom_version_id = $1 and v.loom_id = $2 and v.project_id = $3 and v.environment_id = $4`;

const toValues = ({ loomVersionId, loomId, projectId, environmentId }: LoomVersionKey): readonly string[] => [
  loomVersionId,
  loomId,
  projectId,
  environmentId,
];

const selectVersion = `
  select v.system_prompt as "systemPrompt", v.rules, v.provider, v.model, v.byok_credential_id as "byokCredentialId",
    v.temperature, v.max_tokens as "maxTokens"
  from ${fromVersion}`;

/** Undefined where the environment has no such version. */
export async function findModelDefinition(
  db: Queries,
  key: LoomVersionKey,
): Promise<ModelDefinition | undefined> {
  const [row] = await db.query<ModelDefinition>(selectVersion, toValues(key), 'models.definition');
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
    and provider = (select v.provider from ${fromVersion})
    and byok_credential_id = coalesce((select v.byok_credential_id from ${fromVersion}), byok_credential_id)
  order by created_at desc, byok_credential_id desc limit 1`;

/** The version's own credential, or else the newest of its provider; undefined where that is revoked, or there is none. */
export async function findModelCredential(
  db: Queries,
  key: LoomVersionKey,
): Promise<SealedCredential | undefined> {
  const [row] = await db.query<SealedCredential>(selectCredential, toValues(key), 'models.credential');
  return row;
}

/** A tool of a loom version. */
export interface ModelTool {
  readonly toolId: string;
  readonly name: string;
  readonly description: string | null;
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
  readonly requiresApproval: boolean;
  /** Active, or in error and due for a probe. */
  readonly callable: boolean;
}

const selectTools = `
  select t.tool_id as "toolId", t.name, t.description, t.input_schema as "inputSchema", t.timeout_ms as "timeoutMs",
    t.requires_approval as "requiresApproval", t.url is not null and (t.status = 'active' or t.status = 'error' and t.probe_at <= $5) as callable
  from (select v.tool_ids from ${fromVersion}) as version,
    unnest(version.tool_ids) with ordinality as listed(tool_id, n)
    join tools t on t.tool_id = listed.tool_id and t.project_id = $3 and t.environment_id = $4
  order by listed.n`;

/** The tools of a version, in its order. */
export function listModelTools(db: Queries, key: LoomVersionKey, now: Date): Promise<ModelTool[]> {
  return db.query<ModelTool>(selectTools, [...toValues(key), now], 'models.tools');
}

/** A message as a model is to know it. */
export interface ConversationMessage {
  readonly direction: Direction;
  readonly body: string;
  readonly attachments: readonly MessageAttachment[];
}

export interface HistoryKey extends TenantScope {
  readonly threadId: string;
  /** The sequence of the last message that counts. */
  readonly throughSequence: number;
  /** As many of the newest messages as fit, and the one that exceeds it. */
  readonly characters: number;
  readonly limit: number;
}

// A message that was not sent was never read by anybody.
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
export function readModelHistory(db: Queries, key: HistoryKey): Promise<ConversationMessage[]> {
  const { threadId, projectId, environmentId, throughSequence, characters, limit } = key;
  const values = [threadId, projectId, environmentId, throughSequence, characters, limit];
  return db.query<ConversationMessage>(selectHistory, values, 'models.history');
}
