/**
 * How commands reach the node that owns an actor's shard, and how news reaches every node. One conformance suite
 * (test/runtime/transport.conformance.ts) holds every implementation: local, NATS, simulated.
 */

/** A command on its way to an actor. Everything in it is JSON. */
export interface Envelope {
  readonly kind: string;
  readonly id: string;
  readonly command: string;
  readonly payload: unknown;
  /** Epoch milliseconds; a command whose deadline has passed is dropped before its turn. */
  readonly deadline: number;
  readonly requestId?: string;
  readonly traceparent?: string;
}

/** Answers an envelope, or rejects with a `ServiceError`, which crosses the wire as code, message and details. */
export type Serve = (envelope: Envelope) => Promise<unknown>;

export interface Transport {
  /** Subscribes this node as the owner of a shard; the returned function gives it up once answers in flight are out. */
  serve(shard: number, handler: Serve): Promise<() => Promise<void>>;
  /** Rejects with `NoOwner` at once when nobody owns the shard, with `svc/runtime/unavailable` past the deadline. */
  ask(shard: number, envelope: Envelope): Promise<unknown>;
  /** Fire and forget; never rejects, never throws. */
  tell(shard: number, envelope: Envelope): void;
  /** News for every node, this one included: at most once, in order per publisher. */
  publish(topic: string, message: string): void;
  subscribe(topic: string, listener: (message: string) => void): () => void;
  /** Lets answers in flight finish, then closes. Idempotent. */
  drain(): Promise<void>;
}

/** Nobody owns the shard right now: retry with jitter until the deadline. */
export class NoOwner extends Error {
  override readonly name = 'NoOwner';
}
