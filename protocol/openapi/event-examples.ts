/** Examples of the `data` of events: in the document, and in the test events of stitches. The same event always has the same example. */
import { eventTypes, type EventName } from '../events.ts';
import { createExample, exampleId, type Json, type JsonObject } from './examples.ts';

const contact = { type: 'contact', id: 'customer-4711' };
const user = { type: 'user', id: exampleId('user') };
const agent = { type: 'agent', id: exampleId('agent') };
const system = { type: 'system', id: null };

const outbound = (status: string): JsonObject => ({
  message: { direction: 'outbound', status, actor: user },
});
const reported = (status: string): JsonObject => ({ actor: system, ...outbound(status) });
const running = (status: string): JsonObject => ({ actor: agent, agentRun: { status } });
const suggested = (status: string): JsonObject => ({
  actor: agent,
  suggestion: { status, body: 'Your order is on its way.', basedOnSequence: 6 },
});
const ended = (status: string): JsonObject => ({ actor: system, suggestion: { status, basedOnSequence: 6 } });

/** What the example of an event says beside or instead of the examples of its fields. A user is its actor unless it is said here. */
const details: Partial<Record<EventName, JsonObject>> = {
  'thread.message.received': {
    actor: contact,
    message: { direction: 'inbound', status: null, actor: contact },
    reportedBy: { type: 'api_key', id: exampleId('apiKey') },
  },
  'thread.message.created': outbound('queued'),
  'thread.message.updated': outbound('sent'),
  'thread.status.changed': { thread: { status: 'closed' }, previousStatus: 'open' },
  'thread.service_window.opened': { actor: contact },
  'thread.service_window.closing': { actor: system },
  'thread.service_window.closed': { actor: system, serviceWindow: { open: false } },
  'thread.free_entry.pending': { actor: contact, freeEntry: { status: 'pending' } },
  'thread.free_entry.opened': { actor: system, freeEntry: { status: 'open' } },
  'thread.free_entry.closed': { actor: system, freeEntry: { status: 'closed' } },
  'channel.message.requested': { externalRef: 'customer-4711', ...outbound('queued') },
  'channel.message.sent': reported('sent'),
  'channel.message.delivered': reported('delivered'),
  'channel.message.read': reported('read'),
  'channel.message.delivery_failed': {
    error: { message: 'The number does not exist.' },
    ...reported('failed'),
  },
  'agent.run.queued': running('pending'),
  'agent.run.started': running('running'),
  'agent.run.succeeded': running('succeeded'),
  'agent.run.failed': running('failed'),
  'agent.run.cancelled': running('cancelled'),
  'agent.suggestion.created': suggested('pending'),
  'agent.suggestion.resolved': { ...suggested('approved'), actor: user },
  'agent.suggestion.superseded': { ...ended('superseded'), actor: contact },
  'agent.suggestion.expired': ended('expired'),
  'agent.handoff.requested': { actor: agent, reason: 'The customer asks for a person.' },
  'agent.tool.approval_requested': { actor: agent },
  'agent.tool.approval_resolved': { status: 'refused', reason: 'The order is too old.' },
  'agent.tool.completed': { actor: agent, error: null },
  'agent.tool.failed': { actor: agent, error: 'The tool answered 500.' },
};

/** Fits the schema that the catalogue has for the event. */
export function createEventData(name: EventName): JsonObject {
  const data = createExample(eventTypes[name].data) as JsonObject;
  const { test: _, ...example } = merge(data, { actor: user, ...details[name] }) as JsonObject;
  return example;
}

/** The value with those of the patch, object by object; fields of the patch that are not in the value are added. */
function merge(value: Json | undefined, patch: Json): Json {
  if (!isObject(value) || !isObject(patch)) return patch;
  const changed = Object.entries(patch).map(([name, part]) => [name, merge(value[name], part)]);
  return { ...value, ...(Object.fromEntries(changed) as JsonObject) };
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
