/**
 * Runs on real nodes in virtual time, with fake models and tools. A node can die, or stand still and go on after another has taken over.
 */
import assert from 'node:assert/strict';
import { conflict, notFound } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { AgentMode } from '../../../protocol/resources/thread.ts';
import { actor, type AnyActorKind } from '../../../runtime/actor/actor.ts';
import { runCommand, type ToolOutcome, type ModelAnswer } from '../../../actors/run/commands.ts';
import { createRuns, type Runs } from '../../../actors/run/kind.ts';
import type { ToolCallRequest, StepRequest } from '../../../actors/run/task-requests.ts';
import type { ModelOutcome, Plan, RunServices } from '../../../actors/run/services.ts';
import type { RunState } from '../../../actors/run/state.ts';
import { startNode, type TestNode } from '../../runtime/node-fixture.ts';
import { MemoryDatabase, type MemoryStoreOptions } from '../../support/memory-store.ts';
import { seeded } from '../../support/seeded.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { createBeginning, rules, tenancy } from './run-harness.ts';

/** What a model makes of a step: its answer, when it is there. */
export type Model = (
  order: StepRequest,
  signal: AbortSignal,
  onDelta: (text: string) => void,
) => Promise<ModelOutcome>;

/** What a tool makes of one attempt: whether it succeeds, when that is known. */
export type Tool = (order: ToolCallRequest, attempt: number, signal: AbortSignal) => Promise<boolean>;

export interface RunNodesOptions {
  readonly model: Model;
  readonly tool?: Tool;
  readonly services?: Partial<RunServices>;
  readonly store?: Omit<MemoryStoreOptions, 'clock' | 'database'>;
  /** How often the thread refuses the answer, since what was read of the agent has changed. Default 0. */
  readonly changes?: number;
  /** The thread was removed. Default false. */
  readonly isThreadGone?: boolean;
}

interface RunNode {
  readonly testNode: TestNode;
  readonly runs: Runs;
}

interface Heard {
  readonly answers: number;
  readonly ends: number;
  /** What the last end has said of the agent. */
  readonly agentMode?: AgentMode | undefined;
}

type ThreadCommands = Record<
  'takeAnswer' | 'runOver',
  { payload: { readonly agentRunId: string; readonly agentMode?: AgentMode }; reply: null }
>;

/** Stands for the thread: it sends the answer, once however often it is told (a run asks again), and counts what it hears. */
function threadKind({
  changes = 0,
  isThreadGone = false,
}: Pick<RunNodesOptions, 'changes' | 'isThreadGone'>): AnyActorKind {
  let refusals = 0;
  return actor<Heard, ThreadCommands, unknown>({
    kind: 'thread',
    initialState: () => ({ answers: 0, ends: 0 }),
    decide: {
      takeAnswer: (state, { agentRunId }) => {
        if (isThreadGone) throw notFound();
        if (refusals++ < changes) throw conflict('The agent has changed.');
        if (state.answers > 0) return { reply: null };
        const payload = { ...tenancy, outcome: 'sent', messageId: newId('message') };
        const to = { kind: 'run', id: agentRunId };
        return {
          state: { ...state, answers: state.answers + 1 },
          remind: [{ key: runCommand.answerDecided, at: 0, to, command: runCommand.answerDecided, payload }],
          reply: null,
        };
      },
      runOver: (state, { agentMode }) => ({
        state: { ...state, ends: state.ends + 1, ...(agentMode === undefined ? {} : { agentMode }) },
        reply: null,
      }),
    },
  });
}

/** The kind without its rows, which this store cannot hold. */
function withoutRows(kind: Runs['kind']): AnyActorKind {
  const decide = Object.entries(kind.decide).map(([name, decided]) => [
    name,
    (...turn: Parameters<AnyActorKind['decide'][string]>) => {
      const { writes: _, ...rest } = decided(...turn);
      return rest;
    },
  ]);
  return { ...(kind as AnyActorKind), decide: Object.fromEntries(decide) as AnyActorKind['decide'] };
}

export class RunNodes {
  readonly clock = new VirtualClock();
  readonly database = new MemoryDatabase();
  readonly runId = newId('run');
  readonly threadId = newId('thread');
  readonly shown: string[] = [];
  /** Attempts that were made, by call. */
  readonly attempts = new Map<string, number[]>();
  /** What a tool would have to complain of. */
  readonly wrongs: string[] = [];
  /** Of nodes that are started from now on. */
  services: Partial<RunServices>;
  readonly #options: RunNodesOptions;
  readonly #nodes: RunNode[] = [];

  constructor(options: RunNodesOptions) {
    this.#options = options;
    this.services = options.services ?? {};
  }

  /** The node that has the run. */
  get node(): RunNode {
    return this.#nodes.at(-1) as RunNode;
  }

  /** The run as it is committed. */
  get state(): RunState {
    const row = this.database.read({ kind: 'run', id: this.runId });
    assert.ok(row !== undefined);
    return row.state as RunState;
  }

  get heard(): Heard {
    const row = this.database.read({ kind: 'thread', id: this.threadId });
    return (row?.state as Heard | undefined) ?? { answers: 0, ends: 0 };
  }

  async start(): Promise<void> {
    const { clock, database } = this;
    const made = createRuns(this.#services());
    const kinds = [withoutRows(made.kind), threadKind(this.#options)];
    const testNode = await startNode({ clock, database, kinds, ...this.#options.store });
    this.#nodes.push({ testNode, runs: made });
  }

  async begin(): Promise<void> {
    await this.ask('begin', createBeginning(this.threadId));
  }

  ask(command: string, payload: unknown): Promise<unknown> {
    return this.clock.until(this.node.testNode.node.ask({ kind: 'run', id: this.runId }, command, payload));
  }

  /** The node cannot reach the database any more, whatever else it does; another one comes up. */
  async fail(): Promise<void> {
    this.node.testNode.store.offline = true;
    await this.start();
  }

  /** Those that stood still go on, with all that they had in memory. */
  wake(): void {
    for (const { testNode } of this.#nodes) testNode.store.offline = false;
  }

  async stop(): Promise<void> {
    for (const { testNode, runs } of this.#nodes) {
      testNode.store.offline = false;
      runs.drain();
      runs.giveUp();
      await this.clock.until(testNode.node.drain());
    }
  }

  #services(): RunServices {
    const { clock } = this;
    const { model } = this.#options;
    const plan = { tools: [] } as unknown as Plan;
    return {
      plans: { createPlan: () => Promise.resolve(plan) },
      models: { answer: (_, order, signal, onDelta) => model(order, signal, onDelta) },
      budgets: { exceeded: () => Promise.resolve(undefined) },
      agents: { findCurrent: () => Promise.resolve({ mode: 'auto', channelAgentId: null }) },
      tools: { call: (order, signal, attempt) => this.#call(order, signal, attempt) },
      show: ({ body }) => this.shown.push(body),
      random: seeded(1),
      log: { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined },
      clock,
      ...this.services,
    };
  }

  /** A tool, with the rule of its name: see `Tools`. */
  async #call(
    order: ToolCallRequest,
    signal: AbortSignal,
    mayMake: (number: number) => Promise<boolean>,
  ): Promise<ToolOutcome> {
    const { callId, toolId, lost } = order;
    const result = (status: ToolOutcome['status']): ToolOutcome => ({
      callId,
      status,
      durationMs: 1,
      httpStatus: null,
      result: null,
      error: status === 'succeeded' ? null : 'it has failed',
    });
    for (let attempt = order.attempt; ; attempt++) {
      const isCommitted = attempt === order.attempt;
      if (isCommitted && lost) continue;
      if (attempt > (rules[toolId] ?? 0))
        return result(lost && attempt === order.attempt + 1 ? 'interrupted' : 'failed');
      if (!isCommitted && !(await mayMake(attempt))) return result('failed');
      this.#note(callId, attempt);
      if ((await this.#options.tool?.(order, attempt, signal)) ?? true) return result('succeeded');
    }
  }

  #note(callId: string, attempt: number): void {
    const call = this.state.trace.steps.flatMap(step => step.toolCalls).find(one => one.callId === callId);
    if (call?.status !== 'pending') this.wrongs.push('a tool call was repeated after its result');
    const made = this.attempts.get(callId) ?? [];
    if (made.includes(attempt)) this.wrongs.push('an attempt was made twice');
    this.attempts.set(callId, [...made, attempt]);
  }
}

/** An answer that wants so many calls of a tool; of none, one that says so. */
export function saying(text: string, calls = 0, toolId = 'tool_thrice'): ModelAnswer {
  return {
    text,
    calls: Array.from({ length: calls }, (_, i) => ({
      providerCallId: `call_${i}`,
      name: 'a_tool',
      toolId,
      arguments: {},
    })),
    messages: [{ role: 'assistant', content: text }],
    finishReason: 'stop',
    promptCharacters: 1,
    promptTokens: 1,
    completionTokens: 1,
    costMicros: 1,
  };
}

/** Waits as a request would: rejects with the signal's reason. */
export function takes(clock: VirtualClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(ms, resolve);
    const stop = (): void => {
      timer.cancel();
      reject(signal.reason as Error);
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
