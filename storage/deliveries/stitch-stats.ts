/**
 * How a stitch is doing: its attempts by hour, and what it has yet to deliver. What a report costs depends neither on how many attempts
 * there were nor on how much waits.
 */
import { type AttemptStats, maxBacklogCount, type StitchStats } from '../../protocol/resources/index.ts';
import type { Queries, TenantScope } from '../database/index.ts';
import { fromDurationClass } from '../writes/index.ts';
import { unrecordedPage } from './unrecorded.ts';

/** Attempts of one hour that took about as long. */
export interface HourRow {
  /** Its beginning. */
  readonly hour: Date;
  readonly durationClass: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly longestWaitMs: number;
}

// Twenty rows an hour or so.
const selectHours = `
  select h.hour, h.duration_class as "durationClass", h.succeeded::float8 as succeeded, h.failed::float8 as failed,
    h.longest_wait_ms::float8 as "longestWaitMs"
  from stitch_hours h join stitches s on s.stitch_id = h.stitch_id
  where h.stitch_id = $1 and h.hour >= $2 and s.project_id = $3 and s.environment_id = $4
  order by h.hour, h.duration_class`;

/** The stitch's attempts since then, by hour and duration. */
export function readHours(
  db: Queries,
  { projectId, environmentId }: TenantScope,
  stitchId: string,
  since: Date,
): Promise<HourRow[]> {
  return db.query<HourRow>(selectHours, [stitchId, since, projectId, environmentId], 'stitches.hours');
}

/** The hours with attempts, in their order. */
export function groupHours(rows: readonly HourRow[]): StitchStats['hours'] {
  const byHour = Map.groupBy(rows, ({ hour }) => hour.toISOString());
  return [...byHour].map(([hour, own]) => ({ hour, ...summarise(own) }));
}

/** Rates and times are null without an attempt. */
export function summarise(rows: readonly HourRow[]): AttemptStats {
  const byDuration = [...rows].sort((a, b) => a.durationClass - b.durationClass);
  const succeeded = rows.reduce((sum, row) => sum + row.succeeded, 0);
  const attempts = rows.reduce((sum, row) => sum + row.failed, succeeded);
  if (attempts === 0) {
    return { attempts, succeeded, successRate: null, p50Ms: null, p95Ms: null, longestWaitMs: null };
  }
  return {
    attempts,
    succeeded,
    successRate: succeeded / attempts,
    p50Ms: findPercentile(byDuration, attempts * 0.5),
    p95Ms: findPercentile(byDuration, attempts * 0.95),
    longestWaitMs: rows.reduce((longest, row) => Math.max(longest, row.longestWaitMs), 0),
  };
}

/** The middle of the class in which the attempt of that rank is. */
function findPercentile(byDuration: readonly HourRow[], rank: number): number {
  let below = 0;
  for (const { durationClass, succeeded, failed } of byDuration) {
    below += succeeded + failed;
    if (below >= rank) return Math.round(fromDurationClass(durationClass + 0.5));
  }
  throw new RangeError(`there are ${below} attempts, and none has rank ${rank}`);
}

/** Pages of the log that are looked at, of 8,000 events each at most. */
const maxPages = 2;

// Replays, tests, and what failed and is tried again. By event, as the index has them.
const selectOpen = `
  select count(*)::int as count, min(created_at) as oldest from (
    select created_at from webhook_deliveries
    where stitch_id = $1 and status in ('pending', 'delivering', 'retrying') and project_id = $2 and environment_id = $3
    order by event_seq limit $4) as open`;

/** What the stitch has yet to deliver: rows, and events beyond the place up to which it has delivered. */
export async function readBacklog(
  db: Queries,
  tenant: TenantScope,
  stitchId: string,
): Promise<StitchStats['backlog']> {
  const { projectId, environmentId } = tenant;
  const values = [stitchId, projectId, environmentId, maxBacklogCount + 1];
  const [row] = await db.query<{ count: number; oldest: Date | null }>(
    selectOpen,
    values,
    'deliveries.open_count',
  );
  let { count = 0 } = row ?? {};
  let oldest = row?.oldest?.toISOString();
  const filter = { ...tenant, stitchId, status: 'pending' };
  let from: number | undefined;
  let isWhole = false;
  for (let page = 0; page < maxPages && !isWhole && count <= maxBacklogCount; page++) {
    const { rows, end } = await unrecordedPage(db, filter, 'asc', from, maxBacklogCount + 1 - count);
    count += rows.length;
    const first = rows[0]?.eventAt;
    if (first !== undefined && (oldest === undefined || first < oldest)) oldest = first;
    from = end?.seq;
    isWhole = end === undefined;
  }
  const more = !isWhole || count > maxBacklogCount;
  return { count: Math.min(count, maxBacklogCount), more, oldestSince: oldest ?? null };
}
