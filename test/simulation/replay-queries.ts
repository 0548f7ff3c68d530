/** The statements with which production reads what to replay of a stitch (storage/deliveries/replays.ts, unrecorded.ts). */
import { matchesEventNames } from '../../protocol/events.ts';
import type { ReplayPlace } from '../../storage/deliveries/replays.ts';
import type { DeliverySources, Query, Row } from './delivery-sources.ts';
import { type DeliveryRow, environmentId } from './delivery-tables.ts';

/** Rows that one statement looks at. */
const stretchRows = 1_000;

/** Of the stitch's environment, in the order of their instants. */
function listRows({ tables }: DeliverySources, projectId: string | undefined): DeliveryRow[] {
  return [...tables.deliveries.values()]
    .filter(row => row.projectId === projectId)
    .sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || a.eventSeq - b.eventSeq);
}

function findProject({ stitches }: DeliverySources, stitchId: string): string | undefined {
  return stitches().find(({ id }) => id === stitchId)?.projectId;
}

const findStretch =
  (begins: (at: number, from: number) => boolean) =>
  (sources: DeliverySources, [stitchId, from, until]: readonly string[]): readonly Row[] => {
    const projectId = findProject(sources, stitchId ?? '');
    if (projectId === undefined) return [];
    const last = listRows(sources, projectId).filter(({ createdAt }) => {
      const at = Date.parse(createdAt);
      return begins(at, Date.parse(from ?? '')) && at < Date.parse(until ?? '');
    })[stretchRows - 1];
    return [{ projectId, environmentId, lastAt: last === undefined ? null : new Date(last.createdAt) }];
  };

type ReplayValues = readonly [
  projectId: string,
  environmentId: string,
  stitchId: string,
  from: string,
  until: string,
  end: Date | string,
  statuses: readonly string[],
  names: readonly string[],
  afterAt: ReplayPlace['createdAt'] | null,
  afterSeq: number | null,
  limit: number,
];

export const replayQueries: Readonly<Record<string, Query>> = {
  'deliveries.replay_stretch': findStretch((at, from) => at >= from),
  'deliveries.replay_stretch_behind': findStretch((at, from) => at > from),
  'deliveries.replay': (
    sources,
    [projectId, , stitchId, from, until, end, statuses, names, afterAt, afterSeq, limit]: ReplayValues,
  ) =>
    listRows(sources, projectId)
      .filter(row => {
        const at = Date.parse(row.createdAt);
        const isBehind =
          afterAt === null ||
          at > Date.parse(afterAt) ||
          (at === Date.parse(afterAt) && row.eventSeq > (afterSeq ?? 0));
        const isInRange = at >= Date.parse(from) && at < Date.parse(until) && at <= new Date(end).getTime();
        const isMeant = statuses.length === 0 || statuses.includes(row.status);
        const isOwn = row.stitchId === stitchId && row.trigger === 'scheduled';
        return isOwn && isBehind && isInRange && isMeant && matchesEventNames(names, row.eventName);
      })
      .slice(0, limit)
      .map(({ createdAt, eventId, eventSeq, eventName, eventAt, threadId }) => ({
        createdAt: new Date(createdAt),
        eventId,
        eventSeq,
        eventName,
        eventAt: new Date(eventAt),
        threadId,
      })),
  'deliveries.replay_tenant': (sources, [stitchId]: readonly string[]) => {
    const projectId = findProject(sources, stitchId ?? '');
    return projectId === undefined ? [] : [{ projectId, environmentId }];
  },
  'deliveries.spans': (
    { tables, stitches },
    [projectId, environment, stitchId]: readonly [string, string, string | null],
  ) =>
    tables.spans
      .filter(
        span =>
          span.projectId === projectId &&
          span.environmentId === environment &&
          (stitchId === null || span.stitchId === stitchId),
      )
      .map(({ stitchId: id, after, upto, eventNames, cancelledAt, inFlight }) => {
        const settledSeq = stitches().find(stitch => stitch.id === id)?.settledSeq ?? 0;
        return {
          stitchId: id,
          after: cancelledAt === null ? Math.max(after, settledSeq) : after,
          upto,
          eventNames,
          cancelledAt: cancelledAt === null ? null : new Date(cancelledAt),
          inFlight,
        };
      }),
  'deliveries.stretch_asc': (
    { log },
    [projectId, above, below, limit]: readonly [string, number, number, number],
  ) =>
    log(projectId)
      .filter(({ seq }) => seq > above && seq < below)
      .slice(0, limit)
      .map(({ body: _, ...event }) => event),
};
