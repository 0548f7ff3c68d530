/** Members of a workspace, and their roles in its projects. Removing one also unassigns the threads of the workspace's projects that are assigned to them. */
import type { memberOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { listWorkspaceAssignments } from '../../storage/reads/index.ts';
import type {
  ApiKeys,
  MemberChange,
  MembershipChange,
  ProjectMembers,
  WorkspaceMembers,
} from '../../storage/tenancy/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { unassign } from '../jobs/index.ts';
import { createUserAuditContext, getAuthor } from './caller.ts';
import { requireScope } from './tenant-scope.ts';

export interface MemberServices extends UnassignServices {
  readonly members: WorkspaceMembers;
  readonly projectMembers: ProjectMembers;
  readonly apiKeys: Pick<ApiKeys, 'listMadeBy'>;
}

/** API keys that the answer to a removal lists. */
const maxListedKeys = 100;

/** The pipeline has checked the caller's role in the workspace or project of the path. */
export function memberHandlers(services: MemberServices): Handlers<typeof memberOperations> {
  const { members, projectMembers, apiKeys } = services;

  return {
    listMembers: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await members.list(call.params.workspaceId, { cursor, limit }) };
    },

    getMember: async call => {
      const { workspaceId, userId } = call.params;
      return { body: await members.get(workspaceId, userId) };
    },

    updateMember: async call => {
      const { role } = call.body;
      return { body: await members.changeRole({ ...createChange(call, call.params), role }) };
    },

    removeMember: async call => {
      const change = createChange(call, call.params);
      // First of all they may do nothing more, whatever becomes of the threads.
      await members.remove(change);
      await unassignThreads(services, call, change);
      const { workspaceId, userId } = change;
      return { body: { apiKeys: await apiKeys.listMadeBy(workspaceId, userId, maxListedKeys, call.now) } };
    },

    listProjectMembers: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await projectMembers.list(requireScope(call).projectId, { cursor, limit }) };
    },

    upsertProjectMember: async call => {
      const { userId, role } = call.body;
      return { body: await projectMembers.upsert({ ...createProjectChange(call, userId), role }) };
    },

    removeProjectMember: async call => {
      await projectMembers.remove(createProjectChange(call, call.params.userId));
      return {};
    },
  };
}

function createProjectChange(
  call: Pick<Call, 'caller' | 'project' | 'requestId' | 'address' | 'now'>,
  userId: string,
): MemberChange {
  return { projectId: requireScope(call).projectId, userId, ...createUserAuditContext(call) };
}

function createChange(
  call: Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>,
  { workspaceId, userId }: Pick<MembershipChange, 'workspaceId' | 'userId'>,
): MembershipChange {
  return { workspaceId, userId, ...createUserAuditContext(call) };
}

/** Threads that are changed at the same time. */
const unassignBatch = 50;

/** About how long a request goes on with them, in milliseconds. The job for former assignees takes the rest (gateway/jobs/former-assignees.ts). */
const maxUnassignMs = 5_000;

export interface UnassignServices {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly log: Pick<Log, 'warn'>;
}

/** Unassigns the user's threads in the workspace's projects, in the caller's name, as many as time allows; never rejects. */
export async function unassignThreads(
  { database, node, clock, log }: UnassignServices,
  call: Pick<Call, 'caller' | 'requestId'>,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<void> {
  const author = getAuthor(call);
  const until = clock.monotonic() + maxUnassignMs;
  try {
    for (let after = ''; ;) {
      const threads = await listWorkspaceAssignments(database, {
        workspaceId,
        userId,
        after,
        limit: unassignBatch,
      });
      const deadlineMs = Math.max(1, until - clock.monotonic());
      const errors = await unassign(node, threads, userId, author, { requestId: call.requestId, deadlineMs });
      if (errors.length > 0) throw new AggregateError(errors);
      if (threads.length < unassignBatch || clock.monotonic() >= until) return;
      after = threads.at(-1)?.threadId ?? '';
    }
  } catch (err) {
    log.warn(
      { err, requestId: call.requestId },
      'some threads of a removed member could not be unassigned yet',
    );
  }
}
