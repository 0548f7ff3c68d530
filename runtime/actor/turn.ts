/**
 * A command, from its arrival to its answer; the queue that it waits in; and its turn: the command is decided on the actor's newest state,
 * and what has to be committed for it is put together.
 *
 * A command is in one queue of one actor at a time. Its status:
 *
 *   waiting -> committing      decided; its commit is in flight
 *   waiting -> held            decided, with nothing to commit; it waits for the commits before it, on which its decision may rest
 *   committing -> committed    its commit is durable; it is answered when it is the first in flight
 *   committing -> failed       its commit was refused, and no later one rests on it; it is answered when it is the first in flight
 *   committing -> broken       its commit was refused, and with it all later ones, which rest on it
 *   any -> waiting             undone: an earlier commit was refused, or its own was fenced
 */
import { ServiceError } from '../../protocol/errors.ts';
import type { Log, Span } from '../observability/index.ts';
import type { ActorRef, Decision, Reminder } from './actor.ts';
import { internalError, isRefusal } from './failures.ts';
import type { AnyDecide, Kind } from './kind.ts';
import type { NodeContext } from './node-context.ts';
import type { Chain, Commit, DueReminder, PlacedReminder } from './store.ts';

export type CommandStatus = 'waiting' | 'committing' | 'held' | 'committed' | 'failed' | 'broken';

/** The request that a command belongs to, for log lines and traces. */
export interface RequestContext {
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
}

export class Command {
  readonly name: string;
  readonly decide: AnyDecide;
  readonly payload: unknown;
  /** Monotonic milliseconds. */
  readonly deadline: number;
  readonly request: RequestContext | undefined;
  /** The reminder that it delivers; the commit that handles it deletes the reminder. */
  readonly reminder: DueReminder | undefined;
  /** Both absent in a tell. */
  readonly resolve: ((reply: unknown) => void) | undefined;
  readonly reject: ((error: Error) => void) | undefined;

  /** The next one in its queue. */
  next: Command | undefined = undefined;
  status: CommandStatus = 'waiting';
  /** How often its own commit was fenced. */
  tries = 0;
  decision: Decision<unknown> | undefined = undefined;
  commit: Commit | undefined = undefined;
  /** A refusal by the decision, or the failure of the commit. */
  error: unknown = undefined;
  /** When its commit was sent, in monotonic milliseconds. */
  sentAt = 0;
  /** From its arrival to its answer; undefined where its trace is not kept. */
  span: Span | undefined = undefined;

  constructor(
    name: string,
    decide: AnyDecide,
    payload: unknown,
    deadline: number,
    request?: RequestContext,
    reminder?: DueReminder,
    resolve?: (reply: unknown) => void,
    reject?: (error: Error) => void,
  ) {
    this.name = name;
    this.decide = decide;
    this.payload = payload;
    this.deadline = deadline;
    this.request = request;
    this.reminder = reminder;
    this.resolve = resolve;
    this.reject = reject;
  }

  /** Forgets its turn, so that it can be decided again. */
  undo(): void {
    this.status = 'waiting';
    this.decision = undefined;
    this.commit = undefined;
    this.error = undefined;
  }
}

export interface Linked<T> {
  /** The next member; only the queue sets it. */
  next: T | undefined;
}

/**
 * A queue that is linked through its members:
 *
 *   head -> member -> member -> member <- tail
 *
 * A member is in one queue at a time, so the links cost no memory and an empty queue costs three fields; with a ring buffer each of
 * 100,000 idle actors would pay for its slots. Turns that were undone go back to the front in one step. The owner of a queue keeps its
 * bound.
 */
export class Queue<T extends Linked<T>> {
  #head: T | undefined = undefined;
  #tail: T | undefined = undefined;
  #size = 0;

  get head(): T | undefined {
    return this.#head;
  }

  get size(): number {
    return this.#size;
  }

  push(member: T): void {
    if (this.#tail === undefined) this.#head = member;
    else this.#tail.next = member;
    this.#tail = member;
    this.#size++;
  }

  shift(): T | undefined {
    const head = this.#head;
    if (head === undefined) return undefined;
    this.#head = head.next;
    if (head.next === undefined) this.#tail = undefined;
    else head.next = undefined;
    this.#size--;
    return head;
  }

  /** Moves all members of the other queue to the front of this one. */
  prepend(other: Queue<T>): void {
    if (other.#tail === undefined) return;
    other.#tail.next = this.#head;
    this.#head = other.#head;
    this.#tail ??= other.#tail;
    this.#size += other.#size;
    other.#head = other.#tail = undefined;
    other.#size = 0;
  }
}

/**
 * An actor's newest state and version since its last load, which may not be committed yet. The commits decided on it are one chain.
 */
export class SpeculativeState implements Chain {
  readonly ref: ActorRef;
  state: unknown;
  version: number;
  broken = false;

  constructor(ref: ActorRef, state: unknown, version: number) {
    this.ref = ref;
    this.state = state;
    this.version = version;
  }
}

/** What a turn needs of the node. */
type TurnContext = Pick<NodeContext, 'getShard'> & { readonly log: Log };

const nothing: readonly never[] = [];

/**
 * Decides the command and applies the decision to `current`. Afterwards the command has a decision or an error, and a commit when
 * one is needed. Never throws.
 */
export function takeTurn(
  command: Command,
  current: SpeculativeState,
  kind: Kind,
  context: TurnContext,
  now: number,
): void {
  kind.counters.turns++;
  try {
    const decision = command.decide(current.state, command.payload, { now, id: current.ref.id });
    const next = decision.state === undefined ? current.state : decision.state;
    if (kind.stored) command.commit = createCommit(decision, next, command, current, context);
    else requireNoRows(decision, command);
    command.decision = decision;
    current.state = next;
    if (command.commit?.snapshot !== undefined) current.version++;
  } catch (error) {
    refuse(command, current, kind, context, error);
  }
}

/** Undefined when there is nothing to commit. */
function createCommit(
  decision: Decision<unknown>,
  next: unknown,
  command: Command,
  current: SpeculativeState,
  context: TurnContext,
): Commit | undefined {
  const { writes = nothing, remind = nothing, forget = nothing, transient = false } = decision;
  const rows = writes.length + remind.length + forget.length;
  if (transient && rows > 0) throw new Error('a transient decision has rows or reminders');
  const changed = !transient && next !== current.state;
  if (!changed && rows === 0 && command.reminder === undefined) return undefined;
  return {
    actor: current.ref,
    base: current.version,
    chain: current,
    snapshot: changed ? { version: current.version + 1, state: next } : undefined,
    writes,
    remind: remind.length === 0 ? nothing : remind.map(reminder => place(reminder, current.ref, context)),
    forget: listForgotten(forget, command.reminder),
    traceparent: command.span?.traceparent,
  };
}

function requireNoRows({ writes, remind, forget }: Decision<unknown>, { reminder }: Command): void {
  if (writes === undefined && remind === undefined && forget === undefined && reminder === undefined) return;
  throw new Error('a decision of a kind without snapshots has rows or reminders');
}

function place(reminder: Reminder, self: ActorRef, context: TurnContext): PlacedReminder {
  const { key, at, to = self, command, payload } = reminder;
  return { key, at, to, command, payload, attempts: 0, shard: context.getShard(to) };
}

function listForgotten(keys: readonly string[], handled: DueReminder | undefined): Commit['forget'] {
  if (keys.length === 0 && handled === undefined) return nothing;
  const forget: { key: string; at?: number }[] = keys.map(key => ({ key }));
  // Only the one that was delivered: set for another time meanwhile, it is another reminder.
  if (handled !== undefined) forget.push({ key: handled.key, at: handled.at });
  return forget;
}

function refuse(
  command: Command,
  current: SpeculativeState,
  kind: Kind,
  context: TurnContext,
  error: unknown,
): void {
  if (error instanceof ServiceError) {
    kind.counters.refusals++;
    command.error = error;
    if (kind.stored && command.reminder !== undefined && isRefusal(error)) {
      command.commit = createEmptyCommit(current);
    }
    return;
  }
  kind.counters.defects++;
  const { requestId, traceparent } = command.request ?? {};
  const fields = { err: error, kind: kind.name, id: current.ref.id, command: command.name };
  context.log.error({ ...fields, requestId, traceparent }, 'a decision failed');
  command.error = internalError();
}

/**
 * A refused reminder becomes a dead letter, so the refusal must come from the one true state: the version check of an empty commit
 * lets only an activation pass that is not stale.
 */
function createEmptyCommit(current: SpeculativeState): Commit {
  return {
    actor: current.ref,
    base: current.version,
    chain: current,
    writes: nothing,
    remind: nothing,
    forget: nothing,
  };
}
