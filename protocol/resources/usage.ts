/** Usage. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { providers } from './byok.ts';
import { choice, id, nullable, optional, resource, text } from './fields.ts';
import { page, scope } from './list.ts';

export const usageGroupings = ['day', 'agent', 'channel', 'model', 'provider'] as const;
export type UsageGrouping = (typeof usageGroupings)[number];

/** The longest period, in days. */
export const maxUsageDays = 366;

const count = () => Type.Integer({ minimum: 0 });

/** The usage of an environment in one group, which has one of `day`, `agentId`, `channelId`, `model` and `provider`. */
export const Usage = resource('Usage', {
  day: optional(Type.String({ format: 'date' })),
  /** Null for runs without an agent. */
  agentId: optional(nullable(id('agent'))),
  /** Null for what belongs to no channel, and where it is not known any more. */
  channelId: optional(nullable(id('channel'))),
  model: optional(Type.String()),
  provider: optional(choice(providers)),
  /** Messages are counted by day and by channel. */
  messagesInbound: optional(count()),
  messagesOutbound: optional(count()),
  /** Webhooks are counted by day: those that were delivered, and the requests that it took. */
  deliveries: optional(count()),
  deliveryAttempts: optional(count()),
  agentRuns: count(),
  toolCalls: count(),
  promptTokens: count(),
  completionTokens: count(),
  totalTokens: count(),
  estimatedCostMicros: count(),
});
export type Usage = Static<typeof Usage>;
/** A row whose grouping is not known yet. */
export type UsageRow = Required<Usage>;

export const ListUsageQuery = Type.Object({
  ...scope,
  /** UTC days, both inclusive; by default the last 30. */
  from: optional(Type.String({ format: 'date' })),
  to: optional(Type.String({ format: 'date' })),
  groupBy: optional(choice(usageGroupings, { default: 'day' })),
  ...page,
});

const price = () => nullable(Type.Integer({ minimum: 0 }));

/** What a model costs, in millionths of a US dollar for a million tokens. All prices are null where the list does not have the model. */
export const ModelPrice = resource('ModelPrice', {
  provider: choice(providers),
  model: Type.String(),
  inputMicros: price(),
  outputMicros: price(),
  /** Of input that the provider has kept from before, and of input that it keeps; null: as other input. */
  cacheReadMicros: price(),
  cacheWriteMicros: price(),
  /** Requests with more tokens than this cost the prices after it; null: all cost the same. */
  longFromTokens: price(),
  longInputMicros: price(),
  longOutputMicros: price(),
  /** The day of the price list. */
  asOf: Type.String({ format: 'date' }),
  /** Where the provider publishes its prices; null: the list does not say. */
  source: nullable(Type.String({ format: 'uri' })),
});
export type ModelPrice = Static<typeof ModelPrice>;

export const ListModelPricesQuery = Type.Object({
  ...scope,
  provider: optional(choice(providers)),
  /** A part of the name, or a name as a loom has it, which may be longer than that of the list. */
  model: optional(text(1, 256)),
  inUse: optional(Type.Boolean({ default: false })),
  ...page,
});
