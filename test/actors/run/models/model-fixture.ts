/** Plans, requests and answers for tests of models, over real connections and in virtual time. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Test } from 'tap';
import { createModels, type ModelServices } from '../../../../actors/run/models/models.ts';
import { defaultModelUrls } from '../../../../actors/run/models/urls.ts';
import type { ModelAnswer, RunFailure } from '../../../../actors/run/commands.ts';
import type { StepRequest } from '../../../../actors/run/task-requests.ts';
import type { ModelOutcome, Models, Plan, PlannedTool } from '../../../../actors/run/services.ts';
import type { ByokCredential, Provider } from '../../../../protocol/resources/byok.ts';
import { silentLog } from '../../../../runtime/observability/log.ts';
import { Receiver, type Behaviour } from '../../../support/receiver.ts';
import { VirtualClock } from '../../../support/virtual-clock.ts';

export const start = Date.UTC(2026, 5, 1);
export const key = 'sk-test-0123456789-newest';
export const olderKey = 'sk-test-0123456789-older';

const at = new Date(start).toISOString();

export const credential: ByokCredential = {
  byokCredentialId: 'byok_1',
  projectId: 'proj_1',
  environmentId: 'env_1',
  provider: 'llm_provider_1',
  displayName: 'ours',
  status: 'active',
  keyFingerprint: 'abc',
  modelAllowlist: [],
  metadata: {},
  lastUsedAt: null,
  rotationGraceExpiresAt: null,
  revokedAt: null,
  createdAt: at,
  updatedAt: at,
};

export const lookUp: PlannedTool = {
  toolId: 'tool_1',
  name: 'look_up',
  description: 'Looks up an order.',
  inputSchema: {
    type: 'object',
    properties: { orderId: { type: 'string', maxLength: 8 } },
    required: ['orderId'],
    additionalProperties: false,
  },
  timeoutMs: 5_000,
  requiresApproval: false,
};

export function createPlan(more: Partial<Plan> = {}): Plan {
  return {
    provider: 'llm_provider_1',
    model: 'gpt-4o-mini',
    systemPrompt: 'You help.',
    temperature: null,
    maxTokens: null,
    tools: [lookUp],
    history: [{ role: 'user', content: 'where is my order?' }],
    credential: { resource: credential, keys: [key] },
    ...more,
  };
}

export function toOrder(more: Partial<StepRequest> = {}): StepRequest {
  return {
    projectId: 'proj_1',
    environmentId: 'env_1',
    agentRunId: 'run_1',
    threadId: 'thread_1',
    channelId: 'ch_1',
    head: {
      agentId: 'agt_1',
      loomId: 'loom_1',
      loomVersionId: 'lver_1',
      mode: 'auto',
      provider: 'llm_provider_1',
      model: 'gpt-4o-mini',
    },
    basedOnSequence: 1,
    step: 1,
    turns: [],
    costMicros: 0,
    deadline: start + 120_000,
    ...more,
  };
}

export interface ModelFixture {
  readonly models: Models;
  readonly clock: VirtualClock;
  readonly deltas: string[];
  readonly used: string[];
  /** How attempts have ended. */
  readonly attempts: string[];
  /** Asks with the plan; the signal and the order may be given. */
  ask(plan?: Partial<Plan>, order?: Partial<StepRequest>, signal?: AbortSignal): Promise<ModelOutcome>;
}

/** @param url of the server that all three providers have here */
export function createModelFixture(url: string, more: Partial<ModelServices> = {}): ModelFixture {
  const clock = new VirtualClock(start);
  const deltas: string[] = [];
  const used: string[] = [];
  const attempts: string[] = [];
  const models = createModels({
    urls: Object.fromEntries(Object.keys(defaultModelUrls).map(name => [name, url])) as Record<
      Provider,
      string
    >,
    clock,
    random: { next: () => 0.5, bytes: size => new Uint8Array(size) },
    log: silentLog,
    used: ({ byokCredentialId }) => {
      used.push(byokCredentialId);
      return Promise.resolve();
    },
    attempted: (provider, outcome) => void attempts.push(`${provider} ${outcome}`),
    ...more,
  });
  return {
    models,
    clock,
    deltas,
    used,
    attempts,
    ask: (plan = {}, order = {}, signal = new AbortController().signal) =>
      models.answer(createPlan(plan), toOrder(order), signal, delta => deltas.push(delta)),
  };
}

/** A server for the time of the test. */
export async function receiverFor(t: Test): Promise<Receiver> {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  return receiver;
}

/** Resolves when nothing but that many timers is awaited: a model that is being asked has two, a wait has one. */
export async function untilTimers(fixture: ModelFixture, count: number): Promise<void> {
  while (fixture.clock.pending !== count) await fixture.clock.flush();
}

/** The failure of an outcome; throws where there is an answer. */
export function getFailure(outcome: ModelOutcome): RunFailure {
  if ('failure' in outcome) return outcome.failure;
  throw new Error(`an answer: ${outcome.text}`);
}

export function answered(outcome: ModelOutcome): ModelAnswer {
  if ('failure' in outcome) throw new Error(outcome.failure.errorMessage);
  return outcome;
}

/** A chunk of OpenAI's stream. */
export function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}

/** The last chunk of OpenAI's stream: what the answer has used. */
export function usage(input: number, output: number): string {
  const used = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: used })}\n\n`;
}

/** Answers with a whole stream of these chunks. */
export function stream(...chunks: readonly string[]): Behaviour {
  return (_request, response) => {
    open(response);
    for (const text of chunks) response.write(text);
    response.end('data: [DONE]\n\n');
  };
}

/** Begins a stream and leaves the rest to the caller. */
export function open(response: ServerResponse<IncomingMessage>): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
}

export function calls(...wanted: readonly { readonly name: string; readonly input: string }[]): Behaviour {
  const toolCalls = wanted.map(({ name, input }, index) => ({
    index,
    id: `call_${index + 1}`,
    type: 'function',
    function: { name, arguments: input },
  }));
  return stream(chunk({ role: 'assistant', content: null, tool_calls: toolCalls }), chunk({}, 'tool_calls'));
}

export const hello: Behaviour = stream(
  chunk({ role: 'assistant', content: 'Hel' }),
  chunk({ content: 'lo.' }, 'stop'),
);
