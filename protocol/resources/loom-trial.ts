/** A version of a loom, tried: what its model would answer, without anything coming of it. */
import Type from 'typebox';
import type { Static } from 'typebox';
import { providers } from './byok.ts';
import { body, choice, id, instant, nullable, optional, resource, text } from './fields.ts';
import { directions, maxMessageLength } from './message.ts';
import { TrialStep } from './run-trace.ts';

const count = () => nullable(Type.Integer({ minimum: 0 }));

/** How long a trial takes at most, in milliseconds: by default shorter than clients wait. */
export const defaultTrialMs = 25_000;
export const maxTrialMs = 60_000;

export const LoomTrial = resource('LoomTrial', {
  projectId: id('project'),
  environmentId: id('environment'),
  loomId: id('loom'),
  loomVersionId: id('loomVersion'),
  version: Type.Integer({ minimum: 1 }),
  threadId: nullable(id('thread')),
  provider: choice(providers),
  model: Type.String(),
  status: choice(['succeeded', 'failed']),
  /** Null: the trial has failed. */
  text: nullable(Type.String()),
  /** The model asked for a human. */
  handoff: optional(Type.Object({ reason: Type.String() })),
  steps: Type.Unsafe<readonly Static<typeof TrialStep>[]>(Type.Array(TrialStep)),
  /** Sums over the steps. */
  promptTokens: count(),
  completionTokens: count(),
  totalTokens: count(),
  estimatedCostMicros: count(),
  errorCode: nullable(Type.String()),
  errorMessage: nullable(Type.String()),
  startedAt: instant(),
  durationMs: Type.Integer({ minimum: 0 }),
});
export type LoomTrial = Readonly<Static<typeof LoomTrial>>;

const TrialMessage = body('TrialMessage', {
  direction: choice(directions),
  body: text(1, maxMessageLength),
});

const TrialToolResult = body('TrialToolResult', {
  toolId: id('tool'),
  /** Of calls with exactly these arguments. Absent: of all calls. */
  arguments: optional(Type.Unsafe<unknown>({})),
  result: optional(Type.Unsafe<unknown>({})),
  /** The call fails, in words. */
  error: optional(text(1, 4_000)),
});

/** A stored thread, typed messages, or typed messages after those of a stored thread. */
export const TryLoomBody = body('TryLoomBody', {
  projectId: id('project'),
  /** Default: the active version. */
  loomVersionId: optional(id('loomVersion')),
  threadId: optional(id('thread')),
  /** The last message of the thread that counts. Default: its newest. */
  inputMessageId: optional(id('message')),
  messages: optional(Type.Array(TrialMessage, { minItems: 1, maxItems: 50 })),
  toolResults: optional(Type.Array(TrialToolResult, { maxItems: 64, default: [] })),
  timeoutMs: optional(Type.Integer({ minimum: 1_000, maximum: maxTrialMs, default: defaultTrialMs })),
});
export type TryLoomBody = Static<typeof TryLoomBody>;
