/**
 * A decision of a run in the making: the next state, and the events, reminders and effects that it brings. It lives for one turn
 * and touches nothing but itself.
 */
import type { Decision, Effect, Reminder, Turn } from '../../runtime/actor.ts';
import { eventText, type EventName } from '../../protocol/events.ts';
import { derivedId, numberedId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/resources/message.ts';
import { appendEvent, type Write } from '../../storage/writes.ts';
import type { RunOver, TakeAnswer, ThreadAgentCommands } from '../thread/agent-commands.ts';
import { callTasks, orderOf, type ThinkTask } from './orders.ts';
import { briefRun } from './run-text.ts';
import { longestWaitMs, resumeEveryMs, type RunState } from './state.ts';
import type { RunTrace, TracedStep } from './trace.ts';

export type RunDecision<Reply> = Decision<RunState, Reply, Write>;

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** How a run ends. */
export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

export class RunDraft {
  readonly runId: string;
  /** The instant of the turn: epoch milliseconds, and ISO 8601. */
  readonly now: number;
  readonly at: string;
  /** A copy of the state, free to be changed until the decision is made. */
  readonly next: Mutable<RunState>;
  readonly #writes: Write[] = [];
  readonly #reminders: Reminder[] = [];
  readonly #forget: string[] = [];
  readonly #effects: Effect[] = [];

  constructor(state: RunState, turn: Turn) {
    this.runId = turn.id;
    this.now = turn.now;
    this.at = new Date(turn.now).toISOString();
    this.next = { ...state, updatedAt: this.at };
  }

  /** @param members what `data` holds beside the common members (decisions, section 7) */
  event(eventName: EventName, members: Readonly<Record<string, unknown>>, author?: Actor): void {
    const { projectId, environmentId, threadId, head } = this.next;
    const { at: occurredAt } = this;
    // Not by the run's own id: its random characters are its thread's, which numbers events too.
    const eventId = numberedId('event', this.now, derivedId('event', this.runId), ++this.next.events);
    const actor: Actor = author ?? { type: 'agent', id: head?.agentId ?? null };
    const thread = threadId === null ? {} : { threadId };
    const data = JSON.stringify({ environmentId, ...thread, actor, ...members });
    const body = eventText({ eventId, eventName, occurredAt, projectId, data });
    this.#writes.push(
      appendEvent({ projectId, environmentId, eventId, eventName, occurredAt, ...thread, body }),
    );
  }

  /** An event that carries the run as it stands now. */
  runEvent(eventName: EventName, author?: Actor): void {
    this.event(eventName, { agentRun: briefRun(this.next, this.runId) }, author);
  }

  /** The run is given up at `at`, epoch milliseconds, unless it is in another phase by then. */
  expireAt(at: number): void {
    this.next.deadline = at;
    this.#reminders.push({ key: 'expire', at, command: 'expire', payload: {} });
  }

  /** Somebody looks after the run in a few seconds. */
  lookAgain(): void {
    const at = this.now + resumeEveryMs;
    this.#reminders.push({ key: 'resume', at, command: 'resume', payload: {} });
  }

  perform(task: 'think' | 'call' | 'stop', payload: unknown): void {
    this.#effects.push({ do: 'perform', task, payload });
  }

  /** Goes on to the next step. */
  think(): void {
    this.next.phase = 'thinking';
    this.next.calls = [];
    this.makeStep();
  }

  /** Makes the step that the run is at. */
  makeStep(): void {
    const { environmentId, phase } = this.next;
    const order = phase === 'waiting' ? null : orderOf(this.next, this.runId);
    const task: ThinkTask = { environmentId, order };
    this.perform('think', task);
  }

  /** Makes the calls that are pending. `fresh`: in the commit in which their attempt begins. */
  makeCalls(fresh: boolean): void {
    for (const task of callTasks(this.next, this.runId, fresh)) this.perform('call', task);
  }

  changeTrace(change: Partial<RunTrace>): void {
    this.next.trace = { ...this.next.trace, ...change };
  }

  /** The newest step, changed. */
  changeStep(change: (step: TracedStep) => TracedStep): void {
    const { steps } = this.next.trace;
    this.changeTrace({ steps: steps.map((step, i) => (i === steps.length - 1 ? change(step) : step)) });
  }

  /** Gives what the newest step says to the thread, which tells durably what becomes of it; only `expire` is waited for beside it. */
  answer(): void {
    const { next } = this;
    const { steps, handoff } = next.trace;
    const output = steps.at(-1)?.output ?? '';
    const answer: Pick<TakeAnswer, 'body' | 'mode' | 'handoff'> = {
      body: output.trim() === '' ? '' : output,
      mode: next.head?.mode ?? 'suggest',
      ...(handoff === undefined ? {} : { handoff }),
    };
    Object.assign(next, { phase: 'answering', calls: [], asks: next.asks + 1 });
    this.expireAt(this.now + longestWaitMs);
    this.#forget.push('resume');
    this.#tellThread('answer', 'takeAnswer', answer);
  }

  /** Tells the thread that the run has ended without an answer. */
  over(more: Pick<RunOver, 'budget'> = {}): void {
    this.#tellThread('over', 'runOver', more);
  }

  #tellThread(name: string, command: keyof ThreadAgentCommands, more: object): void {
    const { projectId, environmentId, threadId } = this.next;
    if (threadId === null) return;
    this.#reminders.push({
      key: `${name}:${this.runId}`,
      at: this.now,
      to: { kind: 'thread', id: threadId },
      command,
      payload: { projectId, environmentId, agentRunId: this.runId, ...more },
    });
  }

  /** From now on nothing changes any more but a suggestion. */
  end({ status, errorCode, errorMessage }: Ending): void {
    const wasWorking = this.next.phase !== 'answering';
    Object.assign(this.next, {
      ...{ status, phase: 'over', completedAt: this.at, turns: [], calls: [], deadline: 0 },
      ...{ errorCode: errorCode ?? null, errorMessage: errorMessage ?? null },
    });
    if (this.next.trace.steps.length > 0) this.changeStep(interrupted);
    this.runEvent(`agent.run.${status}`);
    this.#forget.push('expire', 'resume');
    if (wasWorking) this.perform('stop', {});
  }

  /** The reminders and effects alone: nothing of the run itself has changed. */
  asItWas(): RunDecision<null> {
    return { remind: this.#reminders, effects: this.#effects, reply: null };
  }

  /** The decision as it stands, answered with `reply`. */
  decide<Reply>(reply: Reply): RunDecision<Reply> {
    return {
      state: this.next,
      writes: this.#writes,
      remind: this.#reminders,
      forget: this.#forget,
      effects: this.#effects,
      reply,
    };
  }
}

/** The step of a run that has ended: what was out is not waited for. */
function interrupted(step: TracedStep): TracedStep {
  if (!step.toolCalls.some(({ status }) => status === 'pending')) return step;
  const toolCalls = step.toolCalls.map(call =>
    call.status === 'pending'
      ? { ...call, status: 'interrupted' as const, error: 'the run has ended meanwhile' }
      : call,
  );
  return { ...step, toolCalls };
}
