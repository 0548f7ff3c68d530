/** [+] Usage (decisions section 2). */
import { invalid, notFound } from '../../../protocol/errors.ts';
import type { usageOperations } from '../../../protocol/operations/usage.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import { maxUsageDays, type Usage, type UsageGrouping } from '../../../protocol/resources/usage.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { usagePage, type UsageRecord } from '../../../storage/reads/usage.ts';
import type { Handlers } from '../handler.ts';

const dayMs = 86_400_000;
/** Days that are told when the request names none. */
const usualDays = 30;

export function usageHandlers(
  database: Pick<Database, 'query'>,
  cursors: Cursors,
): Handlers<typeof usageOperations> {
  return {
    listUsage: async call => {
      if (call.project === undefined) throw notFound();
      const { projectId, environmentId } = call.project;
      const { groupBy = 'day', cursor, limit = defaultPageSize } = call.query;
      const { from, to } = daysOf(call.query, call.now);
      const scope = `usage ${projectId} ${environmentId} ${from} ${to} ${groupBy}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const span = { projectId, environmentId, from, to, groupBy, after };
      const rows = await usagePage(database, { ...span, limit: limit + 1 });
      const { data, ...rest } = page(rows, limit, last => cursors.encode(scope, [last.key]));
      return { body: { data: data.map(row => shown(row, groupBy)), ...rest } };
    },
  };
}

/** The days asked for, both inclusive; 422 where they make no span. */
function daysOf(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: number,
): { readonly from: string; readonly to: string } {
  const last = to ?? dayOf(now);
  const first = from ?? dayOf(Math.max(Date.parse(last) - (usualDays - 1) * dayMs, earliest));
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  if (days >= 1 && days <= maxUsageDays) return { from: first, to: last };
  const message = days < 1 ? 'must not be after `to`' : `must be at most ${maxUsageDays} days before \`to\``;
  throw invalid([{ path: '/query/from', message, code: 'span' }]);
}

/** The first day that has a name of ten characters. */
const earliest = Date.parse('0001-01-01');

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function shown({ key, messagesInbound, messagesOutbound, ...used }: UsageRecord, by: UsageGrouping): Usage {
  switch (by) {
    case 'day':
      return { day: key, messagesInbound, messagesOutbound, ...used };
    case 'agent':
      return { agentId: key === '' ? null : key, ...used };
    case 'model':
      return { model: key, ...used };
    case 'provider':
      return { provider: key as NonNullable<Usage['provider']>, ...used };
  }
}
