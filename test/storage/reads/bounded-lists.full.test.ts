/** Lists of threads, deliveries and events with filters: see bounded-list.ts. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { ensurePartitions } from '../../../storage/retention/partitions.ts';
import {
  deliveryPage,
  deliveryStatement,
  type DeliveryFilter,
} from '../../../storage/deliveries/delivery-log.ts';
import { eventLog, logStatement, type LogFilter } from '../../../storage/events/event-log.ts';
import { chooseStatement, threadPage, type ThreadListing } from '../../../storage/reads/thread-lists.ts';
import { startTestDatabase } from '../../support/database.ts';
import { hold, maybe, newest, type List } from '../paging/bounded-list.ts';

const { database: db } = await startTestDatabase(t);
const count = 20_000;
const dayMs = 86_400_000;
const source = { db, isAnalysed: false };
const start = Date.parse('2026-11-18T12:00:00Z');
const stepMs = 8_000;
const tenant = { projectId: 'prj_1', environmentId: 'env_1' };

// Every sort of value is common, rare or nobody's; and what is rare is old, where a walk comes to it last. Two threads, and two
// deliveries, have each instant. Some rows are another environment's, and some another project's: of each as many as a walk is long, or more.
const isRare = `n in (7, 1008, 5011)`;
const mixTenants = (own: string, neighbours: string, outsiders: string): string =>
  `case when n % 10 = 3 then '${neighbours}' when n % 5 = 0 then '${outsiders}' else ${own} end`;
const project = mixTenants(`'prj_1'`, 'prj_1', 'prj_2');
const environment = mixTenants(`'env_1'`, 'env_2', 'env_9');
const ofOwn = (rare: string, common: string): string =>
  `case when ${isRare} then '${rare}' else '${common}' end`;
const instants = `select n, $1::timestamptz + n / 2 * ($2::int * interval '2 ms') as at from generate_series(1, $3::int) n`;

await ensurePartitions(db, start + dayMs, silentLog);
await db.query(
  `insert into threads (thread_id, project_id, environment_id, channel_id, status, agent_mode, assignee_user_id, tags,
     last_message_at, active_second, created_at, updated_at, updated_second, waiting_since, pending_suggestion, failed_sends,
     window_minute, snoozed_until, state, version)
   select 'thread_' || lpad((n * 7919 % $3)::text, 26, '0'), ${project}, ${environment}, ${mixTenants(ofOwn('ch_2', 'ch_1'), 'ch_8', 'ch_9')},
     case when ${isRare} then 'archived' when n % 2 = 0 then 'closed' else 'open' end,
     case when ${isRare} then 'paused' when n % 3 = 0 then 'auto' end, case when ${isRare} then 'usr_2' when n % 3 = 1 then 'usr_1' end,
     case when ${isRare} then '{vip,odd}'::text[] when n % 2 = 1 then '{vip}' else '{}' end,
     at, floor(extract(epoch from at)), $1::timestamptz + (n * 31 % $3) * interval '1 second',
     case when ${isRare} then at + interval '30 days' else at end,
     -- Some have not changed since there was the column.
     case when ${isRare} then floor(extract(epoch from at)) + 30 * 86400 when n % 4 > 0 then floor(extract(epoch from at)) end,
     case when ${isRare} or n % 4 = 2 then at - (n % 50) * interval '1 hour' end,
     case when ${isRare} or n % 900 = 1 then 'run_1' end, case when ${isRare} then 1 end,
     case when n % 3 = 2 then floor(extract(epoch from at) / 60) + 1440 end,
     case when ${isRare} or n % 700 = 1 then at end,
     case when n % 3 = 2 then jsonb_build_object('inbound', n % 7, 'window',
       jsonb_build_object('expiresAt', floor(extract(epoch from at) * 1000)::bigint + ${dayMs})) else '{}' end, 1
   from (${instants}) instants`,
  [new Date(start), stepMs, count],
);
await db.query(
  `insert into read_cursors (thread_id, user_id, project_id, environment_id, sequence, updated_at, inbound_count)
   select thread_id, 'usr_1', project_id, environment_id, 9, now(), case when ascii(right(thread_id, 1)) % 2 = 0 then 3 end from threads`,
);
const eventIds = Array.from({ length: count }, (_, i) => newId('event', start + i * stepMs));
await db.query(
  `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, thread_id, body)
   select ${project}, n, at, ($4::text[])[n], ${ofOwn('stitch.created', 'thread.message.received')}, ${environment},
     ${mixTenants(ofOwn('thread_2', 'thread_1'), 'thread_8', 'thread_9')}, '{"n":' || n || '}'
   from (${instants}) instants`,
  [new Date(start), stepMs, count, eventIds],
);
await db.query(
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
     event_at, status, trigger, updated_at)
   select skein_delivery_id(event_id, 'stitch'), occurred_at, project_id, environment_id,
     ${mixTenants(ofOwn('stitch_2', 'stitch_1'), 'stitch_8', 'stitch_9')}, event_id, n, event_name, occurred_at,
     case when ${isRare} then 'failed' when n % 900 = 1 then 'retrying' else 'delivered' end, 'scheduled', occurred_at
   from (select *, seq as n from events) events`,
);
await db.query(
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
     event_at, status, trigger, updated_at)
   select skein_delivery_id(event_id, 'again'), $1::timestamptz, project_id, environment_id, 'stitch_2', event_id, seq, event_name,
     occurred_at, 'cancelled', 'replay', $1 from events where seq in (7, 9)`,
  [new Date(start + dayMs)],
);

const minute = (n: number): string => new Date(start + n * 60_000).toISOString();

interface ThreadColumns {
  readonly threadId: string;
  readonly status: string;
  readonly agentMode: string | null;
  readonly channelId: string;
  readonly tags: readonly string[];
  readonly assignee: string | null;
  readonly lastMessageAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly waitingSince: Date | null;
  readonly pendingSuggestion: string | null;
  readonly failedSends: number | null;
  readonly snoozedUntil: Date | null;
  readonly windowMinute: number | null;
  readonly windowEnd: number | null;
  readonly unread: number;
}
const threads = await db.query<ThreadColumns>(
  `select t.thread_id as "threadId", status, agent_mode as "agentMode", channel_id as "channelId", tags, assignee_user_id as assignee,
     last_message_at as "lastMessageAt", t.created_at as "createdAt", t.updated_at as "updatedAt", waiting_since as "waitingSince",
     pending_suggestion as "pendingSuggestion", failed_sends as "failedSends", snoozed_until as "snoozedUntil", window_minute as "windowMinute",
     (t.state #>> '{window,expiresAt}')::bigint as "windowEnd",
     coalesce((t.state ->> 'inbound')::int, 0) - coalesce(c.inbound_count, 0) as unread
   from threads t join read_cursors c using (thread_id) where t.environment_id = 'env_1'`,
);
/** In the midst of the ends of windows. */
const now = start + 1.4 * dayMs;
type AskedThreads = Omit<ThreadListing, 'projectId' | 'environmentId' | 'after' | 'limit' | 'now'>;
const sorts = [
  'lastMessageAt',
  'updatedAt',
  'createdAt',
  'waitingSince',
  'windowClosesAt',
  'snoozedUntil',
] as const;
type Sort = (typeof sorts)[number];
/** What a list is sorted by; undefined: the thread is not in it. */
const place = (
  row: ThreadColumns,
  sort: Sort,
): { readonly second: number; readonly at: number } | undefined => {
  if (sort === 'windowClosesAt') {
    const { windowMinute, windowEnd, createdAt } = row;
    const isOpen = windowMinute !== null && Number(windowEnd) > now;
    return isOpen ? { second: windowMinute, at: createdAt.getTime() } : undefined;
  }
  const at = row[sort]?.getTime();
  return at === undefined ? undefined : { second: Math.floor(at / 1_000), at };
};
const orderBy = (sort: Sort): readonly ThreadColumns[] =>
  newest(
    threads.filter(row => place(row, sort) !== undefined),
    row => {
      const { second = 0, at = 0 } = place(row, sort) ?? {};
      return [second, at, row.threadId];
    },
  );
type Sorted = Readonly<Record<Sort, readonly ThreadColumns[]>>;
const newestThreads = Object.fromEntries(sorts.map(sort => [sort, orderBy(sort)])) as unknown as Sorted;
const oldestThreads = Object.fromEntries(
  sorts.map(sort => [sort, newestThreads[sort].toReversed()]),
) as unknown as Sorted;
const threadFilter = (asked: AskedThreads, after: string | undefined, limit: number): ThreadListing => {
  const row = threads.find(({ threadId }) => threadId === after);
  const position = row && place(row, asked.sort);
  return {
    ...tenant,
    ...asked,
    now,
    after: row && position && { ...position, threadId: row.threadId },
    limit,
  };
};
const before = (end: number): string => new Date(now + end).toISOString();
const threadList: List<ThreadColumns, AskedThreads> = {
  sorted: ({ sort, order }) => (order === 'asc' ? oldestThreads : newestThreads)[sort],
  matches: (row, asked) =>
    (asked.status ?? [row.status]).includes(row.status) &&
    (asked.agentMode ?? [row.agentMode]).includes(row.agentMode) &&
    (asked.channelId ?? [row.channelId]).includes(row.channelId) &&
    (asked.assigneeUserId ?? [row.assignee]).includes(row.assignee) &&
    (asked.tag === undefined || asked.tag.some(tag => row.tags.includes(tag))) &&
    (asked.updatedAfter === undefined || row.updatedAt > new Date(asked.updatedAfter)) &&
    (asked.hasPendingSuggestion ?? row.pendingSuggestion !== null) === (row.pendingSuggestion !== null) &&
    (asked.awaitingReply ?? row.waitingSince !== null) === (row.waitingSince !== null) &&
    (asked.failedSends ?? row.failedSends !== null) === (row.failedSends !== null) &&
    (asked.snoozed ?? row.snoozedUntil !== null) === (row.snoozedUntil !== null) &&
    (asked.unread?.is ?? row.unread > 0) === row.unread > 0 &&
    (asked.windowClosesBefore === undefined ||
      (row.windowEnd !== null &&
        row.windowEnd > now &&
        row.windowEnd < Date.parse(asked.windowClosesBefore))),
  idOf: row => row.threadId,
  statement: (...asked) => chooseStatement(db, threadFilter(...asked)),
  page: async (...asked) => {
    const { rows, end } = await threadPage(db, threadFilter(...asked));
    return { rows: rows.map(({ threadId }) => threadId), end: end?.threadId };
  },
  filters: fc.record({
    status: maybe(['open'], ['closed'], ['archived'], ['open', 'archived'], ['closed', 'archived', 'closed']),
    agentMode: maybe(['auto'], ['paused'], ['suggest'], [null], ['paused', null], ['auto', 'paused']),
    channelId: maybe(['ch_1'], ['ch_2'], ['ch_3'], ['ch_8', 'ch_2'], ['ch_1', 'ch_2'], ['ch_9']),
    assigneeUserId: maybe(['usr_1'], ['usr_2'], ['usr_3'], [null], ['usr_2', null], ['usr_2', 'usr_1']),
    tag: maybe(['vip'], ['odd'], ['none'], ['none', 'odd']),
    updatedAfter: maybe(minute(1), minute(2_600), minute(10_000), minute(90_000)),
    hasPendingSuggestion: maybe(true, false),
    awaitingReply: maybe(true, false),
    failedSends: maybe(true, false),
    snoozed: maybe(true, false),
    unread: maybe({ userId: 'usr_1', is: true }, { userId: 'usr_1', is: false }),
    windowClosesBefore: maybe(before(0), before(7_230_000), before(dayMs)),
    sort: fc.constantFrom(...sorts),
    order: maybe('asc', 'desc'),
  }),
  nobody: sorts.flatMap(sort =>
    [
      { agentMode: ['suggest'] },
      { channelId: ['ch_3'] },
      { assigneeUserId: ['usr_3'] },
      { tag: ['none'] },
      { updatedAfter: minute(90_000) },
      { status: ['archived'], tag: ['none'] },
      { windowClosesBefore: minute(0) },
      { awaitingReply: false, hasPendingSuggestion: true, failedSends: true },
    ].flatMap(asked => [
      { ...asked, sort },
      { ...asked, sort, order: 'asc' as const },
    ]),
  ),
  foreign: sorts.flatMap(sort =>
    ['ch_8', 'ch_9'].map(
      channelId =>
        [
          { channelId: [channelId], sort },
          { channelId: ['ch_3'], sort },
        ] as const,
    ),
  ),
};

interface DeliveryColumns {
  readonly deliveryId: string;
  readonly createdAt: Date;
  readonly stitchId: string;
  readonly status: string;
  readonly eventId: string;
  readonly eventName: string;
}
const deliveries = newest(
  await db.query<DeliveryColumns>(
    `select delivery_id as "deliveryId", created_at as "createdAt", stitch_id as "stitchId", status, event_id as "eventId",
       event_name as "eventName" from webhook_deliveries where environment_id = 'env_1'`,
  ),
  row => [row.createdAt.getTime(), row.deliveryId],
);
type AskedDeliveries = Omit<DeliveryFilter, 'projectId' | 'environmentId' | 'before' | 'limit'>;
const deliveryFilter = (asked: AskedDeliveries, after: string | undefined, limit: number): DeliveryFilter => {
  const row = deliveries.find(({ deliveryId }) => deliveryId === after);
  const before = row && { row: { at: row.createdAt.getTime(), deliveryId: row.deliveryId }, seq: 0 };
  return { ...tenant, ...asked, before, limit };
};
const deliveryList: List<DeliveryColumns, AskedDeliveries> = {
  sorted: () => deliveries,
  matches: (row, asked) =>
    (asked.status ?? row.status) === row.status &&
    (asked.stitchId ?? row.stitchId) === row.stitchId &&
    (asked.eventId ?? row.eventId) === row.eventId &&
    (asked.eventName ?? row.eventName) === row.eventName &&
    (asked.since === undefined || row.createdAt >= new Date(asked.since)) &&
    (asked.until === undefined || row.createdAt < new Date(asked.until)),
  idOf: row => row.deliveryId,
  statement: (...asked) => deliveryStatement(deliveryFilter(...asked)),
  page: async (...asked) => {
    const { rows, end } = await deliveryPage(db, deliveryFilter(...asked));
    return { rows: rows.map(({ deliveryId }) => deliveryId), end: end?.row?.deliveryId };
  },
  filters: fc.record({
    status: maybe('delivered', 'retrying', 'failed', 'cancelled', 'pending'),
    stitchId: maybe('stitch_1', 'stitch_2', 'stitch_3', 'stitch_8', 'stitch_9'),
    eventId: maybe(eventIds[6], eventIds[9_000], newId('event')),
    eventName: maybe('thread.message.received', 'stitch.created', 'channel.created'),
    since: maybe(minute(1), minute(2_600), minute(10_000)),
    until: maybe(minute(1), minute(2_600), minute(10_000)),
  }),
  nobody: [
    { status: 'pending' },
    { status: 'cancelled', stitchId: 'stitch_1' },
    { stitchId: 'stitch_3' },
    { eventId: newId('event') },
    { eventName: 'channel.created' },
    { until: minute(0) },
  ],
  foreign: [
    [{ stitchId: 'stitch_8' }, { stitchId: 'stitch_3' }],
    [{ stitchId: 'stitch_9' }, { stitchId: 'stitch_3' }],
    [{ eventId: eventIds[2] }, { eventId: newId('event') }],
    [{ eventId: eventIds[9] }, { eventId: newId('event') }],
  ],
};

interface EventColumns {
  readonly seq: number;
  readonly eventName: string;
  readonly environmentId: string;
  readonly threadId: string;
  readonly at: Date;
}
const events = await db.query<EventColumns>(
  `select seq, event_name as "eventName", environment_id as "environmentId", thread_id as "threadId", occurred_at as at from events
   where project_id = 'prj_1' order by seq desc`,
);
const isOwn = ({ environmentId }: EventColumns): boolean => environmentId === tenant.environmentId;
const ownEvents = events.filter(isOwn);
type AskedEvents = Pick<LogFilter, 'eventName' | 'threadId' | 'since' | 'maxBytes'>;
const logFilter = (asked: AskedEvents, after: string | undefined, limit: number): LogFilter => ({
  ...tenant,
  ...asked,
  eventNames: [...new Set(events.map(({ eventName }) => eventName))],
  limit,
  before: after === undefined ? undefined : Number(after),
});
const eventList: List<EventColumns, AskedEvents> = {
  sorted: ({ threadId }) => (threadId === undefined ? events : ownEvents),
  matches: (row, { eventName = row.eventName, threadId = row.threadId, since = row.at }) =>
    (eventName.endsWith('*')
      ? row.eventName.startsWith(eventName.slice(0, -1))
      : row.eventName === eventName) &&
    row.threadId === threadId &&
    isOwn(row) &&
    row.at >= since,
  idOf: ({ seq }) => String(seq),
  statement: (...asked) => logStatement(logFilter(...asked)),
  page: async (...asked) => {
    const { rows, end } = await eventLog(db, logFilter(...asked));
    return { rows: rows.map(({ seq }) => String(seq)), end: end && String(end.seq) };
  },
  filters: fc.record({
    eventName: maybe('thread.message.received', 'thread.*', 'stitch.created', 'stitch.*', 'channel.created'),
    threadId: maybe('thread_1', 'thread_2', 'thread_3', 'thread_8', 'thread_9'),
    since: maybe(new Date(start), new Date(start + dayMs), new Date(start + 10 * dayMs)),
    // Some 500 bodies, or all.
    maxBytes: fc.constantFrom(5_000, 4_194_304),
  }),
  nobody: [{ eventName: 'channel.created' }, { eventName: 'channel.*' }, { threadId: 'thread_3' }],
  foreign: ['thread_8', 'thread_9'].flatMap(threadId =>
    [{}, { eventName: 'thread.*' }, { since: new Date(start) }].map(
      asked =>
        [
          { ...asked, threadId },
          { ...asked, threadId: 'thread_3' },
        ] as const,
    ),
  ),
};

for (const known of [false, true]) {
  t.test(`of tables that ${known ? 'were analysed' : 'the planner knows nothing of'}`, async t => {
    source.isAnalysed = known;
    if (known) await db.query('analyze threads, events, webhook_deliveries');
    const runs = known ? 6 : 2;
    await t.test('threads', t => hold(t, source, threadList, runs));
    await t.test('deliveries', t => hold(t, source, deliveryList, runs));
    await t.test('events', t => hold(t, source, eventList, runs));
  });
}
