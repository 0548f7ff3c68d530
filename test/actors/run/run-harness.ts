/**
 * A run without a server: its decisions, and fakes of the runtime, the database, machines, models and tools. A machine may die, and lose
 * what it had in memory; or stand still and go on later, when another machine has the run.
 */
import assert from 'node:assert/strict';
import Value from 'typebox/value';
import { ServiceError } from '../../../protocol/errors.ts';
import { eventTypes, type EventName } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Effect, Reminder } from '../../../runtime/actor/actor.ts';
import {
  runCommand,
  type ToolOutcome,
  type ModelAnswer,
  type ModelUse,
  type RunCommands,
  type RunErrorCode,
} from '../../../actors/run/commands.ts';
import { createRuns } from '../../../actors/run/kind.ts';
import {
  beginWithinMs,
  type OfferAnswerTask,
  type ToolCallTask,
  type StepRequest,
  type ModelStepTask,
} from '../../../actors/run/task-requests.ts';
import type { RunServices } from '../../../actors/run/services.ts';
import { runSnapshot } from '../../../actors/run/snapshot.ts';
import { isOpen } from '../../../actors/run/decision-builder.ts';
import { blankRun, hasEnded, maxApprovalMs, maxSteps, type RunState } from '../../../actors/run/state.ts';
import type { TracedCall } from '../../../actors/run/trace.ts';

/** Not used: the harness runs no tasks. */
const { kind } = createRuns({} as RunServices);

/** Of every tool here; after it, and the time to begin in, an attempt is lost. */
export const attemptMs = 25_000;
export const maxAttemptMs = attemptMs + beginWithinMs;
export const beginning = Date.UTC(2026, 0, 1);
export const tenancy = { projectId: newId('project'), environmentId: newId('environment') };

export const head = {
  agentId: newId('agent'),
  loomId: newId('loom'),
  loomVersionId: newId('loomVersion'),
  provider: 'llm_provider_1',
  model: 'a-model',
  mode: 'auto',
} as const;

/** Attempts that the tool's own rule allows, by its id. */
/** The command that begins a run of the thread. */
export const createBeginning = (
  threadId: string | null,
  channelId: string | null = null,
): RunCommands['begin']['payload'] => ({
  ...tenancy,
  threadId,
  channelId,
  head,
  inputMessageId: null,
  basedOnSequence: 1,
  metadata: {},
  author: { type: 'system', id: null },
});

export const rules: Readonly<Record<string, number>> = { tool_once: 1, tool_thrice: 3, tool_asks: 2 };

/** A person has to approve its calls. */
export const askingTool = 'tool_asks';

interface CallOut {
  readonly callId: string;
  readonly toolId: string;
  readonly attempt: number;
}

/** What one machine has in memory. */
interface Machine {
  tasks: { readonly task: string; readonly payload: unknown }[];
  steps: StepRequest[];
  calls: CallOut[];
}

const machine = (): Machine => ({ tasks: [], steps: [], calls: [] });

export class RunHarness {
  readonly runId = newId('run');
  readonly threadId: string | null;
  readonly channelId: string | null;
  now = beginning;
  state: RunState = blankRun();
  /** The last one has the run. */
  readonly machines: Machine[] = [machine()];
  /** The run's own. */
  readonly reminders = new Map<string, Reminder>();
  /** What the thread has been told: offered, or durably. */
  readonly told: Reminder[] = [];
  readonly events: { readonly name: string; readonly data: Readonly<Record<string, unknown>> }[] = [];
  /** Every command that was ever said. */
  readonly said: { readonly command: keyof RunCommands; readonly payload: unknown }[] = [];
  /** Attempts that were made, by call. */
  readonly made = new Map<string, number[]>();
  /** The run was let go of by its thread. */
  isLetGo = false;
  readonly #eventIds = new Set<string>();

  constructor(threadId: string | null = newId('thread')) {
    this.threadId = threadId;
    this.channelId = threadId === null ? null : newId('channel');
  }

  get here(): Machine {
    return this.machines.at(-1) as Machine;
  }

  get hasEnded(): boolean {
    return hasEnded(this.state.status);
  }

  /** The calls of the newest step. */
  get calls(): readonly TracedCall[] {
    return this.state.trace.steps.at(-1)?.toolCalls ?? [];
  }

  begin(): void {
    this.say('begin', createBeginning(this.threadId, this.channelId));
  }

  /** The reply; undefined where the run refuses. */
  say<Name extends keyof RunCommands>(
    command: Name,
    payload: RunCommands[Name]['payload'],
  ): RunCommands[Name]['reply'] | undefined {
    this.said.push({ command, payload });
    if (command === 'cancel' && (payload as RunCommands['cancel']['payload']).by === 'thread') {
      this.isLetGo ||= !this.hasEnded && this.state.head !== null;
    }
    const before = this.state;
    try {
      const turn = { now: this.now, id: this.runId };
      const decision = kind.decide[command](before, payload, turn);
      if (decision.state !== undefined) this.state = stored(decision.state);
      for (const write of decision.writes ?? []) this.#event(write.event?.body);
      for (const key of decision.forget ?? []) this.reminders.delete(key);
      for (const reminder of decision.remind ?? []) {
        if (reminder.to === undefined) this.reminders.set(reminder.key, reminder);
        else this.#tell(reminder);
      }
      this.#start(decision.effects ?? []);
      this.#check(before);
      return decision.reply as RunCommands[Name]['reply'];
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  /** Time passes, and the reminders that are due come. */
  pass(ms: number): void {
    this.now += ms;
    for (const [key, reminder] of [...this.reminders]) {
      if (reminder.at > this.now) continue;
      this.say(reminder.command as keyof RunCommands, reminder.payload as never);
      if (this.reminders.get(key) === reminder) this.reminders.delete(key);
    }
  }

  /** The machine is gone, or, where it only stood still, goes on one day; the run is loaded on another. */
  move(isDead: boolean): void {
    if (isDead) this.machines.pop();
    this.machines.push(machine());
    if (this.state.head !== null) this.say('resume', {});
  }

  /** The machine begins the first of its tasks: see actors/run/tasks. */
  work(on: Machine = this.here): void {
    const next = on.tasks.shift();
    if (next === undefined) return;
    if (next.task === 'stop') {
      on.steps = [];
      on.calls = [];
    } else if (next.task === 'modelStep') {
      const order = (next.payload as ModelStepTask).request ?? this.say('start', {}) ?? null;
      if (order !== null && !on.steps.some(({ step }) => step === order.step)) on.steps.push(order);
    } else this.#call(on, next.payload as ToolCallTask);
  }

  #call(on: Machine, { request: order, lostAt, fresh }: ToolCallTask): void {
    const { callId, toolId, attempt } = order;
    if (on.calls.some(out => out.callId === callId)) return;
    const isOld = this.now >= lostAt;
    if (isOld) this.retry(on, { callId, toolId, attempt }, 'interrupted');
    else if (fresh) this.#make(on, { callId, toolId, attempt });
  }

  #make(on: Machine, out: CallOut): void {
    const call = this.state.trace.steps
      .flatMap(step => step.toolCalls)
      .find(one => one.callId === out.callId);
    // A task that was on its way when the run ended is stopped as soon as it has begun.
    const isCutShort = this.hasEnded && call?.status === 'interrupted';
    assert.ok(call?.status === 'pending' || isCutShort, 'an attempt after the outcome was recorded');
    const made = this.made.get(out.callId) ?? [];
    assert.ok(!made.includes(out.attempt), 'an attempt is made once');
    if (out.toolId === askingTool) assert.equal(call?.approval?.status, 'approved', 'nobody has approved it');
    assert.ok(out.attempt <= (rules[out.toolId] ?? 0), 'more attempts than the rule allows');
    this.made.set(out.callId, [...made, out.attempt]);
    on.calls.push(out);
  }

  /** The next attempt, where the rule has one left and the run lets it be made; else the outcome. */
  retry(on: Machine, { callId, toolId, attempt }: CallOut, status: 'failed' | 'interrupted'): void {
    if (attempt >= (rules[toolId] ?? 0)) this.say(runCommand.toolCompleted, outcome(callId, status));
    else if (this.say('attempt', { callId, attempt: attempt + 1 }) === true) {
      this.#make(on, { callId, toolId, attempt: attempt + 1 });
    }
  }

  /** A model answers. */
  answer(answer: Partial<ModelAnswer>, on: Machine = this.here): void {
    const order = on.steps.shift();
    if (order !== undefined)
      this.say(runCommand.stepCompleted, createStepCompleted(order.step, this.now, answer));
  }

  fail(errorCode: RunErrorCode, on: Machine = this.here, use?: ModelUse): void {
    const order = on.steps.shift();
    if (order === undefined) return;
    const failure = { errorCode, errorMessage: 'It has failed.', ...(use === undefined ? {} : { use }) };
    this.say(runCommand.stepCompleted, { step: order.step, startedAt: this.now, durationMs: 1, failure });
  }

  /** A tool answers, or the attempt fails and the tool's rule says what comes next. */
  tool(succeeds: boolean, on: Machine = this.here): void {
    const out = on.calls.shift();
    if (out === undefined) return;
    if (succeeds) this.say(runCommand.toolCompleted, outcome(out.callId, 'succeeded'));
    else this.retry(on, out, 'failed');
  }

  #start(effects: readonly Effect[]): void {
    for (const effect of effects) {
      assert.equal(effect.do, 'perform');
      if (effect.do !== 'perform') continue;
      const { task, payload } = effect;
      if (task === 'offerAnswer') this.#offer(payload as OfferAnswerTask);
      else this.here.tasks.push({ task, payload });
    }
  }

  #event(body: string | undefined): void {
    assert.ok(body !== undefined, 'a run writes nothing but events');
    const { eventId, eventName, data } = JSON.parse(body) as {
      eventId: string;
      eventName: EventName;
      data: Record<string, unknown>;
    };
    const [misfit] = Value.Errors(eventTypes[eventName].data, data);
    assert.equal(misfit, undefined, eventName);
    assert.ok(!this.#eventIds.has(eventId), 'an event has an id of its own');
    this.#eventIds.add(eventId);
    assert.equal(data['threadId'], this.threadId ?? undefined);
    assert.equal(data['channelId'], this.channelId ?? undefined);
    this.events.push({ name: eventName, data });
  }

  /** What the task reads of the agent is left out. */
  #offer({ threadId, channelId, agentId, answer }: OfferAnswerTask): void {
    assert.deepEqual([threadId, channelId, agentId], [this.threadId, this.channelId, head.agentId]);
    const to = { kind: 'thread', id: threadId };
    this.#tell({ key: 'answer', at: this.now, to, command: 'takeAnswer', payload: answer });
  }

  /** One that the thread has not handled yet is replaced. */
  #tell(reminder: Reminder): void {
    const earlier = this.told.findIndex(({ key }) => key === reminder.key);
    if (earlier < 0) this.told.push(reminder);
    else assert.deepEqual(reminder.payload, this.told[earlier]?.payload, 'another answer');
  }

  #check(before: RunState): void {
    const { state, told } = this;
    const { steps } = state.trace;
    assert.deepEqual(
      steps.map(({ step }) => step),
      steps.map((_, i) => i + 1),
      'steps are dense',
    );
    assert.ok(steps.length <= maxSteps);
    if (hasEnded(before.status)) assert.deepEqual(fixed(state), fixed(before), 'after its end a run changes');
    for (const step of before.trace.steps) {
      for (const call of step.toolCalls) {
        const now = steps[step.step - 1]?.toolCalls.find(({ callId }) => callId === call.callId);
        if (isOpen(call)) assert.ok((now?.attempts ?? 0) - call.attempts <= 1);
        else assert.deepEqual(now, call, 'a recorded outcome changes');
      }
    }
    const count = (command: string): number => told.filter(tell => tell.command === command).length;
    const answers = count('takeAnswer');
    const ends = count('runOver');
    assert.ok(answers <= 1 && ends <= 1, 'the thread is told one thing');
    // Only a run that its thread never judged says both.
    if (answers + ends === 2) assert.equal(state.errorCode, 'internal_error');
    const ended = hasEnded(state.status);
    if (ended && this.threadId !== null && !this.isLetGo)
      assert.ok(answers + ends >= 1, 'the thread is told');
    if (!ended && state.phase !== 'answering' && state.head !== null) assert.equal(answers + ends, 0);
    const outcomes = this.events
      .filter(({ name }) => name === 'agent.tool.completed' || name === 'agent.tool.failed')
      .map(({ data }) => data['callId']);
    assert.equal(new Set(outcomes).size, outcomes.length, 'an outcome is told once');
    const last = this.events.at(-1)?.name;
    if (ended) assert.equal(last, `agent.run.${state.status}`);
  }

  /** Nobody answers any more: what the reminders alone make of it. */
  letGo(): void {
    const end = this.now + maxApprovalMs + 5_000_000;
    while (!this.hasEnded && this.now < end) {
      const dues = [...this.reminders.values()].map(({ at }) => at);
      this.pass(Math.max(1, Math.min(end, ...dues) - this.now));
      while (this.here.tasks.length > 0) this.work();
    }
  }
}

/** What may never change once the run has ended. */
function fixed({ trace, outputMessageId: _, updatedAt: __, ...rest }: RunState): unknown {
  const { suggestion: ___, ...kept } = trace;
  return { ...rest, trace: kept };
}

/** The state as the next one who loads it finds it. */
function stored(state: RunState): RunState {
  const row = { ...runSnapshot.values('run', 0, 1, state as never) };
  const names = ['agent_run_id', 'version', ...columns];
  const read = Object.fromEntries(names.map((name, i) => [name, parsed(name, row[i])]));
  return runSnapshot.decode(read) as RunState;
}

const columns = [
  ...[
    'project_id',
    'environment_id',
    'agent_id',
    'loom_id',
    'loom_version_id',
    'thread_id',
    'input_message_id',
  ],
  ...['provider', 'model', 'mode', 'created_at', 'output_message_id', 'status', 'prompt_tokens'],
  ...['completion_tokens', 'total_tokens', 'estimated_cost_micros', 'error_code', 'error_message'],
  ...[
    'tool_call_count',
    'trace',
    'metadata',
    'suggestion_status',
    'started_at',
    'completed_at',
    'updated_at',
  ],
  'state',
];

function parsed(name: string, value: unknown): unknown {
  return ['trace', 'metadata', 'state'].includes(name) ? (JSON.parse(String(value)) as unknown) : value;
}

export function outcome(callId: string, status: ToolOutcome['status']): ToolOutcome {
  const isGood = status === 'succeeded';
  const error = isGood ? null : 'it has failed';
  return {
    callId,
    status,
    durationMs: 5,
    httpStatus: isGood ? 200 : null,
    result: isGood ? { callId } : null,
    error,
  };
}

export function createStepCompleted(
  step: number,
  now: number,
  answer: Partial<ModelAnswer>,
): RunCommands[typeof runCommand.stepCompleted]['payload'] {
  return {
    step,
    startedAt: now,
    durationMs: 10,
    answer: {
      text: '',
      calls: [],
      messages: [{ role: 'assistant', step }],
      finishReason: 'stop',
      promptCharacters: 100,
      promptTokens: 10,
      completionTokens: 2,
      costMicros: 3,
      ...answer,
    },
  };
}

/** A call that the model wants. */
export function wanted(toolId: string | null, n: number, refusal?: string): ModelAnswer['calls'][number] {
  const asks = toolId === askingTool ? ({ requiresApproval: true } as const) : {};
  const call = { providerCallId: `call_${n}`, name: 'a_tool', toolId, attemptMs, arguments: { n }, ...asks };
  return refusal === undefined ? call : { ...call, refusal };
}
