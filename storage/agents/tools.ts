/**
 * Tools, which models call over HTTP. The values of headers and the signing secret are kept sealed; the caller of a tool opens them
 * (actors/run/tools).
 *
 *   active, error <-> disabled   by a user
 *   active        <-> error      by the callers of the tool (tool-calls.ts); a user may activate it, too
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { newId } from '../../protocol/ids.ts';
import { redacted, type Tool as ToolResource, type ToolMethod } from '../../protocol/resources/index.ts';
import { newStitchSecret } from '../../protocol/signature.ts';
import { type AuditContext, recordAction } from '../audit/index.ts';
import type { Cursors, Page, PageRequest } from '../paging/index.ts';
import type { Database, Queries, TenantScope } from '../database/index.ts';
import { Tool } from '../entities/index.ts';
import { appendEvents } from '../events/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import type { Vault } from '../secrets/index.ts';
import {
  type Conditional,
  type EnvironmentList,
  applyChanges,
  listPage,
  mergeMetadata,
  requireUnchanged,
} from './environment-rows.ts';
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import type { AgentRules } from './rules.ts';

/** Values by their names. */
export type ToolHeaders = Readonly<Record<string, string>>;

interface ToolFields {
  readonly name: string;
  readonly url: string;
  readonly method: ToolMethod;
  readonly timeoutMs: number;
  readonly retryMaxAttempts: number;
  readonly retryBackoffMs: number;
  readonly requiresApproval: boolean;
  readonly description: string | null;
  readonly inputSchema: Record<string, unknown> | null;
  readonly metadata: Record<string, unknown>;
}

export interface NewTool extends TenantScope, AuditContext, Keyed, ToolFields {
  readonly headers: ToolHeaders;
}

type Maybe<T> = { readonly [K in keyof T]?: T[K] | undefined };

export interface ToolChange extends TenantScope, AuditContext, Conditional {
  readonly toolId: string;
  /** `headers` replaces all headers; a value `[redacted]` keeps the current one, unless `url` leads to another origin. */
  readonly changes: Maybe<
    ToolFields & { readonly status: 'active' | 'disabled'; readonly headers: ToolHeaders }
  >;
}

export interface SecretRotation extends TenantScope, AuditContext, Keyed {
  readonly toolId: string;
  /** How long the secrets until now sign, too. */
  readonly gracePeriodSeconds: number;
}

export interface ToolTestRecord extends TenantScope, AuditContext {
  readonly toolId: string;
}

/** The most secrets that sign at once beside the newest. */
const maxFormerSecrets = 2;

/** A row without its secrets and the state of its circuit. */
export type ToolRow = Omit<
  InferEntity<typeof Tool>,
  'sealedHeaders' | 'signingSecret' | 'formerSecrets' | 'failures' | 'probeAt'
>;

const columns = `tool_id as "toolId", project_id as "projectId", environment_id as "environmentId", name, description, url, method,
  headers, input_schema as "inputSchema", timeout_ms as "timeoutMs", retry_max_attempts as "retryMaxAttempts",
  retry_backoff_ms as "retryBackoffMs", requires_approval as "requiresApproval", status, metadata, created_at as "createdAt", updated_at as "updatedAt"`;

const listing: EnvironmentList = { table: 'tools', id: 'tool_id', columns };

/** The context that the headers, a JSON object of names and values, are sealed for (storage/secrets/vault.ts). */
export function toolHeadersContext(toolId: string): string {
  return `tools/${toolId}/headers`;
}

/** The context that the signing secret is sealed for. */
export function toolSigningContext(toolId: string): string {
  return `tools/${toolId}/signing_secret`;
}

export interface ToolsOptions {
  readonly db: Database;
  readonly vault: Pick<Vault, 'seal' | 'open'>;
  readonly cursors: Cursors;
  readonly rules: Pick<AgentRules, 'refuse' | 'noHeaderValue'>;
  readonly limits?: Limits;
}

export class Tools {
  readonly #options: ToolsOptions;

  constructor(options: ToolsOptions) {
    this.#options = options;
  }

  async list(tenant: TenantScope, request: PageRequest): Promise<Page<ToolResource>> {
    const { data, ...rest } = await listPage<ToolRow>(
      this.#options,
      listing,
      tenant,
      request,
      row => row.toolId,
    );
    return { data: data.map(toolResource), ...rest };
  }

  /** Undefined where the environment has no such tool. */
  async find({ projectId, environmentId }: TenantScope, toolId: string): Promise<ToolResource | undefined> {
    const [row] = await this.#options.db.query<ToolRow>(
      `select ${columns} from tools where tool_id = $1 and project_id = $2 and environment_id = $3`,
      [toolId, projectId, environmentId],
      'tools.find',
    );
    return row === undefined ? undefined : toolResource(row);
  }

  /** `signingSecret` is shown only once. */
  async create(request: NewTool): Promise<{ readonly tool: ToolResource; readonly signingSecret: string }> {
    const { author, origin, now, headers, key, ...fields } = request;
    const toolId = newId('tool', now);
    const signingSecret = newStitchSecret();
    const sealed = await this.#sealHeaders(toolId, headers, undefined);
    const sealedSecret = await this.#options.vault.seal(toolSigningContext(toolId), signingSecret);
    const at = new Date(now);
    return transactOnce(this.#options.db, key, async em => {
      const row = em.create(Tool, {
        ...fields,
        ...sealed,
        toolId,
        signingSecret: sealedSecret,
        formerSecrets: [],
        status: 'active',
        createdAt: at,
        updatedAt: at,
      });
      await em.flush();
      const { projectId, environmentId, name, method } = row;
      await requireWithinLimit(em, this.#options.limits ?? defaultLimits, 'tools', projectId);
      const details = { name, method };
      await recordAction(
        em,
        { author, origin, now },
        {
          projectId,
          environmentId,
          action: 'tool.created',
          targetId: toolId,
          details,
        },
      );
      return { tool: toolResource(row), signingSecret };
    });
  }

  /**
   * A change that changes nothing is not recorded. Refused for a header that keeps a value which does not exist; and for a new origin of
   * the address without new headers, or with a header that keeps its value: whoever may change the tool may not read its secrets.
   */
  update(change: ToolChange): Promise<ToolResource> {
    const { toolId, changes, author, now } = change;
    const { headers, status, ...fields } = changes;
    return this.#options.db.em().transactional(async em => {
      const row = await this.#lock(em, change);
      requireUnchanged(this.#options.rules, change, toolResource(row));
      const before = row.sealedHeaders ?? undefined;
      const moves = fields.url !== undefined && parseOrigin(fields.url) !== parseOrigin(row.url);
      const merged = mergeMetadata(this.#options.rules, row.metadata, fields);
      const changed = applyChanges<Partial<typeof row>>(row, merged);
      if (moves && before !== undefined && headers === undefined) {
        throw this.#options.rules.refuse('tool_headers_missing');
      }
      if (headers !== undefined) {
        Object.assign(row, await this.#sealHeaders(toolId, headers, moves ? undefined : before));
        changed.push('headers');
      }
      const switched = status !== undefined && status !== row.status;
      if (switched) {
        Object.assign(row, { status, failures: 0, probeAt: null });
        changed.push('status');
      }
      if (changed.length === 0) return toolResource(row);
      row.updatedAt = new Date(now);
      await em.flush();
      const { projectId, environmentId } = row;
      const details = { fields: changed.sort() };
      await recordAction(em, change, {
        projectId,
        environmentId,
        action: 'tool.updated',
        targetId: toolId,
        details,
      });
      const tool = toolResource(row);
      if (switched) {
        const data = { actor: author, tool };
        await appendEvents(em, [{ projectId, environmentId, eventName: 'tool.status.changed', data }]);
      }
      return tool;
    });
  }

  /**
   * The new secret is shown only once. It signs from now on; the older ones sign too until their grace is over. What users see of the tool
   * stays as it is, so that approvals that wait go on.
   */
  async rotateSecret(
    request: SecretRotation,
  ): Promise<{ readonly tool: ToolResource; readonly signingSecret: string }> {
    const { toolId, gracePeriodSeconds, key, now, author } = request;
    const signingSecret = newStitchSecret();
    const sealed = await this.#options.vault.seal(toolSigningContext(toolId), signingSecret);
    return transactOnce(this.#options.db, key, async em => {
      const row = await this.#lock(em, request);
      const graceEnd = now + gracePeriodSeconds * 1_000;
      row.formerSecrets = [{ jwe: row.signingSecret, until: graceEnd }, ...row.formerSecrets]
        .map(({ jwe, until }) => ({ jwe, until: Math.min(until, graceEnd) }))
        .filter(({ until }) => until > now)
        .slice(0, maxFormerSecrets);
      row.signingSecret = sealed;
      await em.flush();
      const { projectId, environmentId } = row;
      const details = { gracePeriodSeconds };
      const act = { action: 'tool.secret_rotated', targetId: toolId, details } as const;
      await recordAction(em, request, { projectId, environmentId, ...act });
      const tool = toolResource(row);
      const data = { actor: author, tool };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'tool.secret.rotated', data }]);
      return { tool, signingSecret };
    });
  }

  /**
   * Records that somebody has the tool called outside of runs: before it is called, since nobody knows what becomes of a call whose node is
   * lost. Refused where the environment has no such tool.
   */
  recordTest(request: ToolTestRecord): Promise<void> {
    const { projectId, environmentId, toolId } = request;
    return this.#options.db.em().transactional(async em => {
      const row = await em.findOne(
        Tool,
        { toolId, projectId, environmentId },
        { fields: ['toolId', 'name'] },
      );
      if (row === null) throw this.#options.rules.refuse('absent');
      const act = { action: 'tool.tested', targetId: toolId, details: { name: row.name } } as const;
      await recordAction(em, request, { projectId, environmentId, ...act });
    });
  }

  /** Of several changes of one tool, each waits here for the one before. */
  async #lock(
    em: EntityManager,
    { projectId, environmentId, toolId }: TenantScope & { readonly toolId: string },
  ): Promise<InferEntity<typeof Tool>> {
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const row = await em.findOne(Tool, { toolId, projectId, environmentId }, lock);
    if (row === null) throw this.#options.rules.refuse('absent');
    return row;
  }

  /** The columns of the headers. @param before the sealed headers that `[redacted]` values are taken from */
  async #sealHeaders(
    toolId: string,
    headers: ToolHeaders,
    before: string | undefined,
  ): Promise<{ readonly headers: Record<string, string>; readonly sealedHeaders: string | null }> {
    const { vault, rules } = this.#options;
    const context = toolHeadersContext(toolId);
    const keeps = Object.values(headers).includes(redacted) && before !== undefined;
    const known = new Map(
      keeps ? lowerNames(JSON.parse(await vault.open(context, before)) as ToolHeaders) : [],
    );
    const values: Record<string, string> = {};
    for (const [name, given] of Object.entries(headers)) {
      const value = given === redacted ? known.get(name.toLowerCase()) : given;
      if (value === undefined) throw rules.noHeaderValue(name);
      values[name] = value;
    }
    const names = Object.keys(values);
    return {
      headers: Object.fromEntries(names.map(name => [name, redacted])),
      sealedHeaders: names.length === 0 ? null : await vault.seal(context, JSON.stringify(values)),
    };
  }
}

/** Whether somebody has changed the tool since then, or it is gone. */
export async function hasToolChanged(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  toolId: string,
  since: Date,
): Promise<boolean> {
  const rows = await db.query(
    'select from tools where tool_id = $1 and project_id = $2 and environment_id = $3 and updated_at <= $4',
    [toolId, projectId, environmentId, since],
    'tools.unchanged',
  );
  return rows.length === 0;
}

/** Scheme, host and port: the server that the headers are meant for. */
function parseOrigin(url: string | null | undefined): string | undefined {
  return URL.parse(url ?? '')?.origin;
}

function lowerNames(headers: ToolHeaders): [string, string][] {
  return Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
}

export function toolResource(row: ToolRow): ToolResource {
  return {
    toolId: row.toolId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    name: row.name,
    description: row.description ?? null,
    url: row.url ?? null,
    method: row.method,
    headers: row.headers,
    inputSchema: row.inputSchema ?? null,
    timeoutMs: row.timeoutMs,
    retryMaxAttempts: row.retryMaxAttempts,
    retryBackoffMs: row.retryBackoffMs,
    requiresApproval: row.requiresApproval,
    status: row.status,
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}

/** The places in the list of those that the environment does not have. */
export async function findAbsentTools(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  toolIds: readonly string[],
): Promise<number[]> {
  if (toolIds.length === 0) return [];
  const rows = await db.query<{ toolId: string }>(
    `select tool_id as "toolId" from tools where tool_id = any ($1::text[]) and project_id = $2 and environment_id = $3`,
    [toolIds, projectId, environmentId],
    'tools.known',
  );
  const known = new Set(rows.map(({ toolId }) => toolId));
  return toolIds.flatMap((toolId, index) => (known.has(toolId) ? [] : [index]));
}
