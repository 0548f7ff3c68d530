/** A version of a loom, tried before it answers anybody. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import { id, LoomTrial, TryLoomBody } from '../resources/index.ts';
import { access, repeatable, writing } from './rules.ts';

export const loomTrialOperations = {
  tryLoom: {
    method: 'POST',
    path: '/looms/{loomId}/try',
    tag: 'Looms',
    summary: 'Try a version on a stored thread or on typed messages; nothing is sent, stored or called',
    description:
      'The model is asked as in a run, with the key of the version, and the answer waits for it. Tools are not called: a call has the result of the same call (tool and arguments) in the newest run of the thread that made it, else one of `toolResults`, else the model is told that nothing was called. The thread and its runs stay as they are, and no event is made. Tokens and cost count for usage and for the budgets of a run and of a day. A trial has 8 steps at most; one that fails is answered 200 with `status: failed`.',
    auth: 'project',
    access: access.tryLooms,
    params: Type.Object({ loomId: id('loom') }),
    body: TryLoomBody,
    success: { status: 200, body: LoomTrial },
    errors: [...writing, ...repeatable],
    rate: 'run',
    idempotency: 'accepted',
  },
} as const satisfies Record<string, Operation>;
