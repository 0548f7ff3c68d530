/** Usage. */
import type { Operation } from '../operation.ts';
import { createList, ListUsageQuery, Usage } from '../resources/index.ts';
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
} as const satisfies Record<string, Operation>;
