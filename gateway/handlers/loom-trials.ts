/** Trials of looms (docs/contract-decisions.md, "Trials"). */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { TrialOrder, Trials } from '../../actors/run/index.ts';
import type { loomTrialOperations } from '../../protocol/operations/index.ts';
import { defaultTrialMs, type TryLoomBody } from '../../protocol/resources/index.ts';
import {
  findAbsentTools,
  findLoomTenant,
  type Looms,
  type LoomVersions,
} from '../../storage/agents/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { performOnce } from '../../storage/idempotency/index.ts';
import { findMessage, findThread } from '../../storage/reads/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { resolveScope } from './tenant-scope.ts';

export interface LoomTrialServices {
  readonly database: Pick<Database, 'em' | 'query'>;
  readonly looms: Pick<Looms, 'find'>;
  readonly versions: Pick<LoomVersions, 'find'>;
  readonly trials: Pick<Trials, 'run'>;
}

export function loomTrialHandlers(services: LoomTrialServices): Handlers<typeof loomTrialOperations> {
  const { database, trials } = services;
  return {
    tryLoom: async call => {
      const { projectId, environmentId } = await resolveScope(
        call,
        database,
        findLoomTenant,
        call.params.loomId,
      );
      const order = await createOrder(services, { projectId, environmentId }, call.params.loomId, call.body);
      return { body: await call.once(key => performOnce(database, key, () => trials.run(order))) };
    },
  };
}

/** Something must be said, and a message belongs to a thread. */
function requireConversation({ threadId, messages, inputMessageId }: TryLoomBody): void {
  if (threadId !== undefined) return;
  if (inputMessageId !== undefined) {
    const message = 'is needed: a message belongs to a thread';
    throw invalid([{ path: '/body/threadId', message, code: 'required' }]);
  }
  if (messages === undefined) {
    throw invalid([
      { path: '/body/messages', message: 'is needed where there is no threadId', code: 'required' },
    ]);
  }
}

async function createOrder(
  { database, looms, versions }: LoomTrialServices,
  scope: TenantScope,
  loomId: string,
  body: TryLoomBody,
): Promise<TrialOrder> {
  const { threadId, inputMessageId, messages = [], toolResults = [], timeoutMs = defaultTrialMs } = body;
  const loom = await looms.find(scope, loomId);
  if (loom === undefined) throw notFound();
  const loomVersionId = body.loomVersionId ?? loom.activeVersionId ?? '';
  const version = await versions.find(scope, loomId, loomVersionId);
  if (version === undefined) throw notFound('/body/loomVersionId');
  requireConversation(body);
  if (threadId !== undefined && (await findThread(database, scope, threadId)) === undefined) {
    throw notFound('/body/threadId');
  }
  const absent = await findAbsentTools(
    database,
    scope,
    toolResults.map(({ toolId }) => toolId),
  );
  if (absent.length > 0) throw notFound(...absent.map(index => `/body/toolResults/${index}/toolId`));
  return {
    ...scope,
    loomId,
    loomVersionId,
    version: version.version,
    provider: version.provider,
    model: version.model,
    threadId: threadId ?? null,
    throughSequence: await findSequence(database, scope, threadId, inputMessageId),
    messages: messages.map(said => ({ ...said, attachments: [] })),
    given: toolResults,
    timeoutMs,
  };
}

/** The number of the last message of the thread that counts. */
async function findSequence(
  database: Pick<Database, 'query'>,
  scope: TenantScope,
  threadId: string | undefined,
  messageId: string | undefined,
): Promise<number> {
  if (threadId === undefined || messageId === undefined) return Number.MAX_SAFE_INTEGER;
  const message = await findMessage(database, { ...scope, threadId, messageId });
  if (message === undefined) throw notFound('/body/inputMessageId');
  return message.sequence;
}
