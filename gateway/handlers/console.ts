/** Console members, tickets for the live stream, and its events for clients that poll (docs/contract-decisions.md, "Console stream"). */
import { ServiceError } from '../../protocol/errors.ts';
import type { consoleOperations } from '../../protocol/operations/index.ts';
import { defaultPageSize } from '../../protocol/resources/index.ts';
import { type Cursors, cutPage, toPage } from '../../storage/paging/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { pollPage } from '../../storage/events/index.ts';
import { readQueues } from '../../storage/reads/index.ts';
import {
  type ConsoleMembers,
  type MemberChange,
  type StreamTickets,
  ticketSeconds,
} from '../../storage/tenancy/index.ts';
import {
  getEventView,
  getShownEnvironment,
  type Call,
  type Handlers,
  type ProjectScope,
} from '../pipeline/index.ts';
import { eventsAnswer } from './events.ts';
import { createUserAuditContext, findActingUser, requireUser } from './caller.ts';

export interface ConsoleServices {
  readonly database: Pick<Database, 'query' | 'scan' | 'timeline'>;
  readonly members: ConsoleMembers;
  readonly tickets: StreamTickets;
  readonly cursors: Cursors;
}

/** 404 is `svc/console/not_found` here, and a missing membership 403 `svc/console/forbidden`. */
export function consoleHandlers(services: ConsoleServices): Handlers<typeof consoleOperations> {
  const { database, members, tickets, cursors } = services;

  return {
    listConsoleMembers: async call => {
      const { projectId } = call.params;
      const { cursor, limit = defaultPageSize } = call.query;
      const scope = `console-members ${projectId}`;
      const after = cursor === undefined ? '' : String(cursors.decode(scope, cursor)[0]);
      const rows = await members.list(projectId, after, limit + 1);
      return { body: toPage(cutPage(rows, limit), last => cursors.encode(scope, [last.userId])) };
    },

    upsertConsoleMember: async call => {
      const { userId, role } = call.body;
      return { body: await members.upsert({ ...createChange(call, call.params.projectId, userId), role }) };
    },

    removeConsoleMember: async call => {
      await members.remove(createChange(call, call.params.projectId, call.params.userId));
      return {};
    },

    getQueues: async call => {
      const { projectId, environmentId } = requireConsoleScope(call);
      const { now } = call;
      const userId = findActingUser(call) ?? null;
      const queues = await readQueues(database, { projectId, environmentId }, userId, now);
      return { body: { projectId, environmentId, asOf: new Date(now).toISOString(), queues } };
    },

    createStreamTicket: async call => {
      const { userId, sessionId } = requireUser(call);
      const holder = { projectId: call.params.projectId, userId, sessionId };
      const ticket = await call.once(key => tickets.issue(holder, call.now, key));
      return { body: { ticket, expiresIn: ticketSeconds }, headers: { 'Cache-Control': 'no-store' } };
    },

    listStreamEvents: async call => {
      const { projectId } = call.params;
      const { afterSeq = 0, cursor, limit = defaultPageSize } = call.query;
      const { caller = requireUser(call) } = call;
      const project = requireConsoleScope(call);
      const environmentId = getShownEnvironment(caller, project);
      const eventNames = [...getEventView(caller, project).names];
      // After a failover the numbers of an old cursor may name other events: it is refused.
      const { generation } = database.timeline;
      const log = generation === 0 ? '' : ` ${generation}`;
      const scope = `stream-events ${projectId} ${environmentId ?? ''} ${afterSeq}${log}`;
      const after = cursor === undefined ? afterSeq : Number(cursors.decode(scope, cursor)[0]);
      const page = await pollPage(database, { projectId, after, environmentId, eventNames, limit });
      return eventsAnswer(page, {
        toText: ({ seq, body }) => `${body.slice(0, body.lastIndexOf('}'))},"seq":${seq}}`,
        toCursor: ({ seq }) => cursors.encode(scope, [seq]),
      });
    },
  };
}

function createChange(
  call: Pick<Call, 'caller' | 'project' | 'requestId' | 'address' | 'now'>,
  projectId: string,
  userId: string,
): MemberChange {
  requireConsoleScope(call);
  return { projectId, userId, ...createUserAuditContext(call) };
}

function requireConsoleScope({ project }: Pick<Call, 'project'>): ProjectScope {
  if (project === undefined) throw new ServiceError('svc/console/not_found');
  return project;
}
