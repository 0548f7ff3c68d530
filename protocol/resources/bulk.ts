/** One change of many threads. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { idPattern } from '../ids.ts';
import { body, choice, freeForm, id, instant, nullable, optional, resource } from './fields.ts';
import { scope } from './list.ts';
import { agentModes, maxTags, tag } from './thread.ts';

export const bulkActions = [
  'close',
  'reopen',
  'archive',
  'addTags',
  'removeTags',
  'assign',
  'setAgentMode',
  'snooze',
] as const;
export type BulkAction = (typeof bulkActions)[number];

/** The threads of one request. */
export const maxBulkThreads = 100;

/** By thread: the `sequence` that the caller has seen. */
const expectedSequences = Type.Unsafe<Record<string, number>>({
  type: 'object',
  maxProperties: maxBulkThreads,
  propertyNames: { pattern: idPattern('thread') },
  additionalProperties: { type: 'integer', minimum: 0 },
});

/** `tags`, `userId` (null releases), `agentMode` (null: that of the agent) and `snoozedUntil` (null wakes) are for the actions that need them. */
export const BulkBody = body('BulkBody', {
  ...scope,
  threadIds: Type.Array(id('thread'), { minItems: 1, maxItems: maxBulkThreads, uniqueItems: true }),
  action: choice(bulkActions),
  tags: optional(Type.Array(tag, { minItems: 1, maxItems: maxTags })),
  userId: optional(nullable(id('user'))),
  agentMode: optional(nullable(choice(agentModes))),
  snoozedUntil: optional(nullable(instant())),
  expectedSequences: optional(expectedSequences),
});
export type BulkBody = Static<typeof BulkBody>;

/** Why one of the threads stayed as it was: what the change of it alone would have been answered. */
export const BulkError = resource('BulkError', {
  error: Type.String(),
  message: Type.String(),
  details: optional(freeForm()),
});

export const BulkResult = resource('BulkResult', {
  threadId: id('thread'),
  status: choice(['done', 'failed']),
  error: nullable(BulkError),
});
export type BulkResult = Static<typeof BulkResult>;

/** In the order of the request. */
export const BulkResults = resource('BulkResults', { results: Type.Array(BulkResult) });
export type BulkResults = Static<typeof BulkResults>;
