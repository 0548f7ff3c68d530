/** What answers: tools, looms and their versions, agents, and runs (a run's row is its actor's snapshot). */
import { defineEntity, p } from '@mikro-orm/core';
import type { Actor } from '../../protocol/resources/index.ts';
import { big, id, instant, metadata, words } from './columns.ts';
import { agentModes } from './threads.ts';

const providers = ['llm_provider_1', 'llm_provider_2', 'llm_provider_3'] as const;

/** A former signing secret of a tool. */
export interface FormerSecret {
  /** JWE, context `tools/<id>/signing_secret`. */
  readonly jwe: string;
  /** It signs until then; epoch milliseconds. */
  readonly until: number;
}

export const Tool = defineEntity({
  name: 'Tool',
  tableName: 'tools',
  properties: {
    toolId: id().primary(),
    projectId: id(),
    environmentId: id(),
    name: p.text(),
    description: p.text().nullable(),
    url: p.text().nullable(),
    method: p.enum(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const),
    /** The names, each with `[redacted]` for its value: what the API shows. */
    headers: p.json<Record<string, unknown>>().default('{}'),
    /** Names and values: JWE of a JSON object, context `tools/<id>/headers`. Null: there are none. */
    sealedHeaders: p.text().nullable(),
    /** Signs requests, so that the tool can check its caller: JWE, context `tools/<id>/signing_secret`. */
    signingSecret: p.text(),
    /** The newest first. They sign, too, until their grace is over. */
    formerSecrets: p.json<readonly FormerSecret[]>().default('[]'),
    inputSchema: p.json<Record<string, unknown>>().nullable(),
    timeoutMs: p.integer(),
    retryMaxAttempts: p.integer(),
    retryBackoffMs: p.integer(),
    status: p.enum(['active', 'disabled', 'error'] as const),
    /** Consecutive failures; 5 open the circuit (storage/agents/tool-calls.ts). */
    failures: p.integer().default(0),
    /** When a tool in `error` may be probed again. */
    probeAt: instant().nullable(),
    /** Its calls wait until a person approves them. */
    requiresApproval: p.boolean().default(false),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
  },
  indexes: [
    { name: 'tools_listed', properties: ['projectId', 'environmentId', 'createdAt', 'toolId'] },
    { name: 'tools_rotating', properties: ['toolId'], where: "former_secrets <> '[]'" },
  ],
});

export const Loom = defineEntity({
  name: 'Loom',
  tableName: 'looms',
  properties: {
    loomId: id().primary(),
    projectId: id(),
    environmentId: id(),
    name: p.text(),
    status: p.enum(['active', 'archived'] as const),
    activeVersionId: id().nullable(),
    /** The number of the newest version; a new version takes the next one under the row's lock. */
    lastVersion: p.integer().default(0),
    /** The number of the newest entry of its history; the next one is taken under the row's lock. */
    lastActivation: p.integer().default(0),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
    archivedAt: instant().nullable(),
  },
  indexes: [{ name: 'looms_listed', properties: ['projectId', 'environmentId', 'createdAt', 'loomId'] }],
});

/** Immutable except for its status. */
export const LoomVersion = defineEntity({
  name: 'LoomVersion',
  tableName: 'loom_versions',
  properties: {
    loomVersionId: id().primary(),
    projectId: id(),
    environmentId: id(),
    loomId: id(),
    version: p.integer(),
    status: p.enum(['published', 'archived'] as const),
    systemPrompt: p.text(),
    rules: words(),
    provider: p.enum(providers),
    model: p.text(),
    byokCredentialId: id().nullable(),
    mode: p.enum(agentModes).nullable(),
    temperature: p.double().nullable(),
    maxTokens: p.integer().nullable(),
    toolIds: words(),
    metadata: metadata(),
    createdAt: instant(),
  },
  uniques: [{ name: 'loom_versions_number', properties: ['loomId', 'version'] }],
});

/** A version became the active one of its loom. Entries are only ever added. */
export const LoomActivation = defineEntity({
  name: 'LoomActivation',
  tableName: 'loom_activations',
  properties: {
    loomId: id().primary(),
    /** 1, 2, 3 ... */
    number: p.integer().primary(),
    projectId: id(),
    environmentId: id(),
    loomVersionId: id(),
    /** The version that was active before; null: none was. */
    previousVersionId: id().nullable(),
    actor: p.json<Actor>(),
    reason: p.text().nullable(),
    createdAt: instant(),
  },
});

export const Agent = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    agentId: id().primary(),
    projectId: id(),
    environmentId: id(),
    name: p.text(),
    /** Null: as the active version of its loom says, else paused. */
    mode: p.enum(agentModes).nullable(),
    loomId: id().nullable(),
    /** Some threads are answered by another version than the active one (storage/writes/agent-splits.ts); null, all five: none are. */
    splitId: id().nullable(),
    splitVersionId: id().nullable(),
    /** 0 to 100. */
    splitPercent: p.integer().nullable(),
    /** The loom's last activation when the split was made: it counts as long as that is the last one. */
    splitActivation: p.integer().nullable(),
    splitAt: instant().nullable(),
    metadata: metadata(),
    createdAt: instant(),
    updatedAt: instant(),
    archivedAt: instant().nullable(),
  },
  indexes: [
    { name: 'agents_listed', properties: ['projectId', 'environmentId', 'createdAt', 'agentId'] },
    { name: 'agents_loom', properties: ['loomId'], where: 'loom_id is not null' },
  ],
});

export const AgentRun = defineEntity({
  name: 'AgentRun',
  tableName: 'agent_runs',
  properties: {
    agentRunId: id().primary(),
    projectId: id(),
    environmentId: id(),
    agentId: id().nullable(),
    loomId: id().nullable(),
    loomVersionId: id().nullable(),
    threadId: id().nullable(),
    inputMessageId: id().nullable(),
    outputMessageId: id().nullable(),
    status: p.enum(['pending', 'running', 'succeeded', 'failed', 'cancelled'] as const),
    provider: p.enum(providers),
    model: p.text(),
    mode: p.enum(agentModes),
    promptTokens: p.integer().nullable(),
    completionTokens: p.integer().nullable(),
    totalTokens: p.integer().nullable(),
    estimatedCostMicros: big().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    toolCallCount: p.integer().default(0),
    trace: p.json<Record<string, unknown>>().default('{}'),
    metadata: metadata(),
    /** Of the trace's suggestion; null where there is none, or it was made before there was this column. */
    suggestionStatus: p.text().nullable(),
    startedAt: instant().nullable(),
    completedAt: instant().nullable(),
    createdAt: instant(),
    updatedAt: instant(),
    state: p.json<unknown>(),
    version: big(),
  },
  indexes: [
    {
      name: 'agent_runs_suggesting',
      properties: ['projectId', 'environmentId', 'createdAt', 'agentRunId'],
      where: "suggestion_status = 'pending'",
    },
    { name: 'agent_runs_listed', properties: ['projectId', 'environmentId', 'createdAt', 'agentRunId'] },
    {
      name: 'agent_runs_thread',
      properties: ['projectId', 'environmentId', 'threadId', 'createdAt', 'agentRunId'],
      where: 'thread_id is not null',
    },
    {
      name: 'agent_runs_agent',
      properties: ['projectId', 'environmentId', 'agentId', 'createdAt', 'agentRunId'],
      where: 'agent_id is not null',
    },
    {
      name: 'agent_runs_suggestions',
      properties: ['projectId', 'environmentId', 'agentId', 'createdAt', 'loomVersionId', 'suggestionStatus'],
      where: 'suggestion_status is not null',
    },
    {
      name: 'agent_runs_traced',
      properties: ['completedAt'],
      where: "completed_at is not null and state <> '{}'",
    },
    {
      name: 'agent_runs_alone',
      properties: ['projectId', 'environmentId', 'completedAt'],
      where: 'thread_id is null',
    },
  ],
});

/** What the runs of one environment may cost, in millionths of a dollar; null: no limit. No row: no limits. */
export const Budget = defineEntity({
  name: 'Budget',
  tableName: 'budgets',
  properties: {
    projectId: id().primary(),
    environmentId: id().primary(),
    perRunMicros: big().nullable(),
    perThreadMicros: big().nullable(),
    perProjectDayMicros: big().nullable(),
    /** The mode that a thread falls to. */
    fallsTo: p.enum(['suggest', 'paused'] as const),
    updatedAt: instant(),
  },
});
