/** The statements with which production reads what to replay of a stitch (storage/deliveries/replays.ts, replayed-log.ts, unrecorded.ts). */
import { matchesEventNames } from '../../protocol/events.ts';
import type { DeliverySources, LogEntry, Query, Row } from './delivery-sources.ts';
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
    return [{ lastAt: last === undefined ? null : new Date(last.createdAt) }];
  };

type ReplayValues = readonly [
  stitchId: string,
  afterAt: string,
  afterSeq: number,
  until: string,
  above: number,
  upto: number,
  names: readonly string[],
  limit: number,
  end?: Date | string,
  statuses?: readonly string[],
];

const findRows =
  (status?: string) =>
  (
    sources: DeliverySources,
    [stitchId, afterAt, afterSeq, until, above, upto, names, limit, end = until, statuses = []]: ReplayValues,
  ): readonly Row[] => {
    const meant = status === undefined ? statuses : [status];
    return listRows(sources, findProject(sources, stitchId))
      .filter(row => {
        const at = Date.parse(row.createdAt);
        const isBehind = at > Date.parse(afterAt) || (at === Date.parse(afterAt) && row.eventSeq > afterSeq);
        const isBefore = at < Date.parse(until) && at <= new Date(end).getTime();
        const isInRange = isBehind && isBefore && row.eventSeq > above && row.eventSeq <= upto;
        const isOwn = row.stitchId === stitchId && row.trigger === 'scheduled';
        const isMeant = meant.length === 0 || meant.includes(row.status);
        return isOwn && isInRange && isMeant && matchesEventNames(names, row.eventName);
      })
      .slice(0, limit)
      .map(({ createdAt, eventId, eventSeq, eventName, eventAt, threadId }) => ({
        createdAt: new Date(createdAt),
        eventId,
        eventSeq,
        eventName,
        eventAt: new Date(eventAt),
        threadId,
      }));
  };

type LogValues = readonly [projectId: string, above: number, upto: number, since: string, until: string];

/** Of the events behind `above`, up to `upto`, those of the span of time. */
function findLogged(
  { log }: DeliverySources,
  [projectId, above, upto, since, until]: LogValues,
): readonly LogEntry[] {
  return log(projectId).filter(({ seq, occurredAt }) => {
    const at = occurredAt.getTime();
    return seq > above && seq <= upto && at >= Date.parse(since) && at < Date.parse(until);
  });
}

export const replayQueries: Readonly<Record<string, Query>> = {
  'deliveries.replay_stretch': findStretch((at, from) => at >= from),
  'deliveries.replay_stretch_behind': findStretch((at, from) => at > from),
  'deliveries.replay': findRows(),
  'deliveries.replay_failed': findRows('failed'),
  'deliveries.open_part': (sources, [stitchId]: readonly string[]) => {
    const stitch = sources.stitches().find(({ id }) => id === stitchId);
    if (stitch === undefined) return [];
    const head = sources.tables.getStream(stitch.projectId).lastSeq;
    const spans = sources.tables.spans.filter(span => span.stitchId === stitchId);
    if (spans.length === 0) return [{ head, after: head, upto: head }];
    const after = Math.min(
      ...spans.map(span =>
        span.cancelledAt === null ? Math.max(span.after, stitch.settledSeq) : span.after,
      ),
    );
    return [{ head, after, upto: Math.max(...spans.map(({ upto }) => upto ?? head)) }];
  },
  'deliveries.replay_statuses': ({ tables }, [ids, from, to]: readonly [readonly string[], Date, Date]) =>
    ids.flatMap(id => {
      const row = tables.deliveries.get(id);
      const at = Date.parse(row?.createdAt ?? '');
      return row !== undefined && at >= from.getTime() && at <= to.getTime()
        ? [{ id, status: row.status }]
        : [];
    }),
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
          head: tables.getStream(projectId).lastSeq,
        };
      }),
  'deliveries.replay_log_first': (sources, values: LogValues) =>
    findLogged(sources, values)
      .slice(0, 1)
      .map(({ seq }) => ({ seq })),
  'deliveries.replay_log': (sources, values: LogValues) =>
    findLogged(sources, values).map(({ body: _, ...event }) => event),
};
