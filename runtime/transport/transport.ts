/**
 * How commands reach the node that owns an actor's shard, and how messages reach every node. One conformance suite
 * (test/runtime/transport/transport.conformance.ts) tests every implementation: local, NATS, simulated.
 */
import type { DueReminder } from '../actor/index.ts';

/** A command on its way to an actor. Everything in it is JSON. */
export interface Envelope {
  readonly kind: string;
  readonly id: string;
  readonly command: string;
  readonly payload: unknown;
  /**
   * By the monotonic clock of the node that has the envelope: the remaining time is what crosses (wire.ts). A command whose deadline
   * has passed is dropped before its turn.
   */
  readonly deadline: number;
  readonly requestId?: string | undefined;
  /** W3C Trace Context. */
  readonly traceparent?: string | undefined;
  /** Only in a tell: instead of a command, a reminder that is due soon, for the owner of its actor's shard. */
  readonly reminder?: DueReminder;
}

/**
 * Answers an envelope. Rejects with a `ServiceError`, which crosses the wire as code, message and details, or with `NoOwner` when the
 * shard has another owner by now, which the caller receives as such.
 */
export type EnvelopeHandler = (envelope: Envelope) => Promise<unknown>;

/** Gives up a subscription. */
export type Release = () => Promise<void>;

export interface Transport {
  /**
   * Subscribes this node as the owner of a shard. The returned function gives the shard up: new asks find no owner at once, and it
   * resolves when the answers in flight are out.
   */
  serve(shard: number, handler: EnvelopeHandler): Promise<Release>;
  /**
   * Rejects with `NoOwner` at once when no node serves the shard, with `svc/runtime/unavailable` after the deadline or when the
   * outcome is unknown, with `svc/runtime/internal_error` when the handler failed with anything but a `ServiceError`.
   */
  ask(shard: number, envelope: Envelope): Promise<unknown>;
  /** Fire and forget; never rejects, never throws. */
  tell(shard: number, envelope: Envelope): void;
  /** Sends a message to every node, this one included: at most once, in order per publisher, never in the publisher's own stack. */
  publish(topic: string, message: string): void;
  /** The other listeners still get a message when one throws. */
  subscribe(topic: string, listener: (message: string) => void): () => void;
  /** Whether any node subscribes to the topic; true where that is not known. Its listeners notice nothing. */
  isHeard(topic: string): Promise<boolean>;
  /** Gives up every shard and subscription, lets answers in flight finish, then closes. Idempotent. */
  drain(): Promise<void>;
}
