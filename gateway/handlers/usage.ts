/** Usage (messages, webhooks, runs and tokens by day, agent, channel, model or provider), and budgets. */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { budgetOperations, usageOperations } from '../../protocol/operations/index.ts';
import {
  defaultPageSize,
  maxUsageDays,
  type Usage,
  type UsageGrouping,
} from '../../protocol/resources/index.ts';
import type { BudgetSettings } from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { toPage, type Cursors } from '../../storage/paging/index.ts';
import { usagePage, type UsageRecord } from '../../storage/usage/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { createAuditContext } from './caller.ts';
import { requireScope } from './tenant-scope.ts';

const dayMs = 86_400_000;
/** How many days are shown when the request names none. */
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
      const { from, to } = parseDays(call.query, call.now);
      const scope = `usage ${projectId} ${environmentId} ${from} ${to} ${groupBy}`;
      const after = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const span = { projectId, environmentId, from, to, groupBy, after };
      const rows = await usagePage(database, { ...span, limit: limit + 1 });
      const { data, ...rest } = toPage(rows, limit, last => cursors.encode(scope, [last.key]));
      return { body: { data: data.map(row => shown(row, groupBy)), ...rest } };
    },
  };
}

/** The first and the last day requested, both inclusive; 422 where the last is before the first or the span is too long. */
function parseDays(
  { from, to }: { readonly from?: string; readonly to?: string },
  now: number,
): { readonly from: string; readonly to: string } {
  const last = to ?? toDay(now);
  const first = from ?? toDay(Math.max(Date.parse(last) - (usualDays - 1) * dayMs, earliest));
  const days = (Date.parse(last) - Date.parse(first)) / dayMs + 1;
  if (days >= 1 && days <= maxUsageDays) return { from: first, to: last };
  const message = days < 1 ? 'must not be after `to`' : `must be at most ${maxUsageDays} days before \`to\``;
  throw invalid([{ path: '/query/from', message, code: 'span' }]);
}

/** The first day that is written with ten characters. */
const earliest = Date.parse('0001-01-01');

function toDay(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function shown(
  { key, messagesInbound, messagesOutbound, deliveries, deliveryAttempts, ...used }: UsageRecord,
  by: UsageGrouping,
): Usage {
  switch (by) {
    case 'day':
      return { day: key, messagesInbound, messagesOutbound, deliveries, deliveryAttempts, ...used };
    case 'agent':
      return { agentId: key === '' ? null : key, ...used };
    case 'channel':
      return { channelId: key === '' ? null : key, messagesInbound, messagesOutbound, ...used };
    case 'model':
      return { model: key, ...used };
    case 'provider':
      return { provider: key as NonNullable<Usage['provider']>, ...used };
  }
}

export function budgetHandlers(settings: BudgetSettings): Handlers<typeof budgetOperations> {
  return {
    getBudgets: async call => ({ body: await settings.get(requireScope(call), call.now) }),

    setBudgets: async call => {
      const { projectId, environmentId } = requireScope(call);
      const {
        perRunMicros = null,
        perThreadMicros = null,
        perProjectDayMicros = null,
        onExceeded,
      } = call.body;
      const limits = { perRunMicros, perThreadMicros, perProjectDayMicros, onExceeded };
      return {
        body: await settings.set({ projectId, environmentId, ...limits, ...createAuditContext(call) }),
      };
    },
  };
}
