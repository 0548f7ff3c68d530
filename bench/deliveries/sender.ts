/** What every sender of webhooks does in a turn. */
import { quick } from '../support/turns.ts';

/** Deliveries of a turn, and the threads they are spread over. */
export const queued = quick(20_000, 2_000);
export const threads = 1_000;

/** A system that delivers webhooks. */
export interface Sender {
  readonly name: string;
  /** Of its process, while it runs. */
  pid(): number;
  /** Puts the deliveries into the tables. The sender's process is not running. */
  queue(): Promise<void>;
  start(): Promise<void>;
  /** Deliveries that are not settled yet. */
  open(): Promise<number>;
  /** Throws when the run was not as it should be: each delivery comes exactly once. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}

/** Throws unless every delivery came, and came once. */
export function requireAll({
  requests,
  distinct,
}: {
  readonly requests: number;
  readonly distinct: number;
}): void {
  if (requests === queued && distinct === queued) return;
  throw new Error(`${requests} requests brought ${distinct} of ${queued} events`);
}
