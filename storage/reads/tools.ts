/** Reads of tools for those who call them. */
import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import type { ToolMethod, ToolStatus } from '../../protocol/resources/tool.ts';
import type { Database } from '../database.ts';
import type { Place } from './place.ts';

/** A tool with its secrets, sealed. */
export interface CallableTool {
  readonly toolId: string;
  readonly url: string | null;
  readonly method: ToolMethod;
  readonly sealedHeaders: string | null;
  readonly signingSecret: string;
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
  readonly timeoutMs: number;
  readonly retryMaxAttempts: number;
  readonly retryBackoffMs: number;
  readonly status: ToolStatus;
  /** Calls in a row that have failed. */
  readonly failures: number;
  readonly environmentKind: EnvironmentKind;
}

const select = `
  select t.tool_id as "toolId", t.url, t.method, t.sealed_headers as "sealedHeaders", t.signing_secret as "signingSecret",
    t.input_schema as "inputSchema", t.timeout_ms as "timeoutMs", t.retry_max_attempts as "retryMaxAttempts",
    t.retry_backoff_ms as "retryBackoffMs", t.status, t.failures, e.kind as "environmentKind"
  from tools t join environments e on e.environment_id = t.environment_id and e.project_id = t.project_id
  where t.tool_id = $1 and t.project_id = $2 and t.environment_id = $3`;

/** Undefined where the place has no such tool. */
export async function callableTool(
  db: Pick<Database, 'query'>,
  { projectId, environmentId }: Place,
  toolId: string,
): Promise<CallableTool | undefined> {
  const [row] = await db.query<CallableTool>(select, [toolId, projectId, environmentId], 'tools.callable');
  return row;
}
