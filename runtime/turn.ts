/** One turn: a command is decided on the actor's newest state, and what has to be committed for it is put together. */
import { ServiceError } from '../protocol/errors.ts';
import type { ActorRef, Decision, Reminder } from './actor.ts';
import type { Command } from './command.ts';
import { internalError, isRefusal } from './failures.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';
import type { Chain, Commit, DueReminder, PlacedReminder } from './store.ts';

/** What an actor is since its last load: the newest state and version, committed or not. Its commits are one chain. */
export class Standing implements Chain {
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

const nothing: readonly never[] = [];

/**
 * Decides the command and moves `standing` on. Afterwards the command has a decision or an error, and a commit when one
 * is needed. Never throws.
 */
export function takeTurn(command: Command, standing: Standing, kind: Kind, host: Host, now: number): void {
  kind.counters.turns++;
  try {
    const decision = command.decide(standing.state, command.payload, { now, id: standing.ref.id });
    const next = decision.state === undefined ? standing.state : decision.state;
    if (kind.stored) command.commit = commitOf(decision, next, command, standing, host);
    else requireNoRows(decision, command);
    command.decision = decision;
    standing.state = next;
    if (command.commit?.snapshot !== undefined) standing.version++;
  } catch (error) {
    refuse(command, standing, kind, host, error);
  }
}

function commitOf(
  decision: Decision<unknown>,
  next: unknown,
  command: Command,
  standing: Standing,
  host: Host,
): Commit | undefined {
  const { writes = nothing, remind = nothing, forget = nothing, transient = false } = decision;
  const rows = writes.length + remind.length + forget.length;
  if (transient && rows > 0) throw new Error('a transient decision has rows or reminders');
  const changed = !transient && next !== standing.state;
  if (!changed && rows === 0 && command.reminder === undefined) return undefined;
  return {
    actor: standing.ref,
    base: standing.version,
    chain: standing,
    snapshot: changed ? { version: standing.version + 1, state: next } : undefined,
    writes,
    remind: remind.length === 0 ? nothing : remind.map(reminder => addressed(reminder, standing.ref, host)),
    forget: forgotten(forget, command.reminder),
  };
}

function requireNoRows({ writes, remind, forget }: Decision<unknown>, { reminder }: Command): void {
  if (writes === undefined && remind === undefined && forget === undefined && reminder === undefined) return;
  throw new Error('a decision of a kind without snapshots has rows or reminders');
}

function addressed(reminder: Reminder, self: ActorRef, host: Host): PlacedReminder {
  const { key, at, to = self, command, payload } = reminder;
  return { key, at, to, command, payload, attempts: 0, shard: host.shardOf(to) };
}

function forgotten(keys: readonly string[], handled: DueReminder | undefined): Commit['forget'] {
  if (keys.length === 0 && handled === undefined) return nothing;
  const forget: { key: string; at?: number }[] = keys.map(key => ({ key }));
  // Only the instant that was delivered: set anew meanwhile, it is another reminder.
  if (handled !== undefined) forget.push({ key: handled.key, at: handled.at });
  return forget;
}

function refuse(command: Command, standing: Standing, kind: Kind, host: Host, error: unknown): void {
  if (error instanceof ServiceError) {
    kind.counters.refusals++;
    command.error = error;
    if (kind.stored && command.reminder !== undefined && isRefusal(error)) command.commit = proof(standing);
    return;
  }
  kind.counters.defects++;
  const { requestId, traceparent } = command.origin ?? {};
  const fields = { err: error, kind: kind.name, id: standing.ref.id, command: command.name };
  host.log.error({ ...fields, requestId, traceparent }, 'a decision failed');
  command.error = internalError();
}

/**
 * A commit of nothing. A refused reminder ends as a dead letter, so the refusal must be the word of the one true state: only
 * an activation that is not stale gets this past the fence.
 */
function proof(standing: Standing): Commit {
  const { ref, version } = standing;
  return {
    actor: ref,
    base: version,
    chain: standing,
    writes: nothing,
    remind: nothing,
    forget: nothing,
  };
}
