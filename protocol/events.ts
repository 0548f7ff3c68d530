/**
 * The event catalogue (docs/contract-decisions.md, "Events"): every name, when the event is emitted, and the schema of its `data`.
 * `data` always has the environment and, where they apply, the thread, the channel, the thread's sequence and the actor; it contains the
 * resource as it was at that moment.
 */
import Type from 'typebox';
import type { TObject, TProperties, TSchema } from 'typebox';
import {
  Actor,
  Agent,
  agentModes,
  AgentRun,
  ApiKey,
  assignmentReasons,
  ByokCredential,
  Channel,
  ChatappTemplate,
  choice,
  ConsoleMember,
  ProjectMember,
  EndedSuggestion,
  FreeEntry,
  freeForm,
  id,
  instant,
  LoomVersion,
  Message,
  nullable,
  optional,
  ServiceWindow,
  snoozeReasons,
  SpentBudget,
  Stitch,
  stitchStatuses,
  Suggestion,
  Thread,
  ThreadNote,
  ThreadViewer,
  threadStatuses,
  Tool,
  WebhookDelivery,
  WorkspaceInvitation,
} from './resources/index.ts';
import type { OperationId } from './operations/index.ts';
import { apiVersion } from './version.ts';

/** One row of the catalogue. */
export interface EventType {
  readonly description: string;
  readonly data: TSchema;
  /** The operation that reads the resource in it: who may do that sees the event, and nobody else (gateway/pipeline/event-view.ts). */
  readonly readBy: OperationId;
  /** Console stream only: not stored, not numbered, not delivered to stitches. */
  readonly ephemeral?: true;
  /** For people alone: API keys and internal services do not see it. */
  readonly usersOnly?: true;
}

const commonFields = {
  environmentId: id('environment'),
  threadId: optional(id('thread')),
  channelId: optional(id('channel')),
  /** The number of the event in its thread. */
  sequence: optional(Type.Integer({ minimum: 1 })),
  actor: optional(Actor),
  /** Invented: somebody asked for it to try a stitch, and nothing has happened. */
  test: optional(Type.Literal(true)),
};

/** What an event holds: the operation that reads such a resource, and the schema of `data`. */
const data = <O extends OperationId, P extends TProperties>(
  readBy: O,
  properties: P,
): { readonly readBy: O; readonly data: TObject<typeof commonFields & P> } => ({
  readBy,
  data: Type.Object({ ...commonFields, ...properties }),
});

const thread = data('getThread', { thread: Thread });
const message = data('getMessage', { message: Message });
/** `failedSends` of the thread, where the outcome of a message has changed it. */
const outcome = { message: Message, failedSends: optional(Type.Integer({ minimum: 0 })) };
/** `occurredAt`: when it happened, by the provider. */
const receipt = data('getMessage', { ...outcome, occurredAt: optional(instant()) });
const channel = data('getChannel', { channel: Channel });
const credential = data('getChannel', { channel: Channel, expiresAt: optional(nullable(instant())) });
const note = data('listNotes', { note: ThreadNote });
const serviceWindow = data('getThread', { thread: Thread, serviceWindow: ServiceWindow });
const freeEntry = data('getThread', { thread: Thread, freeEntry: FreeEntry });
const typing = data('getThread', { userId: optional(id('user')) });
const agent = data('getAgent', { agent: Agent });
const run = data('getAgentRun', { agentRun: AgentRun });
const suggestion = data('getAgentRun', { agentRunId: id('run'), suggestion: Suggestion });
const endedSuggestion = data('getAgentRun', { agentRunId: id('run'), suggestion: EndedSuggestion });
const tool = data('getAgentRun', {
  agentRunId: id('run'),
  callId: Type.String(),
  toolId: nullable(id('tool')),
  durationMs: optional(Type.Integer({ minimum: 0 })),
  error: optional(nullable(Type.String())),
});
const approval = { agentRunId: id('run'), callId: Type.String(), toolId: nullable(id('tool')) };
const loomVersion = data('getLoomVersion', { loomVersion: LoomVersion });
const byok = data('listByokCredentials', { byokCredential: ByokCredential });
const stitch = data('getStitch', { stitch: Stitch });
const key = data('listApiKeys', { apiKey: ApiKey });
const member = data('listConsoleMembers', { member: ConsoleMember });
const projectRole = data('listProjectMembers', { member: ProjectMember });
const invitation = data('listInvitations', { invitation: WorkspaceInvitation });

type Content = Pick<EventType, 'readBy' | 'data'>;
const row = <C extends Content>(description: string, content: C) => ({ description, ...content }) as const;
const ephemeral = <C extends Content>(description: string, content: C) =>
  ({ description, ...content, ephemeral: true }) as const;

export const eventTypes = {
  'thread.lifecycle.created': row('A thread was created.', thread),
  'thread.lifecycle.updated': row('Fields of a thread changed that have no event of their own.', thread),
  'thread.lifecycle.erased': row("A thread's personal data was erased, in its earlier events too.", thread),
  'thread.status.changed': row(
    'A thread was opened, closed or archived.',
    data('getThread', { thread: Thread, previousStatus: optional(choice(threadStatuses)) }),
  ),
  'thread.agent_mode.changed': row(
    "A thread's agent mode changed.",
    data('getThread', { thread: Thread, previousAgentMode: optional(nullable(choice(agentModes))) }),
  ),
  'thread.tags.changed': row(
    "A thread's tags changed.",
    data('getThread', { thread: Thread, previousTags: optional(Type.Array(Type.String())) }),
  ),
  'thread.assignment.changed': row(
    'A thread was assigned or released.',
    data('getThread', {
      thread: Thread,
      previousAssigneeUserId: optional(nullable(id('user'))),
      reason: optional(choice(assignmentReasons)),
    }),
  ),
  'thread.snooze.changed': row(
    'A thread was snoozed or woken.',
    data('getThread', {
      thread: Thread,
      previousSnoozedUntil: optional(nullable(instant())),
      reason: choice(snoozeReasons),
    }),
  ),
  'thread.note.created': row('A note was written on a thread.', note),
  'thread.note.updated': row('A note was changed.', note),
  'thread.note.deleted': row('A note was deleted.', note),
  'thread.message.received': row(
    'An inbound message was received on a thread. Its actor is the contact; `reportedBy` is who posted it over the API. `serviceWindow` is the one of the thread from now on, where its channel has windows.',
    data('getMessage', {
      message: Message,
      reportedBy: optional(Actor),
      serviceWindow: optional(ServiceWindow),
    }),
  ),
  'thread.message.created': row('An outbound message was created on a thread.', message),
  'thread.message.updated': row(
    "A message got its provider's id, and its status stayed; or it is known what became of its file.",
    data('getMessage', outcome),
  ),
  'thread.service_window.opened': row('An inbound message opened the service window.', serviceWindow),
  'thread.service_window.closing': row('The service window is about to close.', serviceWindow),
  'thread.service_window.closed': row('The service window has closed: templates only.', serviceWindow),
  'thread.free_entry.pending': row('An eligible referral started a free entry.', freeEntry),
  'thread.free_entry.opened': row('A free entry opened for 72 hours.', freeEntry),
  'thread.free_entry.closed': row('A free entry has ended.', freeEntry),
  'thread.typing.started': ephemeral('An operator or the participant is typing.', typing),
  'thread.typing.stopped': ephemeral('Typing has stopped.', typing),
  'thread.viewer.changed': {
    ...ephemeral(
      'The operators who look at a thread changed: those who do now. For users alone.',
      data('getThread', { userIds: Type.Array(id('user')), viewers: Type.Array(ThreadViewer) }),
    ),
    usersOnly: true,
  },
  'channel.lifecycle.created': row('A channel was created.', channel),
  'channel.status.changed': row("A channel's status changed.", channel),
  'channel.message.requested': row(
    'A custom channel has to send a message: this is the channel command.',
    data('getMessage', {
      message: Message,
      externalRef: optional(nullable(Type.String())),
      /** Automatic answers in a row, with this one; absent for a message that is none. Send it back as `hops` of an inbound message. */
      hops: optional(Type.Integer({ minimum: 1 })),
    }),
  ),
  'channel.message.sent': row('The chat provider reports a message as sent.', receipt),
  'channel.message.delivered': row('Delivery receipt.', receipt),
  'channel.message.read': row('Read receipt.', receipt),
  'channel.message.delivery_failed': row(
    'Delivery failed.',
    data('getMessage', {
      ...outcome,
      occurredAt: optional(instant()),
      error: optional(nullable(freeForm())),
    }),
  ),
  'channel.credential.expiring': row(
    'A channel access token is close to expiry and cannot be renewed automatically; the owner must act.',
    credential,
  ),
  'channel.credential.expired': row('A channel access token has expired.', credential),
  'channel.credential.renewed': row('A channel access token was renewed.', credential),
  'channel.template.status_changed': row(
    "A message template's status changed at the provider. `reason` says why, in the provider's words.",
    data('getChannel', { template: ChatappTemplate, reason: optional(nullable(Type.String())) }),
  ),
  'agent.lifecycle.created': row('An agent was created.', agent),
  'agent.lifecycle.updated': row('An agent was changed.', agent),
  'agent.run.queued': row('An agent run was queued.', run),
  'agent.run.started': row('An agent run has started.', run),
  'agent.run.succeeded': row('An agent run has succeeded.', run),
  'agent.run.failed': row('An agent run has failed.', run),
  'agent.run.cancelled': row('An agent run was cancelled.', run),
  'agent.output.delta': ephemeral(
    'A piece of the text that a model is writing in one step of a run. `offset` counts what came before it in that step, in UTF-16 code ' +
      'units: one that is smaller than what is known begins the text anew, since the step is asked again. An empty piece ends the text: ' +
      'tools are called. Nodes of earlier releases leave out `step` and `offset`.',
    data('getAgentRun', {
      agentRunId: id('run'),
      delta: Type.String(),
      step: optional(Type.Integer({ minimum: 1 })),
      offset: optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  'agent.suggestion.created': row('A suggestion waits for an operator.', suggestion),
  'agent.suggestion.resolved': row('A suggestion was approved, edited or discarded.', suggestion),
  'agent.suggestion.superseded': row('A newer message has overtaken a suggestion.', endedSuggestion),
  'agent.suggestion.expired': row('Nobody has resolved a suggestion for a day.', endedSuggestion),
  'agent.handoff.requested': row(
    'An agent has asked for a human; its thread is paused.',
    data('getAgentRun', { agentRunId: id('run'), reason: Type.String() }),
  ),
  'agent.budget.exceeded': row(
    'A budget is used up: the run has ended, and its thread falls to another mode.',
    data('getBudgets', {
      agentRunId: id('run'),
      ...SpentBudget.properties,
    }),
  ),
  'agent.answer_limit.reached': row(
    'A thread has had as many automatic answers as it may: the answer waits as a suggestion, and the thread changes to mode `suggest`. ' +
      '`scope`: answers of the thread or of its participant within one hour, or `hops` between agents.',
    data('getAgentRun', {
      agentRunId: id('run'),
      scope: choice(['thread', 'participant', 'hops']),
      limit: Type.Integer({ minimum: 0 }),
    }),
  ),
  'agent.tool.approval_requested': row(
    'A tool call of a run waits for a person to approve or refuse it.',
    data('getAgentRun', { ...approval, expiresAt: instant() }),
  ),
  'agent.tool.approval_resolved': row(
    'A tool call was approved or refused, or nobody has decided within a day. `reason` is why it was refused.',
    data('getAgentRun', {
      ...approval,
      status: choice(['approved', 'refused', 'expired']),
      reason: optional(Type.String()),
    }),
  ),
  'agent.tool.completed': row('A tool call of a run has completed.', tool),
  'agent.tool.failed': row('A tool call of a run has failed.', tool),
  'loom.version.published': row('A loom version was published.', loomVersion),
  'loom.version.activated': row('A loom version was activated.', loomVersion),
  'tool.status.changed': row("A tool's status changed.", data('getTool', { tool: Tool })),
  'tool.secret.rotated': row("A tool's signing secret was rotated.", data('getTool', { tool: Tool })),
  'byok.credential.created': row('An LLM provider key was registered.', byok),
  'byok.credential.rotated': row('An LLM provider key was rotated.', byok),
  'byok.credential.revoked': row('An LLM provider key was revoked.', byok),
  'byok.credential.rejected': row('The LLM provider rejected a key.', byok),
  'stitch.status.changed': row(
    "A stitch's status changed. Not delivered to the stitch itself.",
    data('getStitch', { stitch: Stitch, previousStatus: optional(choice(stitchStatuses)) }),
  ),
  'stitch.secret.rotated': row("A stitch's secret was rotated.", stitch),
  'stitch.delivery.exhausted': row(
    'A delivery has failed for good.',
    data('getDelivery', { delivery: WebhookDelivery }),
  ),
  'stitch.test.ping': row('A test event that a user asked for.', stitch),
  'project.api_key.created': row('An API key was created.', key),
  'project.api_key.updated': row('An API key was renamed.', key),
  'project.api_key.rotated': row(
    'An API key was rotated: it works until its grace period is over, and its successor from now on.',
    data('listApiKeys', { apiKey: ApiKey, newKey: optional(ApiKey) }),
  ),
  'project.api_key.revoked': row('An API key was revoked.', key),
  'project.member.upserted': row('A Console member was added or given another role.', member),
  'project.member.removed': row('A Console member was removed.', member),
  'project.role.upserted': row(
    'A member of the workspace was given a role in the project, or another one.',
    projectRole,
  ),
  'project.role.removed': row('A member of the workspace lost the role in the project.', projectRole),
  'workspace.invitation.created': row('Somebody was invited to the workspace.', invitation),
  'workspace.invitation.accepted': row('An invitation was accepted.', invitation),
  'workspace.invitation.revoked': row('An invitation was revoked.', invitation),
} as const satisfies Record<string, EventType>;

export type EventName = keyof typeof eventTypes;

/** All patterns that select an event of that name: the name, `a.b.*` and `a.*`. */
export function listPatterns(name: string): readonly string[] {
  const first = name.indexOf('.');
  const second = name.indexOf('.', first + 1);
  return [name, `${name.slice(0, second)}.*`, `${name.slice(0, first)}.*`];
}

/** Whether a filter selects the event. An empty filter selects all (docs/contract-decisions.md, "Event filters"). */
export function matchesEventNames(filter: readonly string[], name: string): boolean {
  if (filter.length === 0) return true;
  const patterns = listPatterns(name);
  return filter.some(wanted => patterns.includes(wanted));
}

const knownPatterns: ReadonlySet<string> = new Set(
  Object.entries<EventType>(eventTypes).flatMap(([name, type]) => (type.ephemeral ? [] : listPatterns(name))),
);

/** Whether it names an event that is delivered to stitches. */
export function isDelivered(name: string): name is EventName {
  return !name.endsWith('*') && isKnownPattern(name);
}

/** Whether a stitch may use it in a filter: the name of a delivered event, or a pattern that selects at least one. */
export function isKnownPattern(pattern: string): boolean {
  return knownPatterns.has(pattern);
}

/** The parts of an event for {@link formatEvent}. */
export interface EventParts {
  readonly eventId: string;
  readonly eventName: EventName;
  /** As `Date.prototype.toISOString` writes it. */
  readonly occurredAt: string;
  readonly projectId: string;
  /** JSON text, which becomes part of the event unchanged. */
  readonly data: string;
}

/**
 * The envelope as JSON text. It is concatenated and not serialised: all fields but `data` consist of characters that JSON does not escape,
 * and `data` was already serialised for the answer. These exact bytes are stored, streamed, signed and delivered.
 */
export function formatEvent(parts: EventParts): string {
  return `{"eventId":"${parts.eventId}","eventName":"${parts.eventName}","occurredAt":"${parts.occurredAt}","apiVersion":"${apiVersion}","projectId":"${parts.projectId}","data":${parts.data}}`;
}
