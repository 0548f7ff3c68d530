/**
 * Builds the decision of one turn: the run's next state, and the events, reminders and effects that go with it. A builder lives for one
 * turn and changes nothing but itself.
 */
import type { Decision, Effect, Reminder, Turn } from '../../runtime/actor/index.ts';
import { formatEvent, type EventName } from '../../protocol/events.ts';
import { derivedId, numberedId } from '../../protocol/ids.ts';
import type { Actor } from '../../protocol/resources/index.ts';
import type { Write } from '../../storage/statements/index.ts';
import { appendEvent } from '../../storage/writes/index.ts';
import type { RunOver } from './thread-reports.ts';
import {
  createAnswerOffer,
  createToolCallTasks,
  createStepRequest,
  type ModelStepTask,
} from './task-requests.ts';
import { toBriefRun } from './json.ts';
import { maxAnsweringMs, resumeEveryMs, type RunState } from './state.ts';
import type { RunTrace, TracedCall, TracedStep } from './trace.ts';

export type RunDecision<Reply> = Decision<RunState, Reply, Write>;

/** The key of the reminder that refuses calls which nobody approves. */
const approvalsReminder = 'approvals';

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };

/** How a run ends. */
export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

export class RunDecisionBuilder {
  readonly runId: string;
  /** The instant of the turn: epoch milliseconds, and ISO 8601. */
  readonly now: number;
  readonly at: string;
  /** A copy of the state, which may be changed until `decide`. */
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

  /** @param members what `data` holds beside the members that all events have */
  addEvent(eventName: EventName, members: Readonly<Record<string, unknown>>, author?: Actor): void {
    const { projectId, environmentId, threadId, channelId, head } = this.next;
    const { at: occurredAt } = this;
    // Not numbered by the run's own id: the run shares its random characters with its thread, which numbers events too.
    const eventId = numberedId('event', this.now, derivedId('event', this.runId), ++this.next.events);
    const actor: Actor = author ?? { type: 'agent', id: head?.agentId ?? null };
    const thread = {
      ...(threadId === null ? {} : { threadId }),
      ...(channelId === null ? {} : { channelId }),
    };
    const data = JSON.stringify({ environmentId, ...thread, actor, ...members });
    const body = formatEvent({ eventId, eventName, occurredAt, projectId, data });
    this.#writes.push(
      appendEvent({ projectId, environmentId, eventId, eventName, occurredAt, ...thread, body }),
    );
  }

  /** An event that carries the run as it stands now. */
  addRunEvent(eventName: EventName, author?: Actor): void {
    this.addEvent(eventName, { agentRun: toBriefRun(this.next, this.runId) }, author);
  }

  /** The run is given up at `at`, epoch milliseconds, unless it is in another phase by then. */
  expireAt(at: number): void {
    this.next.deadline = at;
    this.#reminders.push({ key: 'expire', at, command: 'expire', payload: {} });
  }

  /** In a few seconds the run is resumed, in case its tasks were lost. */
  scheduleResume(): void {
    const at = this.now + resumeEveryMs;
    this.#reminders.push({ key: 'resume', at, command: 'resume', payload: {} });
  }

  /** Goes on to the next step. */
  nextStep(): void {
    this.next.phase = 'thinking';
    this.next.calls = [];
    this.performStep();
  }

  /** Starts the task for the step that the run is at. */
  performStep(): void {
    const { environmentId, phase } = this.next;
    const request = phase === 'waiting' ? null : createStepRequest(this.next, this.runId);
    const task: ModelStepTask = { environmentId, request };
    this.#perform('modelStep', task);
  }

  /** Starts the tasks for the calls that are pending. `fresh`: this commit begins their attempts. */
  performCalls(fresh: boolean): void {
    for (const task of createToolCallTasks(this.next, this.runId, fresh)) this.#perform('toolCall', task);
  }

  /** Starts the task for that call, whose attempt this commit begins. */
  performCall(callId: string): void {
    for (const task of createToolCallTasks(this.next, this.runId, true)) {
      if (task.request.callId === callId) this.#perform('toolCall', task);
    }
  }

  /** The run's time stands still until approvals come, for that many milliseconds at most. */
  stopTime(ms: number): void {
    this.next.approvalsExpireAt = this.now + ms;
    this.remindOfApprovals();
    this.expireAt(this.next.deadline + ms);
  }

  remindOfApprovals(): void {
    const { approvalsExpireAt: at } = this.next;
    this.#reminders.push({ key: approvalsReminder, at, command: 'expireApprovals', payload: {} });
  }

  /** The run's time goes on: it has as much left as when it was stopped. */
  resumeTime(): void {
    const left = this.next.deadline - this.next.approvalsExpireAt;
    this.next.approvalsExpireAt = 0;
    this.#forget.push(approvalsReminder);
    this.expireAt(this.now + left);
  }

  add(writes: readonly Write[]): void {
    this.#writes.push(...writes);
  }

  /** Starts the task that offers the answer to the thread. */
  performOffer(): void {
    const offer = createAnswerOffer(this.next, this.runId);
    if (offer !== undefined) this.#perform('offerAnswer', offer);
  }

  #perform(task: 'modelStep' | 'toolCall' | 'offerAnswer' | 'stop', payload: unknown): void {
    this.#effects.push({ do: 'perform', task, payload });
  }

  changeTrace(change: Partial<RunTrace>): void {
    this.next.trace = { ...this.next.trace, ...change };
  }

  /** Replaces the newest step. */
  changeStep(change: (step: TracedStep) => TracedStep): void {
    const { steps } = this.next.trace;
    this.changeTrace({ steps: steps.map((step, i) => (i === steps.length - 1 ? change(step) : step)) });
  }

  /** The text of the newest step is the answer: the run offers it to its thread, and waits for the decision. */
  answer(): void {
    const { next } = this;
    next.phase = 'answering';
    next.calls = [];
    this.expireAt(this.now + maxAnsweringMs);
    this.performOffer();
  }

  /** Tells the thread that the run has ended without an answer. */
  tellRunOver(more: Pick<RunOver, 'budget' | 'agentMode'> = {}): void {
    const { projectId, environmentId, threadId } = this.next;
    if (threadId === null) return;
    const payload: RunOver = { projectId, environmentId, agentRunId: this.runId, ...more };
    const to = { kind: 'thread', id: threadId };
    this.#reminders.push({ key: `over:${this.runId}`, at: this.now, to, command: 'runOver', payload });
  }

  /** Ends the run. From then on only a suggestion may still change. */
  end({ status, errorCode, errorMessage }: Ending): void {
    const { next } = this;
    next.status = status;
    next.phase = 'over';
    next.completedAt = this.at;
    next.turns = [];
    next.calls = [];
    next.deadline = 0;
    next.errorCode = errorCode ?? null;
    next.errorMessage = errorMessage ?? null;
    if (next.trace.steps.length > 0) this.changeStep(interruptCalls);
    this.addRunEvent(`agent.run.${status}`);
    this.#forget.push('expire', 'resume');
    if (next.approvalsExpireAt !== 0) this.#forget.push(approvalsReminder);
    next.approvalsExpireAt = 0;
    this.#perform('stop', {});
  }

  /** Only the reminders and effects: the run itself has not changed. */
  decideUnchanged(): RunDecision<null> {
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

/** The newest step of a run that has ended: calls without an outcome are not waited for. */
function interruptCalls(step: TracedStep): TracedStep {
  if (!step.toolCalls.some(isOpen)) return step;
  return { ...step, toolCalls: step.toolCalls.map(call => (isOpen(call) ? interrupt(call) : call)) };
}

function interrupt(call: TracedCall): TracedCall {
  const { approval } = call;
  const reason = 'the run has ended meanwhile';
  const ended =
    approval?.status === 'pending' ? { approval: { ...approval, status: 'refused', reason } as const } : {};
  return { ...call, status: 'interrupted', error: reason, ...ended };
}

/** Whether the call has no outcome yet. */
export function isOpen({ status }: TracedCall): boolean {
  return status === 'pending' || status === 'awaiting_approval';
}
