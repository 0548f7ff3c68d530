/** Console members, and the REST side of the Console stream. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { body, choice, freeForm, id, instant, nullable, optional, resource } from './fields.ts';
import { page } from './list.ts';
import { avatarColors } from './profile.ts';

export const consoleRoles = ['project_owner', 'agent', 'viewer'] as const;

export const ConsoleMember = resource('ConsoleMember', {
  projectId: id('project'),
  userId: id('user'),
  role: choice(consoleRoles),
  createdAt: instant(),
  updatedAt: instant(),
});
export type ConsoleMember = Static<typeof ConsoleMember>;

/** As lists show a member: with what the user's profile says. */
export const ListedConsoleMember = resource('ListedConsoleMember', {
  ...ConsoleMember.properties,
  displayName: Type.String(),
  avatarColor: nullable(choice(avatarColors)),
});
export type ListedConsoleMember = Static<typeof ListedConsoleMember>;

export const UpsertConsoleMemberBody = body('UpsertConsoleMemberBody', {
  userId: id('user'),
  role: choice(consoleRoles),
});
export type UpsertConsoleMemberBody = Static<typeof UpsertConsoleMemberBody>;

/** In the OpenAPI document, too, it is an event with its number (protocol/openapi/events.ts). */
export const ConsoleStreamEvent = resource('ConsoleStreamEvent', {
  eventId: id('event'),
  eventName: Type.String(),
  occurredAt: instant(),
  apiVersion: optional(Type.String()),
  projectId: id('project'),
  data: freeForm(),
  /** Its number in the project's stream, for `afterSeq` and a stream's `resume`. */
  seq: optional(Type.Integer({ minimum: 1 })),
});
export type ConsoleStreamEvent = Static<typeof ConsoleStreamEvent>;

/** A single-use ticket for the websocket's query; `expiresIn` is in seconds. */
export const StreamTicket = resource('StreamTicket', {
  ticket: Type.String(),
  expiresIn: Type.Integer({ exclusiveMinimum: 0 }),
});
export type StreamTicket = Static<typeof StreamTicket>;

export const OpenStreamQuery = Type.Object({
  ticket: optional(Type.String({ minLength: 1, maxLength: 256 })),
});

/** Ascending by seq; from the oldest kept event when `afterSeq` is absent. */
export const ListStreamEventsQuery = Type.Object({
  afterSeq: optional(Type.Integer({ minimum: 0 })),
  ...page,
});
