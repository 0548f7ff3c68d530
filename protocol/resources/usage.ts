/** [+] Usage (decisions section 2). */
import Type from 'typebox';
import type { Static } from 'typebox';
import { providers } from './byok.ts';
import { choice, id, nullable, optional, resource } from './fields.ts';
import { page, scope } from './list.ts';

export const usageGroupings = ['day', 'agent', 'model', 'provider'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

/** Longest span of days. */
export const maxUsageDays = 366;

const count = () => Type.Integer({ minimum: 0 });

/** What one environment used, in one group: of `day`, `agentId`, `model` and `provider` only what it is grouped by is there. */
export const Usage = resource('Usage', {
  day: optional(Type.String({ format: 'date' })),
  /** Null: runs of no agent. */
  agentId: optional(nullable(id('agent'))),
  model: optional(Type.String()),
  provider: optional(choice(providers)),
  /** Messages are counted by day: in other groupings they are absent. */
  messagesInbound: optional(count()),
  messagesOutbound: optional(count()),
  agentRuns: count(),
  toolCalls: count(),
  promptTokens: count(),
  completionTokens: count(),
  totalTokens: count(),
  estimatedCostMicros: count(),
});
export type Usage = Static<typeof Usage>;
/** A row before it is told by what it was grouped. */
export type UsageRow = Required<Usage>;

export const ListUsageQuery = Type.Object({
  ...scope,
  /** Days of UTC, both inclusive; the last 30 when absent. */
  from: optional(Type.String({ format: 'date' })),
  to: optional(Type.String({ format: 'date' })),
  groupBy: optional(choice(usageGroupings, { default: 'day' })),
  ...page,
});
