/** The service as a whole, for those who operate it. */
import type { Operation } from '../operation.ts';
import { System } from '../resources/index.ts';
import { absent, always, checked, signedIn } from './rules.ts';

export const systemOperations = {
  getSystem: {
    method: 'GET',
    path: '/studio/system',
    tag: 'System',
    summary: 'Read how the service does: what is sick, nodes, shards, mailboxes, webhooks that lag',
    description:
      'For users whose verified e-mail address is in INSTANCE_ADMINS; for everybody else it does not exist (404). The node that is asked asks all others, which have a second to answer. Figures are those of `/metrics`, and faults those of the alerts, by their names and thresholds. It holds ids and numbers of all tenants, and nothing that they have written.',
    auth: 'user',
    success: { status: 200, body: System },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
