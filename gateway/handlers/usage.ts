/** Usage (messages, webhooks, runs and tokens by day, agent, channel, model or provider), and budgets. */
import { findPrice, listPrices } from '../../actors/run/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import type { budgetOperations, usageOperations } from '../../protocol/operations/index.ts';
import {
  defaultPageSize,
  maxUsageDays,
  type ModelPrice,
  providers,
  type Usage,
  type UsageGrouping,
} from '../../protocol/resources/index.ts';
import { type BudgetSettings, listUsedModels } from '../../storage/agents/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type Cursors, cutPage, toPage } from '../../storage/paging/index.ts';
import { usagePage, type UsageRecord } from '../../storage/usage/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
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
      const { data, ...rest } = toPage(cutPage(rows, limit), last => cursors.encode(scope, [last.key]));
      return { body: { data: data.map(row => shown(row, groupBy)), ...rest } };
    },

    listModelPrices: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { provider, model, inUse = false, cursor, limit = defaultPageSize } = call.query;
      const filters = JSON.stringify([provider, model, inUse]);
      const scope = `model prices ${projectId} ${environmentId} ${filters}`;
      const [lastProvider = '', lastModel = ''] =
        cursor === undefined ? [] : cursors.decode(scope, cursor).map(String);
      const rows = (await findPrices(database, call))
        .filter(
          each => each.provider > lastProvider || (each.provider === lastProvider && each.model > lastModel),
        )
        .slice(0, limit + 1);
      return {
        body: toPage(cutPage(rows, limit), last => cursors.encode(scope, [last.provider, last.model])),
      };
    },
  };
}

/** The models of the list, or those that are in use, as the filters say; sorted, each once. */
async function findPrices(
  database: Pick<Database, 'query'>,
  { query, now, project }: Call<(typeof usageOperations)['listModelPrices']>,
): Promise<readonly ModelPrice[]> {
  const { provider, model = '', inUse = false } = query;
  const all = inUse
    ? (await listUsedModels(database, requireScope({ project }))).map(used =>
        findPrice(used.provider, used.model, now),
      )
    : listPrices(now);
  const ofProvider = all.filter(each => provider === undefined || each.provider === provider);
  if (model === '') return ofProvider;
  const wanted = model.toLowerCase();
  const named = ofProvider.filter(each => each.model.toLowerCase().includes(wanted));
  if (inUse) return named;
  // A name as a loom has it, with a date at its end: what the list has for it.
  const meant = providers
    .filter(each => provider === undefined || each === provider)
    .filter(each => !named.some(other => other.provider === each && other.model.toLowerCase() === wanted))
    .map(each => findPrice(each, model, now))
    .filter(({ inputMicros }) => inputMicros !== null);
  return [...named, ...meant].sort((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
}

const toKey = ({ provider, model }: ModelPrice): string => `${provider} ${model}`;

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
