import Type from 'typebox';
import type { Static } from 'typebox';
import {
  body,
  choice,
  freeForm,
  freeFormInput,
  id,
  instant,
  nullable,
  optional,
  resource,
  text,
} from './fields.ts';
import { providers } from './byok.ts';
import { maybeProject, page, scope } from './list.ts';
import { RunTrace } from './run-trace.ts';
import { agentModes } from './thread.ts';

/** Some threads are answered by another version of the loom than the active one: always the same threads. */
export const AgentSplit = resource('AgentSplit', {
  loomVersionId: id('loomVersion'),
  /** How many of a hundred threads. */
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
  startedAt: instant(),
});
export type AgentSplit = Static<typeof AgentSplit>;

/** `mode` is the effective mode: the agent's own, else that of its loom's active version, else paused. */
export const Agent = resource('Agent', {
  agentId: id('agent'),
  projectId: id('project'),
  name: text(1, 256),
  mode: choice(agentModes),
  loomId: optional(nullable(id('loom'))),
  activeLoomVersionId: optional(id('loomVersion')),
  /** Null: the active version answers all threads. */
  split: optional(nullable(AgentSplit)),
  metadata: freeForm(),
  createdAt: instant(),
  updatedAt: instant(),
  archivedAt: optional(nullable(instant())),
  environmentId: optional(id('environment')),
});
export type Agent = Static<typeof Agent>;

export const CreateAgentBody = body('CreateAgentBody', {
  projectId: id('project'),
  /** For Studio users; a key's own environment otherwise. */
  environmentId: optional(id('environment')),
  name: text(1, 256),
  /** Null or absent: that of the loom's active version. */
  mode: optional(nullable(choice(agentModes))),
  loomId: optional(nullable(id('loom'))),
  metadata: optional(freeFormInput()),
});
export type CreateAgentBody = Static<typeof CreateAgentBody>;

const AgentSplitInput = body('AgentSplitInput', {
  loomVersionId: id('loomVersion'),
  percent: Type.Integer({ minimum: 0, maximum: 100 }),
});

/** What became of the suggestions that a version has made. */
export const SuggestionFates = resource('SuggestionFates', {
  loomId: id('loom'),
  loomVersionId: id('loomVersion'),
  version: Type.Integer({ minimum: 1 }),
  pending: Type.Integer({ minimum: 0 }),
  approved: Type.Integer({ minimum: 0 }),
  edited: Type.Integer({ minimum: 0 }),
  discarded: Type.Integer({ minimum: 0 }),
  superseded: Type.Integer({ minimum: 0 }),
  expired: Type.Integer({ minimum: 0 }),
});
export type SuggestionFates = Static<typeof SuggestionFates>;

export const AgentSuggestions = resource('AgentSuggestions', {
  agentId: id('agent'),
  since: instant(),
  /** The newest first. */
  versions: Type.Array(SuggestionFates),
});
export type AgentSuggestions = Static<typeof AgentSuggestions>;

export const defaultSuggestionDays = 30;

export const AgentSuggestionsQuery = Type.Object({
  ...maybeProject,
  days: optional(Type.Integer({ minimum: 1, maximum: 90, default: defaultSuggestionDays })),
});

/** An archived agent does not answer, and can only be restored (`archived: false`). */
export const UpdateAgentBody = body('UpdateAgentBody', {
  projectId: id('project'),
  name: optional(text(1, 256)),
  mode: optional(nullable(choice(agentModes))),
  loomId: optional(nullable(id('loom'))),
  /** Replaced as a whole; null ends it. */
  split: optional(nullable(AgentSplitInput)),
  metadata: optional(freeFormInput()),
  archived: optional(Type.Boolean()),
});
export type UpdateAgentBody = Static<typeof UpdateAgentBody>;

export const runStatuses = ['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const;
export type RunStatus = (typeof runStatuses)[number];

const tokens = () => optional(nullable(Type.Integer({ minimum: 0 })));

/** In suggest mode the suggestion is `trace.suggestion` (docs/contract-decisions.md, "Agent run"). */
export const AgentRun = resource('AgentRun', {
  agentRunId: id('run'),
  projectId: id('project'),
  agentId: optional(nullable(id('agent'))),
  loomId: optional(nullable(id('loom'))),
  loomVersionId: optional(id('loomVersion')),
  threadId: optional(nullable(id('thread'))),
  inputMessageId: optional(nullable(id('message'))),
  outputMessageId: optional(nullable(id('message'))),
  status: choice(runStatuses),
  provider: choice(providers),
  model: Type.String(),
  mode: choice(agentModes),
  promptTokens: tokens(),
  completionTokens: tokens(),
  totalTokens: tokens(),
  estimatedCostMicros: tokens(),
  errorCode: optional(nullable(Type.String())),
  errorMessage: optional(nullable(Type.String())),
  toolCallCount: Type.Integer({ minimum: 0 }),
  /** Lists and events leave its steps out. */
  trace: RunTrace,
  metadata: freeForm(),
  startedAt: optional(nullable(instant())),
  completedAt: optional(nullable(instant())),
  createdAt: instant(),
  updatedAt: instant(),
  environmentId: optional(id('environment')),
});
export type AgentRun = Static<typeof AgentRun>;

/** `inputMessageId` needs `threadId`. Without a thread the answer is only in the trace. */
export const CreateAgentRunBody = body('CreateAgentRunBody', {
  projectId: id('project'),
  threadId: optional(id('thread')),
  /** A message of the thread; by default its newest inbound one. */
  inputMessageId: optional(id('message')),
  metadata: optional(freeFormInput()),
});
export type CreateAgentRunBody = Static<typeof CreateAgentRunBody>;

export const ListAgentRunsQuery = Type.Object({
  ...scope,
  threadId: optional(id('thread')),
  agentId: optional(id('agent')),
  status: optional(choice(runStatuses)),
  /** Runs whose suggestion waits for an operator. */
  suggestion: optional(choice(['pending'])),
  ...page,
});

export const CancelAgentRunBody = body('CancelAgentRunBody', { projectId: id('project') });
export type CancelAgentRunBody = Static<typeof CancelAgentRunBody>;

export const toolCallActions = ['approve', 'refuse'] as const;

export const ResolveToolCallBody = body('ResolveToolCallBody', {
  projectId: id('project'),
  /** `callId` of a call in `trace.steps` whose status is `awaiting_approval`. */
  toolCallId: text(1, 128),
  action: choice(toolCallActions),
  /** Why it is refused: the model is told. */
  reason: optional(text(1, 1_000)),
});
export type ResolveToolCallBody = Static<typeof ResolveToolCallBody>;

export const suggestionActions = ['approve', 'discard'] as const;

export const ResolveSuggestionBody = body('ResolveSuggestionBody', {
  projectId: id('project'),
  action: choice(suggestionActions),
  /** Replaces the suggested text. The limit is that of a message. */
  body: optional(text(1, 64_000)),
  /** Why it is discarded. */
  reason: optional(text(1, 1_000)),
  /** The last sequence of the thread that the operator has seen: 409 when anything but the suggestion itself happened since. */
  expectedSequence: optional(Type.Integer({ minimum: 0 })),
});
export type ResolveSuggestionBody = Static<typeof ResolveSuggestionBody>;
