/** The same change of many threads: each has a commit of its own, which carries its part of the Idempotency-Key. */
import type {
  AssignThread,
  RetagThread,
  Seen,
  ThreadChanges,
  UpdateThread,
} from '../../actors/thread/index.ts';
import { invalid, notFound } from '../../protocol/errors.ts';
import type { bulkOperations } from '../../protocol/operations/index.ts';
import type { BulkBody, BulkResult } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { transactOnce } from '../../storage/idempotency/index.ts';
import type { AccessCache } from '../../storage/tenancy/index.ts';
import { commitKey, mayAnswer, toRefusal, type Handlers } from '../pipeline/index.ts';
import { createCommandAudit, getAuthor } from './caller.ts';
import { requireScope } from './tenant-scope.ts';

export interface BulkServices {
  readonly database: Pick<Database, 'em'>;
  readonly node: Pick<Node, 'ask'>;
  readonly access: Pick<AccessCache, 'project'>;
}

/** 404 for a user who may not answer; what is wrong with one thread is its result alone. */
export function bulkHandlers({ database, node, access }: BulkServices): Handlers<typeof bulkOperations> {
  const requireAssignable = async (projectId: string, { userId }: BulkBody): Promise<void> => {
    if (typeof userId !== 'string') return;
    const found = await access.project(userId, projectId);
    if (found === undefined || !mayAnswer(found)) throw notFound('/body/userId');
  };

  return {
    changeThreads: async call => {
      const { projectId, environmentId } = requireScope(call);
      const { body } = call;
      requireFields(body);
      // The key stands for this body from now on. Which of the threads are done shows in their own parts.
      await call.once(async key => {
        await requireAssignable(projectId, body);
        return key === undefined ? null : transactOnce(database, key, () => null);
      });
      const order = createOrder(body, { projectId, environmentId, author: getAuthor(call) });
      const settled = await Promise.allSettled(
        body.threadIds.map(threadId =>
          call.once(async key => {
            await requireAssignable(projectId, body);
            const thread = { kind: 'thread', id: threadId };
            const command = {
              ...order.command,
              ...findSeen(body, threadId),
              act: createCommandAudit(call),
              ...commitKey(key),
            };
            await node.ask<string>(thread, order.name, command, call);
            return null;
          }, threadId),
        ),
      );
      return { body: { results: settled.map((each, index) => toResult(body.threadIds[index] ?? '', each)) } };
    },
  };
}

const neededFields = {
  close: undefined,
  reopen: undefined,
  archive: undefined,
  addTags: 'tags',
  removeTags: 'tags',
  assign: 'userId',
  setAgentMode: 'agentMode',
  snooze: 'snoozedUntil',
} as const satisfies Record<BulkBody['action'], keyof BulkBody | undefined>;

function requireFields(body: BulkBody): void {
  requireExpected(body);
  const needed = neededFields[body.action];
  if (needed === undefined || body[needed] !== undefined) return;
  throw invalid([{ path: `/body/${needed}`, message: `is needed to ${body.action}`, code: 'required' }]);
}

/** One that nothing would look at would protect nobody. */
function requireExpected({ action, threadIds, expectedSequences }: BulkBody): void {
  if (expectedSequences === undefined) return;
  const path = '/body/expectedSequences';
  if (action === 'assign') throw invalid([{ path, message: 'is not for assign', code: 'unexpected' }]);
  const changed = new Set(threadIds);
  const issues = Object.keys(expectedSequences)
    .filter(threadId => !changed.has(threadId))
    .map(threadId => ({
      path: `${path}/${threadId}`,
      message: 'is not among threadIds',
      code: 'unexpected',
    }));
  if (issues.length > 0) throw invalid(issues);
}

function findSeen({ expectedSequences }: BulkBody, threadId: string): Seen {
  const expectedSequence = expectedSequences?.[threadId];
  return expectedSequence === undefined ? {} : { expectedSequence };
}

type Base = TenantScope & Pick<UpdateThread, 'author'>;

/** The command that each thread is asked by. */
type Order =
  | { readonly name: 'update'; readonly command: UpdateThread }
  | { readonly name: 'retag'; readonly command: RetagThread }
  | { readonly name: 'assign'; readonly command: AssignThread };

function createOrder(body: BulkBody, base: Base): Order {
  const { action, tags = [], userId = null, agentMode = null, snoozedUntil = null } = body;
  const update = (changes: ThreadChanges): Order => ({ name: 'update', command: { ...base, changes } });
  switch (action) {
    case 'close':
      return update({ status: 'closed' });
    case 'reopen':
      return update({ status: 'open' });
    case 'archive':
      return update({ status: 'archived' });
    case 'addTags':
      return { name: 'retag', command: { ...base, add: tags, remove: [] } };
    case 'removeTags':
      return { name: 'retag', command: { ...base, add: [], remove: tags } };
    case 'assign':
      return { name: 'assign', command: { ...base, userId } };
    case 'setAgentMode':
      return update({ agentMode });
    case 'snooze':
      return update({ snoozedUntil });
  }
}

/** Throws a defect. */
function toResult(threadId: string, settled: PromiseSettledResult<unknown>): BulkResult {
  if (settled.status === 'fulfilled') return { threadId, status: 'done', error: null };
  const refusal = toRefusal(settled.reason);
  if (refusal === undefined) throw settled.reason;
  const { code: error, message, details } = refusal;
  return {
    threadId,
    status: 'failed',
    error: { error, message, ...(details === undefined ? {} : { details: { ...details } }) },
  };
}
