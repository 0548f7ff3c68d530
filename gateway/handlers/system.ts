/** The service as a whole, for those who operate it. */
import { conflict, notFound } from '../../protocol/errors.ts';
import type { systemOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize, type SystemDeadLetter } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type Cursors, cutPage, toPage } from '../../storage/paging/index.ts';
import {
  type DeadLetterRow,
  deleteDeadLetter,
  findDeadCommand,
  listDeadLetters,
  runDeadLetter,
} from '../../storage/system/index.ts';
import type { InstanceAdmins } from '../auth/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import type { SystemReader } from '../system/index.ts';
import { requireUser } from './caller.ts';

export interface SystemServices {
  readonly system: Pick<SystemReader, 'read'>;
  readonly instanceAdmins: Pick<InstanceAdmins, 'has'>;
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'findShard'>;
  readonly cursors: Cursors;
  readonly clock: Clock;
  readonly log: Log;
}

export function systemHandlers(services: SystemServices): Handlers<typeof systemOperations> {
  const { system, instanceAdmins, database, cursors, log } = services;
  const requireAdmin = (call: Parameters<typeof requireUser>[0]) => {
    const user = requireUser(call);
    if (!instanceAdmins.has(user)) throw notFound();
    return user;
  };
  return {
    getSystem: async call => {
      requireAdmin(call);
      return { body: await system.read() };
    },

    listDeadLetters: async call => {
      requireAdmin(call);
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = 'dead-letters';
      const before = cursor === undefined ? undefined : String(cursors.decode(scope, cursor)[0]);
      const rows = await listDeadLetters(database, before, limit + 1);
      const page = toPage(cutPage(rows, limit), ({ deadLetterId }) => cursors.encode(scope, [deadLetterId]));
      return { body: { ...page, data: page.data.map(toDeadLetter) } };
    },

    runDeadLetter: async call => {
      const { userId } = requireAdmin(call);
      const { deadLetterId } = call.params;
      await run(services, deadLetterId);
      log.info({ deadLetterId, userId }, 'an operator runs a dead letter again');
      return { body: { accepted: true } };
    },

    deleteDeadLetter: async call => {
      const { userId } = requireAdmin(call);
      const { deadLetterId } = call.params;
      if (!(await deleteDeadLetter(database, deadLetterId))) throw notFound();
      log.info({ deadLetterId, userId }, 'an operator has deleted a dead letter');
      return {};
    },
  };
}

async function run({ database, node, clock }: SystemServices, deadLetterId: string): Promise<void> {
  const dead = await findDeadCommand(database, deadLetterId);
  if (dead === undefined) throw notFound();
  if (dead.isErased) throw conflict('The contents of this work were erased: nothing is left to run.');
  const shard = node.findShard(dead.actor, dead.command);
  if (shard === undefined) throw conflict(`This release does not know the command ${dead.command}.`);
  if (!(await runDeadLetter(database, deadLetterId, shard, clock.now()))) throw notFound();
}

function toDeadLetter({ createdAt, ...row }: DeadLetterRow): SystemDeadLetter {
  return { ...row, createdAt: createdAt.toISOString() };
}
