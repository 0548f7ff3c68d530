/** The same change of many threads. */
import type { Operation } from '../operation.ts';
import { BulkBody, BulkResults } from '../resources/index.ts';
import { access, repeatable, writing } from './rules.ts';

export const bulkOperations = {
  changeThreads: {
    method: 'POST',
    path: '/threads/bulk',
    tag: 'Threads',
    summary: 'Change up to 100 threads, each by itself',
    description:
      'Each thread is changed as by the operation for one, and has its result: `failed`, with the error, is a thread that stayed as it was, also one that there is not. `addTags` and `removeTags` need `tags`, `assign` needs `userId`, `setAgentMode` needs `agentMode`, `snooze` needs `snoozedUntil` (null wakes). `expectedSequences` has for any of the threads the `sequence` that you have seen, as `expectedSequence` of the operation for one. Also 404 for a user who may not answer. It counts towards the quota as often as there are threads. Repeated with its Idempotency-Key, it does nothing twice, and tries again what failed with 429 or 5xx.',
    auth: 'project',
    access: access.writeThreads,
    body: BulkBody,
    success: { status: 200, body: BulkResults },
    errors: [...writing, ...repeatable],
    rate: 'bulk',
    idempotency: 'accepted',
  },
} as const satisfies Record<string, Operation>;
