/**
 * The split of an agent: some threads are answered by another version of its loom than the active one (storage/writes/agent-splits.ts says
 * which). It is in the agent's row, which is locked while it changes.
 *
 *   (none) -> running   for a published version of the agent's loom that is not the active one
 *   running -> running  another share: the same split, so threads keep what they had; another version: another split
 *   running -> (none)   ended; by itself when the agent gets another loom or is archived, and when a version of the loom is activated
 */
import { randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { AgentSplit } from '../../protocol/resources/index.ts';
import { type Agent, Loom, LoomVersion } from '../entities/index.ts';
import type { AgentRules } from './rules.ts';

type AgentEntity = InferEntity<typeof Agent>;

export interface WantedSplit {
  readonly loomVersionId: string;
  /** How many of a hundred threads: 0 to 100. */
  readonly percent: number;
}

type SplitRow = Pick<AgentEntity, 'splitVersionId' | 'splitPercent' | 'splitActivation' | 'splitAt'>;

/** Null: there is none, or a version was activated since. @param lastActivation of the agent's loom; null: it has none */
export function toSplit(row: SplitRow, lastActivation: number | null): AgentSplit | null {
  const { splitVersionId = null, splitPercent = null, splitActivation, splitAt = null } = row;
  if (splitVersionId === null || splitPercent === null || splitAt === null) return null;
  if (splitActivation !== lastActivation) return null;
  return { loomVersionId: splitVersionId, percent: splitPercent, startedAt: splitAt.toISOString() };
}

/** Whether there was one. */
export function endSplit(row: AgentEntity): boolean {
  if ((row.splitId ?? null) === null) return false;
  row.splitId = null;
  row.splitVersionId = null;
  row.splitPercent = null;
  row.splitActivation = null;
  row.splitAt = null;
  return true;
}

/** Whether it is another one than before. Refused for a version that the agent's loom does not have, for an archived one and the active one. */
export async function setSplit(
  em: EntityManager,
  rules: Pick<AgentRules, 'refuse'>,
  row: AgentEntity,
  { loomVersionId, percent }: WantedSplit,
  now: number,
): Promise<boolean> {
  const { projectId, environmentId, loomId = null } = row;
  const known = await em.findOne(LoomVersion, { loomVersionId, projectId, environmentId });
  if (known === null) throw rules.refuse('split_version_absent');
  if (loomId === null) throw rules.refuse('agent_without_loom');
  const own = { loomId, projectId, environmentId };
  // Until the end of the transaction nobody activates or archives a version.
  const loom = await em.findOne(Loom, own, { lockMode: LockMode.PESSIMISTIC_READ });
  const version = await em.findOne(LoomVersion, { ...own, loomVersionId }, { refresh: true });
  if (loom === null || version === null) throw rules.refuse('split_version_absent');
  if (version.status === 'archived') throw rules.refuse('loom_version_archived');
  if (loom.activeVersionId === loomVersionId) throw rules.refuse('loom_version_active');
  const { lastActivation = 0 } = loom;
  const goesOn = row.splitVersionId === loomVersionId && row.splitActivation === lastActivation;
  if (goesOn && row.splitPercent === percent) return false;
  if (!goesOn) {
    row.splitId = randomUUID();
    row.splitVersionId = loomVersionId;
    row.splitActivation = lastActivation;
    row.splitAt = new Date(now);
  }
  row.splitPercent = percent;
  return true;
}
