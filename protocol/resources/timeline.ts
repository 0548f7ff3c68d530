/** What became of one message [+]: everything that the log and the outbox know of it. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { AgentRun } from './agent.ts';
import { WebhookDelivery } from './delivery.ts';
import { id, instant, nullable, optional, resource } from './fields.ts';
import { Actor } from './message.ts';

/** An event that was about the message, or a tool call of a run that is. */
export const TimelineEvent = resource('TimelineEvent', {
  eventId: id('event'),
  eventName: Type.String(),
  /** When it was recorded here. */
  occurredAt: instant(),
  /** The thread's number. */
  sequence: nullable(Type.Integer({ minimum: 1 })),
  actor: optional(Actor),
  /** When it happened at the provider, as the provider says. */
  reportedAt: optional(instant()),
  /** Of `channel.message.delivery_failed` and `agent.tool.failed`. */
  error: optional(Type.Unsafe<unknown>({})),
  /** Of tool calls. */
  agentRunId: optional(id('run')),
  toolId: optional(id('tool')),
  durationMs: optional(Type.Integer({ minimum: 0 })),
});
export type TimelineEvent = Static<typeof TimelineEvent>;

/** Each list has at most 200 items. */
export const MessageTimeline = resource('MessageTimeline', {
  messageId: id('message'),
  threadId: id('thread'),
  projectId: id('project'),
  environmentId: id('environment'),
  /** The provider's id. */
  externalMessageId: nullable(Type.String()),
  /** In the order of the thread: creation, request, receipts. */
  events: Type.Array(TimelineEvent),
  /** Runs that the message started, or that wrote it. */
  runs: Type.Array(AgentRun),
  /** Tool calls of those runs. */
  toolCalls: Type.Array(TimelineEvent),
  /** Webhook deliveries of the events, as they were due by themselves: replays and tests are not among them. */
  deliveries: Type.Array(WebhookDelivery),
});
export type MessageTimeline = Static<typeof MessageTimeline>;
