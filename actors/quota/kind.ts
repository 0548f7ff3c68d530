/**
 * The actor kinds `quota` and `slow-quota`: each actor is one bucket of requests that a whole cluster shares. The bucket's owner
 * grants tokens; the nodes that serve requests spend them (gateway/quota).
 *
 * A bucket lives in memory alone: a row per bucket would cost more than the requests that it counts. It leaves memory only after it
 * must be full again. When it moves to another node, the first node that asks reports how full it last was, as far as that node knows. If
 * no node remembers the bucket, little has been taken from it lately, and it begins full.
 *
 * Slow are the few buckets that take long to be full again. The many others, among them one for each thread, need not stay as long.
 */
import { actor, type ActorKind, type ActorRef, type Decision, type Turn } from '../../runtime/actor/index.ts';
import { fullLevel, type Rate } from './bucket.ts';
import { grant, leaseMs, type SharedBucket, type TokenRequest } from './shared-bucket.ts';

/**
 * A node asks for tokens. The command carries the rate; the rate is also part of the bucket's name ({@link getQuotaRef}), so that
 * another rate is another bucket.
 */
export interface Take extends TokenRequest, Rate {
  /** The level as the node knows it, in parts of a token (bucket.ts). Absent when the node has never asked, or long ago. */
  readonly level?: number;
}

export interface Grant {
  /** Fewer than wanted means that the bucket is empty. May be somewhat more than wanted. */
  readonly tokens: number;
  /** What the bucket has left. */
  readonly level: number;
}

export type QuotaCommands = { readonly take: { readonly payload: Take; readonly reply: Grant } };

/** Null: no tokens were requested yet. */
export type QuotaState = SharedBucket | null;

/** A bucket that is full again within this many milliseconds is not slow: that of a few requests a minute, and a quarter of that. */
const slowMs = 4 * 60_000;

/** The bucket of that name. The name tells the class of requests, the rate, and whose requests they are. */
export function getQuotaRef(name: string, { windowMs }: Rate): ActorRef {
  return { kind: windowMs > slowMs ? 'slow-quota' : 'quota', id: name };
}

/** @param longestWindowMs after this long every bucket is full again */
export function createQuotaKinds(longestWindowMs: number): ActorKind<QuotaState, QuotaCommands>[] {
  return [
    createQuotaKind('quota', Math.min(longestWindowMs, slowMs)),
    createQuotaKind('slow-quota', longestWindowMs),
  ];
}

function createQuotaKind(kind: string, windowMs: number): ActorKind<QuotaState, QuotaCommands> {
  return actor<QuotaState, QuotaCommands, unknown>({
    kind,
    snapshot: 'none',
    initialState: () => null,
    decide: { take },
    idleMs: windowMs + leaseMs,
  });
}

function take(state: QuotaState, command: Take, { now }: Turn): Decision<QuotaState, Grant> {
  const before = state ?? {
    level: Math.max(0, Math.min(fullLevel(command), command.level ?? Infinity)),
    at: now,
    leases: [],
  };
  const { bucket, tokens } = grant(command, before, command, now);
  return { state: bucket, reply: { tokens, level: bucket.level } };
}
