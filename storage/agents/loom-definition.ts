/** What a version of a loom says, and how a version is added, under the lock of its loom (looms.ts, loom-versions.ts). */
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
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
import type { UnusableReference } from './rules.ts';

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

/** The tools and the credential that the environment does not have or cannot use. */
export async function findUnusableReferences(
  em: EntityManager,
  { projectId, environmentId }: TenantScope,
  { toolIds, byokCredentialId, provider }: LoomDefinition,
): Promise<UnusableReference[]> {
  const unusable: UnusableReference[] = [];
  if (toolIds.length > 0) {
    const tools = await em.find(
      Tool,
      { toolId: { $in: [...toolIds] }, projectId, environmentId },
      { fields: ['toolId'] },
    );
    const known = new Set(tools.map(({ toolId }) => toolId));
    toolIds.forEach((toolId, index) => {
      if (!known.has(toolId)) unusable.push({ reference: 'tool', index });
    });
  }
  if (byokCredentialId !== null) {
    const found = await em.findOne(ByokCredential, { byokCredentialId, projectId, environmentId });
    if (found === null || found.status === 'revoked') unusable.push({ reference: 'credential' });
    else if (found.provider !== provider) unusable.push({ reference: 'credential_of_other_provider' });
  }
  return unusable;
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
