/**
 * The kinds `quota` and `slow-quota`: one bucket of requests each, that a whole cluster shares. Its one owner hands out tokens; the
 * nodes that serve requests spend them (gateway/quota/).
 *
 * It lives in memory alone: a row per bucket would cost more than the requests that it counts. It leaves memory once it is full again
 * in any case. When it moves to another node, the first who asks says how full it last was, as far as they know; of a bucket that
 * nobody remembers it is taken that nobody has lately taken much, and it begins full.
 *
 * Slow are the few buckets that take long to be full again. The many, one for each thread among them, need not stay for as long.
 */
import { actor, type ActorKind, type ActorRef, type Decision, type Turn } from '../../runtime/actor.ts';
import { full, type Rate } from './bucket.ts';
import { granted, holdMs, type Ledger, type Want } from './ledger.ts';

/** A node asks for tokens. The rate is in the command, and by {@link quotaRef} in the bucket's name: another rate, another bucket. */
export interface Take extends Want, Rate {
  /** The level as the node knows it, in parts of a token: see bucket.ts. Absent when it has never asked, or long ago. */
  readonly level?: number;
}

export interface Grant {
  /** 0 to as many as were wanted, and perhaps some more; fewer than wanted means that the bucket is empty. */
  readonly tokens: number;
  /** What the bucket has left. */
  readonly level: number;
}

export type QuotaCommands = { readonly take: { readonly payload: Take; readonly reply: Grant } };

/** Null: nobody has asked yet. */
export type QuotaState = Ledger | null;

/** A bucket that is full again within this many milliseconds is not slow: one of a few requests a minute, and a quarter of that. */
const slowMs = 4 * 60_000;

/** The bucket of that name, whatever the name is made of: a class of requests, a rate, and whose they are. */
export function quotaRef(name: string, { windowMs }: Rate): ActorRef {
  return { kind: windowMs > slowMs ? 'slow-quota' : 'quota', id: name };
}

/** @param longestWindowMs after this long every bucket is full again */
export function quotaKinds(longestWindowMs: number): ActorKind<QuotaState, QuotaCommands>[] {
  return [quotaKind('quota', Math.min(longestWindowMs, slowMs)), quotaKind('slow-quota', longestWindowMs)];
}

function quotaKind(kind: string, windowMs: number): ActorKind<QuotaState, QuotaCommands> {
  return actor<QuotaState, QuotaCommands, unknown>({
    ...{ kind, snapshot: 'none', blank: () => null, decide: { take } },
    idleMs: windowMs + holdMs,
  });
}

function take(state: QuotaState, command: Take, { now }: Turn): Decision<QuotaState, Grant> {
  const before = state ?? {
    level: Math.max(0, Math.min(full(command), command.level ?? Infinity)),
    at: now,
    holdings: [],
  };
  const { ledger, tokens } = granted(command, before, command, now);
  return { state: ledger, reply: { tokens, level: ledger.level } };
}
