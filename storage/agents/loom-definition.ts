/** What a version of a loom says, and how a version is added, under the lock of its loom (looms.ts, loom-versions.ts). */
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { invalid, type Issue } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type {
  AgentMode,
  LoomVersion as LoomVersionResource,
  Provider,
} from '../../protocol/resources/index.ts';
import type { AuditContext } from '../audit/index.ts';
import { ByokCredential, type Loom, LoomVersion, Tool } from '../entities/index.ts';
import type { NewEvent } from '../events/index.ts';
import type { TenantScope } from '../database/index.ts';

export interface LoomDefinition {
  readonly systemPrompt: string;
  readonly rules: readonly string[];
  readonly provider: Provider;
  readonly model: string;
  readonly byokCredentialId: string | null;
  readonly mode: AgentMode | null;
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly toolIds: readonly string[];
  readonly metadata: Record<string, unknown>;
}

export type LoomVersionRow = InferEntity<typeof LoomVersion>;

/** Refuses with 422 what the environment does not have or cannot use: the same for foreign ids as for unknown ones. */
export async function checkReferences(
  em: EntityManager,
  { projectId, environmentId }: TenantScope,
  { toolIds, byokCredentialId, provider }: LoomDefinition,
): Promise<void> {
  const issues: Issue[] = [];
  if (toolIds.length > 0) {
    const tools = await em.find(
      Tool,
      { toolId: { $in: [...toolIds] }, projectId, environmentId },
      { fields: ['toolId'] },
    );
    const known = new Set(tools.map(({ toolId }) => toolId));
    toolIds.forEach((toolId, n) => {
      if (known.has(toolId)) return;
      issues.push({
        path: `/body/toolIds/${n}`,
        message: 'is no tool of the environment',
        code: 'reference',
      });
    });
  }
  if (byokCredentialId !== null) {
    const found = await em.findOne(ByokCredential, { byokCredentialId, projectId, environmentId });
    const message =
      found === null || found.status === 'revoked'
        ? 'is no credential of the environment, or a revoked one'
        : found.provider === provider
          ? undefined
          : 'is a credential of another provider';
    if (message !== undefined) issues.push({ path: '/body/byokCredentialId', message, code: 'reference' });
  }
  if (issues.length > 0) throw invalid(issues);
}

/** Adds the next version of the loom, which is new or locked, to the unit of work. */
export function addVersion(
  em: EntityManager,
  loom: InferEntity<typeof Loom>,
  { rules, toolIds, ...definition }: LoomDefinition,
  now: number,
): LoomVersionRow {
  const { loomId, projectId, environmentId } = loom;
  loom.lastVersion = (loom.lastVersion ?? 0) + 1;
  return em.create(LoomVersion, {
    ...definition,
    loomVersionId: newId('loomVersion', now),
    loomId,
    projectId,
    environmentId,
    version: loom.lastVersion,
    status: 'published',
    rules: [...rules],
    toolIds: [...new Set(toolIds)],
    createdAt: new Date(now),
  });
}

/** The events of a version, in the order of `verbs`. */
export function versionEvents(
  { author }: AuditContext,
  version: LoomVersionRow,
  verbs: readonly ('published' | 'activated')[],
): NewEvent[] {
  const { projectId, environmentId } = version;
  const data = { actor: author, loomVersion: versionResource(version) };
  return verbs.map(verb => ({ projectId, environmentId, eventName: `loom.version.${verb}`, data }));
}

export function versionResource(row: LoomVersionRow): LoomVersionResource {
  const { temperature = null } = row;
  return {
    loomVersionId: row.loomVersionId,
    projectId: row.projectId,
    environmentId: row.environmentId,
    loomId: row.loomId,
    version: row.version,
    status: row.status,
    systemPrompt: row.systemPrompt,
    rules: row.rules ?? [],
    provider: row.provider,
    model: row.model,
    byokCredentialId: row.byokCredentialId ?? null,
    mode: row.mode ?? null,
    temperature: temperature === null ? null : Number(temperature),
    maxTokens: row.maxTokens ?? null,
    toolIds: row.toolIds ?? [],
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
  };
}
