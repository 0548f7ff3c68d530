/** A system that delivers webhooks, as the benchmark handles it. */
import type { ReceiverReport } from '../support/receiver.ts';

/** Deliveries of a turn, and the threads they are spread over. */
export const queued = 20_000;
export const threads = 1_000;

export interface Sender {
  readonly name: string;
  readonly isOurs: boolean;
  /** Of its process, while it runs. */
  pid(): number;
  /** Puts the deliveries into the tables; the sender's process is not running. */
  queue(): Promise<void>;
  /** Starts the sender's process and lets it go. */
  start(): Promise<void>;
  /** Deliveries that are not settled yet. */
  open(): Promise<number>;
  /** Throws when something is not as it should be after the run. */
  verify(): Promise<void>;
  stop(): Promise<void>;
}

/** Throws unless every delivery came, and came once. */
export function requireAll({ requests, distinct }: ReceiverReport): void {
  if (requests !== queued || distinct !== queued) {
    throw new Error(`${requests} requests brought ${distinct} of ${queued} events`);
  }
}
