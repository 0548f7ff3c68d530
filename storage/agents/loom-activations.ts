/**
 * When versions of looms became the active ones: an entry for each time, numbered in its loom, added in the transaction that makes the
 * version active, under the lock of the loom's row (looms.ts).
 */
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Actor, LoomActivation as LoomActivationResource } from '../../protocol/resources/index.ts';
import type { AuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, cutPage, toPage } from '../paging/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { type Loom, LoomActivation } from '../entities/index.ts';

interface LoomActivationRow {
  readonly loomId: string;
  readonly number: number;
  readonly loomVersionId: string;
  readonly version: number;
  readonly previousVersionId: string | null;
  readonly previousVersion: number | null;
  readonly actor: Actor;
  readonly reason: string | null;
  readonly createdAt: Date;
}

// Versions are never removed.
const selectPage = `
  select a.loom_id as "loomId", a.number, a.loom_version_id as "loomVersionId", v.version, a.previous_version_id as "previousVersionId",
    (select p.version from loom_versions p where p.loom_version_id = a.previous_version_id and p.loom_id = a.loom_id) as "previousVersion",
    a.actor, a.reason, a.created_at as "createdAt"
  from loom_activations a
  join loom_versions v on v.loom_version_id = a.loom_version_id and v.loom_id = a.loom_id
  where a.loom_id = $1 and a.project_id = $2 and a.environment_id = $3 and a.number < $4 order by a.number desc limit $5`;

/** The largest number of an entry. */
const maxNumber = 2_147_483_647;

/** The newest first; empty where the environment has no such loom. */
export async function listLoomActivations(
  { db, cursors }: { readonly db: Queries; readonly cursors: Cursors },
  { projectId, environmentId }: TenantScope,
  loomId: string,
  { cursor, limit }: PageRequest,
): Promise<Page<LoomActivationResource>> {
  const scope = `loom-activations ${environmentId} ${loomId}`;
  const before = cursor === undefined ? maxNumber : Number(cursors.decode(scope, cursor)[0]);
  const values = [loomId, projectId, environmentId, before, limit + 1];
  const rows = await db.query<LoomActivationRow>(selectPage, values, 'loom-activations.page');
  const { data, ...rest } = toPage(cutPage(rows, limit), last => cursors.encode(scope, [last.number]));
  return { data: data.map(row => ({ ...row, createdAt: row.createdAt.toISOString() })), ...rest };
}

/** Makes the version the active one of the loom, which is new or locked, and adds the entry to the unit of work. */
export function setActiveVersion(
  em: EntityManager,
  loom: InferEntity<typeof Loom>,
  loomVersionId: string,
  { author: actor, now }: AuditContext,
  reason: string | null,
): void {
  const { loomId, projectId, environmentId, activeVersionId = null } = loom;
  loom.lastActivation = (loom.lastActivation ?? 0) + 1;
  loom.activeVersionId = loomVersionId;
  em.create(LoomActivation, {
    loomId,
    number: loom.lastActivation,
    projectId,
    environmentId,
    loomVersionId,
    previousVersionId: activeVersionId,
    actor,
    reason,
    createdAt: new Date(now),
  });
}
