/** The timeline of one message: everything about it in the event log and the deliveries. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { AgentRun } from './agent.ts';
import { WebhookDelivery } from './delivery.ts';
import { id, instant, nullable, optional, resource } from './fields.ts';
import { Actor } from './message.ts';

/** An event about the message, or a tool call of a run that is about it. */
export const TimelineEvent = resource('TimelineEvent', {
  eventId: id('event'),
  eventName: Type.String(),
  /** When it was recorded here. */
  occurredAt: instant(),
  /** Its number in the thread. */
  sequence: nullable(Type.Integer({ minimum: 1 })),
  actor: optional(Actor),
  /** When it happened, by the provider. */
  reportedAt: optional(instant()),
  /** Of `channel.message.delivery_failed` and `agent.tool.failed`. */
  error: optional(Type.Unsafe<unknown>({})),
  /** Of tool calls. */
  agentRunId: optional(id('run')),
  toolId: optional(id('tool')),
  durationMs: optional(Type.Integer({ minimum: 0 })),
});
export type TimelineEvent = Static<typeof TimelineEvent>;

/** A delivery, and what its stitch is called; null: that is not known any more. */
export const TimelineDelivery = resource('TimelineDelivery', {
  ...WebhookDelivery.properties,
  stitchName: nullable(Type.String()),
});
export type TimelineDelivery = Static<typeof TimelineDelivery>;

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
  /** The runs that the message started, and the run that wrote it. */
  runs: Type.Array(AgentRun),
  /** Tool calls of those runs. */
  toolCalls: Type.Array(TimelineEvent),
  /** Webhook deliveries of the events, without replays and tests. */
  deliveries: Type.Array(TimelineDelivery),
});
export type MessageTimeline = Static<typeof MessageTimeline>;
