/** How many threads wait in each queue of an inbox: each is counted by an index of its own, and no further than is shown. */
import { closingWindowMs, maxQueueCount, type Queues } from '../../protocol/resources/index.ts';
import type { Database, TenantScope } from '../database/index.ts';
import { countUnread, toQueueCount } from './mentions.ts';
import { windowEnd } from './thread-filters.ts';

/** Not of queues that wait for something else than an answer: a suggestion, a window or a failed message does not sleep with its thread. */
const isAwake = 't.snoozed_until is null';

/** `$1`, `$2`: project and environment; `$3`: the user, or null; `$4`: now, in epoch milliseconds. */
const queues = {
  mine: `t.status = 'open' and t.assignee_user_id is not null and t.assignee_user_id = $3 and ${isAwake}`,
  unassigned: `t.status = 'open' and t.assignee_user_id is null and ${isAwake}`,
  allOpen: `t.status = 'open' and ${isAwake}`,
  needsApproval: 't.pending_suggestion is not null',
  waitingLongest: `t.waiting_since is not null and ${isAwake}`,
  windowClosing: `t.window_minute between $4::bigint / 60000 and ($4::bigint + ${closingWindowMs}) / 60000
    and ${windowEnd} > $4::bigint and ${windowEnd} < $4::bigint + ${closingWindowMs}`,
  failedSends: 't.failed_sends is not null',
  paused: `t.status = 'open' and t.agent_mode is not null and t.agent_mode = 'paused'`,
  closed: `t.status = 'closed'`,
  snoozed: 't.snoozed_until is not null',
} as const;

const inTenant = 't.project_id = $1 and t.environment_id = $2';
const counts = Object.entries(queues).map(
  ([name, condition]) => `(select count(*)::int from (
    select from threads t where ${inTenant} and ${condition} limit ${maxQueueCount + 1}) q) as "${name}"`,
);
const countQueues = `select ${counts.join(', ')}, (
  select t.waiting_since from threads t where ${inTenant} and ${queues.waitingLongest} order by t.waiting_since limit 1
) as "oldestWaitingSince", (${countUnread('$3', '$1', '$2')}) as mentions`;

type Counts = Readonly<Record<keyof typeof queues, number>> & {
  readonly oldestWaitingSince: Date | null;
  readonly mentions: number;
};

/** @param now epoch milliseconds */
export async function readQueues(
  db: Pick<Database, 'scan'>,
  { projectId, environmentId }: TenantScope,
  userId: string | null,
  now: number,
): Promise<Queues['queues']> {
  const [row] = await db.scan<Counts>(projectId, countQueues, [projectId, environmentId, userId, now]);
  if (row === undefined) throw new Error('a row without a table is always there');
  return {
    mine: toQueueCount(row.mine),
    unassigned: toQueueCount(row.unassigned),
    allOpen: toQueueCount(row.allOpen),
    needsApproval: toQueueCount(row.needsApproval),
    waitingLongest: {
      ...toQueueCount(row.waitingLongest),
      oldestWaitingSince: row.oldestWaitingSince?.toISOString() ?? null,
    },
    windowClosing: toQueueCount(row.windowClosing),
    failedSends: toQueueCount(row.failedSends),
    paused: toQueueCount(row.paused),
    closed: toQueueCount(row.closed),
    snoozed: toQueueCount(row.snoozed),
    mentions: toQueueCount(row.mentions),
  };
}
