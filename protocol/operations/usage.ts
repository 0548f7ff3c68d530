/** [+] Usage (decisions sections 2 and 3). */
import type { Operation } from '../operation.ts';
import { listOf } from '../resources/list.ts';
import { ListUsageQuery, Usage } from '../resources/usage.ts';
import { access, listing } from './rules.ts';

export const usageOperations = {
  listUsage: {
    method: 'GET',
    path: '/usage',
    tag: 'Usage',
    summary: 'What an environment used: messages, agent runs, tokens',
    description:
      'By day of UTC, agent, model or provider, in the order of these; groups without use are left out. At most 366 days.',
    auth: 'project',
    access: access.readUsage,
    query: ListUsageQuery,
    success: { status: 200, body: listOf(Usage) },
    errors: listing,
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
