/** What a version of a loom says, and how one is added: under the lock of its loom (looms.ts, loom-versions.ts). */
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { invalid, type Issue } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { Provider } from '../../protocol/resources/byok.ts';
import type { LoomVersion as LoomVersionResource } from '../../protocol/resources/loom.ts';
import type { AgentMode } from '../../protocol/resources/thread.ts';
import type { Deed } from '../audit.ts';
import { LoomVersion, Tool, type Loom } from '../entities/agents.ts';
import { ByokCredential } from '../entities/credentials.ts';
import type { NewEvent } from '../events.ts';
import type { Place } from '../reads/place.ts';

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

/** Refuses with 422 what the environment does not have, or cannot use: the same for what is another's and what is nobody's. */
export async function checkReferences(
  em: EntityManager,
  { projectId, environmentId }: Place,
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

/** Adds the loom's next version to the unit of work. The loom is new, or locked. */
export function addVersion(
  em: EntityManager,
  loom: InferEntity<typeof Loom>,
  { rules, toolIds, ...definition }: LoomDefinition,
  now: number,
): LoomVersionRow {
  const { loomId, projectId, environmentId } = loom;
  loom.lastVersion = (loom.lastVersion ?? 0) + 1;
  return em.create(LoomVersion, {
    ...{ ...definition, loomVersionId: newId('loomVersion', now), loomId, projectId, environmentId },
    ...{ version: loom.lastVersion, status: 'published', rules: [...rules], toolIds: [...new Set(toolIds)] },
    createdAt: new Date(now),
  });
}

/** The events of a version, in that order. */
export function versionEvents(
  { author }: Deed,
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
