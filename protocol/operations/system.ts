/** The service as a whole, for those who operate it. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { Accepted, createList, ListQuery, System, SystemDeadLetter } from '../resources/index.ts';
import { absent, always, checked, paged, signedIn } from './rules.ts';

const tag = 'System';
/** A number of the database. */
const oneLetter = Type.Object({ deadLetterId: Type.String({ pattern: '^[1-9][0-9]{0,17}$' }) });

export const systemOperations = {
  getSystem: {
    method: 'GET',
    path: '/studio/system',
    tag,
    summary: 'Read how the service does: what is sick, nodes, shards, mailboxes, webhooks that lag',
    description:
      'For users whose verified e-mail address is in INSTANCE_ADMINS; for everybody else it does not exist (404). The node that is asked asks all others, which have a second to answer. Figures are those of `/metrics`, and faults those of the alerts, by their names and thresholds. It holds ids and numbers of all tenants, and nothing that they have written.',
    auth: 'user',
    success: { status: 200, body: System },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  listDeadLetters: {
    method: 'GET',
    path: '/studio/system/dead-letters',
    tag,
    summary: 'List the work of the service that was given up for good',
    description:
      'For users whose verified e-mail address is in INSTANCE_ADMINS; 404 for everybody else. The newest first. It shows whose work it was and how the error begins, and nothing that a tenant has written.',
    auth: 'user',
    query: ListQuery,
    success: { status: 200, body: createList(SystemDeadLetter) },
    errors: [...always, ...paged, ...signedIn, ...absent],
    rate: 'read',
    idempotency: 'none',
  },
  runDeadLetter: {
    method: 'POST',
    path: '/studio/system/dead-letters/{deadLetterId}/run',
    tag,
    summary: 'Run work that was given up again',
    description:
      'For users whose verified e-mail address is in INSTANCE_ADMINS; 404 for everybody else. The work runs within seconds, on the node that owns its actor, and is no dead letter any more; it becomes a new one if it is refused again. Work that this release does not know, or whose contents were erased, cannot run (409).',
    auth: 'user',
    params: oneLetter,
    success: { status: 200, body: Accepted },
    errors: [...always, ...checked, ...signedIn, ...absent, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'none',
    repeatEffect: 'The dead letter exists once: a repeated request finds it gone (404).',
  },
  deleteDeadLetter: {
    method: 'DELETE',
    path: '/studio/system/dead-letters/{deadLetterId}',
    tag,
    summary: 'Delete work that was given up, without running it',
    description: 'For users whose verified e-mail address is in INSTANCE_ADMINS; 404 for everybody else.',
    auth: 'user',
    params: oneLetter,
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...absent],
    rate: 'write',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
