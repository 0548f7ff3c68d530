/**
 * How commands reach the node that owns an actor's shard, and how news reaches every node. One conformance suite
 * (test/runtime/transport.conformance.ts) holds every implementation: local, NATS, simulated.
 */
import type { DueReminder } from '../store.ts';

/** A command on its way to an actor. Everything in it is JSON. */
export interface Envelope {
  readonly kind: string;
  readonly id: string;
  readonly command: string;
  readonly payload: unknown;
  /**
   * By the monotonic clock of the node that has the envelope: what crosses is the time that is left (wire.ts). A command whose
   * deadline has passed is dropped before its turn.
   */
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** Only in a tell: no command but the news of a reminder that is due soon, for the owner of its actor's shard. */
  readonly reminder?: DueReminder;
}

/**
 * Answers an envelope. Rejects with a `ServiceError`, which crosses the wire as code, message and details, or with
 * `NoOwner` when the shard went elsewhere meanwhile, which the asker sees as such.
 */
export type Serve = (envelope: Envelope) => Promise<unknown>;

/** Gives up what was subscribed. */
export type Release = () => Promise<void>;

/** The way between nodes. */
export interface Transport {
  /**
   * Subscribes this node as the owner of a shard. The returned function gives it up: from its call on, new asks find no
   * owner; it resolves once the answers in flight are out.
   */
  serve(shard: number, handler: Serve): Promise<Release>;
  /**
   * Rejects with `NoOwner` at once when nobody owns the shard, with `svc/runtime/unavailable` past the deadline or when the
   * outcome is unknown, with `svc/runtime/internal_error` when the handler failed with anything but a `ServiceError`.
   */
  ask(shard: number, envelope: Envelope): Promise<unknown>;
  /** Fire and forget; never rejects, never throws. */
  tell(shard: number, envelope: Envelope): void;
  /** News for every node, this one included: at most once, in order per publisher, never in the publisher's own stack. */
  publish(topic: string, message: string): void;
  /** A listener that throws harms no other. */
  subscribe(topic: string, listener: (message: string) => void): () => void;
  /** Gives up every shard and subscription, lets answers in flight finish, then closes. Idempotent. */
  drain(): Promise<void>;
}

/** Nobody owns the shard right now: retry with jitter until the deadline. */
export class NoOwner extends Error {
  override readonly name = 'NoOwner';
}
