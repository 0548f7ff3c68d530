/** Usage. */
import type { Operation } from '../operation.ts';
import { createList, ListModelPricesQuery, ListUsageQuery, ModelPrice, Usage } from '../resources/index.ts';
import { access, listing } from './rules.ts';

export const usageOperations = {
  listUsage: {
    method: 'GET',
    path: '/usage',
    tag: 'Usage',
    summary: 'Read the usage of an environment: messages, webhooks, agent runs, tokens',
    description:
      'Grouped by UTC day, agent, channel, model or provider, and sorted by that; groups without usage are left out. At most 366 days. Messages are counted by day and by channel, webhooks by day. An agent run belongs to the channel of its thread.',
    auth: 'project',
    access: access.readUsage,
    query: ListUsageQuery,
    success: { status: 200, body: createList(Usage) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
  listModelPrices: {
    method: 'GET',
    path: '/usage/prices',
    tag: 'Usage',
    summary: 'List the prices of models by which runs are priced',
    description:
      'The list comes with the service and is the same for all; nothing is fetched. By provider and model. With `inUse` the models of the active versions of the looms of the environment, also those that the list does not have: their prices are null, their runs have no cost, and they never use up a budget.',
    auth: 'project',
    access: access.readAgents,
    query: ListModelPricesQuery,
    success: { status: 200, body: createList(ModelPrice) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
