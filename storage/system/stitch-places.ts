/** Whose stitches those are that are far behind. */
import type { Queries } from '../database/index.ts';

export interface StitchPlace {
  readonly stitchId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly status: 'active' | 'disabled' | 'error';
}

const selectPlaces = `
  select stitch_id as "stitchId", project_id as "projectId", environment_id as "environmentId", status
  from stitches where stitch_id = any ($1) and archived_at is null`;

/** By their ids, so that it costs as many look-ups as there are ids; those that are there no more are left out. */
export function findStitchPlaces(db: Queries, stitchIds: readonly string[]): Promise<StitchPlace[]> {
  if (stitchIds.length === 0) return Promise.resolve([]);
  return db.query<StitchPlace>(selectPlaces, [stitchIds], 'system.stitch_places');
}
