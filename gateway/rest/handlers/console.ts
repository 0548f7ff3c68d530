/** Console members, tickets for the live stream, and the stream's events for those who poll (decisions sections 2, 3, 8). */
import { ServiceError } from '../../../protocol/errors.ts';
import type { consoleOperations } from '../../../protocol/operations/console.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import { page, type Cursors } from '../../../storage/cursor.ts';
import type { Database } from '../../../storage/database.ts';
import { pollPage } from '../../../storage/reads/events.ts';
import type { ConsoleMembers, MemberChange } from '../../../storage/tenancy/console-members.ts';
import { ticketSeconds, type StreamTickets } from '../../../storage/tenancy/tickets.ts';
import { shownEnvironment } from '../authorise.ts';
import type { Call, Handlers, ProjectScope } from '../handler.ts';
import { eventsAnswer } from './event-list.ts';
import { doingOf, requireUser } from './signed-in.ts';

export interface ConsoleServices {
  readonly database: Pick<Database, 'query' | 'walk'>;
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
      return { body: page(rows, limit, last => cursors.encode(scope, [last.userId])) };
    },

    upsertConsoleMember: async call => {
      const { userId, role } = call.body;
      return { body: await members.upsert({ ...changeOf(call, call.params.projectId, userId), role }) };
    },

    removeConsoleMember: async call => {
      await members.remove(changeOf(call, call.params.projectId, call.params.userId));
      return {};
    },

    createStreamTicket: async call => {
      const { userId, sessionId } = requireUser(call);
      const ticket = await tickets.issue({ projectId: call.params.projectId, userId, sessionId }, call.now);
      return { body: { ticket, expiresIn: ticketSeconds }, headers: { 'Cache-Control': 'no-store' } };
    },

    listStreamEvents: async call => {
      const { projectId } = call.params;
      const { afterSeq = 0, cursor, limit = defaultPageSize } = call.query;
      const { caller = requireUser(call) } = call;
      const environmentId = shownEnvironment(caller, scopeOf(call));
      const scope = `stream-events ${projectId} ${environmentId ?? ''} ${afterSeq}`;
      const after = cursor === undefined ? afterSeq : Number(cursors.decode(scope, cursor)[0]);
      return eventsAnswer(await pollPage(database, { projectId, after, environmentId, limit }), {
        textOf: ({ seq, body }) => `${body.slice(0, body.lastIndexOf('}'))},"seq":${seq}}`,
        cursorOf: ({ seq }) => cursors.encode(scope, [seq]),
      });
    },
  };
}

function changeOf(
  call: Pick<Call, 'caller' | 'project' | 'requestId' | 'address' | 'now'>,
  projectId: string,
  userId: string,
): MemberChange {
  const { environmentId } = scopeOf(call);
  return { projectId, userId, environmentId, ...doingOf(call) };
}

function scopeOf({ project }: Pick<Call, 'project'>): ProjectScope {
  if (project === undefined) throw new ServiceError('svc/console/not_found');
  return project;
}
