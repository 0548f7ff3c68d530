/** Console members and the Console stream (decisions section 8). */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  ConsoleMember,
  ConsoleStreamEvent,
  ListStreamEventsQuery,
  OpenStreamQuery,
  StreamTicket,
  UpsertConsoleMemberBody,
} from '../resources/console.ts';
import { id } from '../resources/fields.ts';
import { listOf, ListQuery } from '../resources/list.ts';
import {
  access,
  always,
  checked,
  consoleErrors,
  credential,
  forbidden,
  paged,
  repeatable,
  signedIn,
  shortPages,
} from './rules.ts';

const tag = 'Console';
const oneProject = Type.Object({ projectId: id('project') });

export const consoleOperations = {
  listConsoleMembers: {
    method: 'GET',
    path: '/console/projects/{projectId}/members',
    tag,
    summary: "List a project's Console members",
    auth: 'project',
    access: access.readMembers,
    params: oneProject,
    query: ListQuery,
    success: { status: 200, body: listOf(ConsoleMember) },
    // Every role of a project may: whoever has none finds no project.
    errors: [...always, ...paged, ...signedIn, ...forbidden, 'svc/console/not_found'],
    rate: 'read',
    idempotency: 'none',
  },
  upsertConsoleMember: {
    method: 'PUT',
    path: '/console/projects/{projectId}/members',
    tag,
    summary: 'Make a user a Console member, or change the role',
    auth: 'project',
    access: access.writeMembers,
    params: oneProject,
    body: UpsertConsoleMemberBody,
    success: { status: 200, body: ConsoleMember },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...consoleErrors],
    rate: 'write',
    idempotency: 'none',
  },
  removeConsoleMember: {
    method: 'DELETE',
    path: '/console/projects/{projectId}/members/{userId}',
    tag,
    summary: "End a user's Console membership",
    auth: 'project',
    access: access.writeMembers,
    params: Type.Object({ projectId: id('project'), userId: id('user') }),
    success: { status: 204, body: null },
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...consoleErrors],
    rate: 'write',
    idempotency: 'none',
  },
  createStreamTicket: {
    method: 'POST',
    path: '/console/projects/{projectId}/events/tickets',
    tag,
    summary: 'Get a single-use ticket for the stream, for browsers, which cannot set headers',
    auth: 'project',
    access: access.ticket,
    params: oneProject,
    success: { status: 200, body: StreamTicket },
    secret: true,
    description: 'A ticket lives 30 seconds, and so does the use of an answer that is given again.',
    errors: [...always, ...checked, ...signedIn, ...forbidden, ...consoleErrors, ...repeatable],
    rate: 'write',
    idempotency: 'accepted',
  },
  openStream: {
    method: 'GET',
    path: '/console/projects/{projectId}/events/stream',
    tag,
    summary: 'Open the live stream (a websocket)',
    description:
      'The client sends {"type":"resume","epoch","seq"} first, within 10 seconds; without epoch and seq the stream begins now. The server answers "resumed" or "reset" (refetch, then go on from its seq), then sends {"type":"event","seq","event"} in order without gaps or repeats. Every 25 seconds it sends {"type":"ping","seq"}, to be answered with {"type":"pong"}. Close codes: 1001 the node is going away, 1003 and 1007 a frame that is none of this protocol, 1008 no resume in time, or too many frames, 1013 too many streams, 4001 not authenticated any more, 4003 no membership, 4008 too slow, 4009 two pings unanswered. After 1001, 1013, 4008 and 4009 come back with epoch and seq.',
    auth: 'stream',
    access: access.stream,
    params: oneProject,
    query: OpenStreamQuery,
    success: { status: 101, body: null },
    errors: [...always, ...checked, ...credential, ...forbidden, ...consoleErrors],
    // Ten sockets at a time for each user or key; refused credentials are charged to their address.
    rate: 'none',
    idempotency: 'none',
  },
  listStreamEvents: {
    method: 'GET',
    path: '/console/projects/{projectId}/events',
    tag,
    summary: "List the stream's events in order",
    description: `A key is shown those of its environment, a member those of the project. ${shortPages}`,
    auth: 'project',
    access: access.stream,
    params: oneProject,
    query: ListStreamEventsQuery,
    success: { status: 200, body: listOf(ConsoleStreamEvent) },
    errors: [...always, ...paged, ...credential, ...forbidden, ...consoleErrors],
    rate: 'read',
    idempotency: 'none',
  },
} as const satisfies Record<string, Operation>;
