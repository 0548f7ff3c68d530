/** What the parts of a clustered placement need of their node, and how a node checks the others. */
import type { Counters, Log } from '../observability/index.ts';
import type { Clock, Random } from '../time/index.ts';
import type { Register } from './register.ts';
import type { Timing } from './timing.ts';

/**
 *   here     it answered
 *   gone     nobody listens under that name: its connection is closed
 *   silent   no answer in time: it hangs, or the network is broken
 */
export type PingResult = 'here' | 'gone' | 'silent';

/** Whether the other nodes answer, and whether this one can be reached. */
export interface Peers {
  /** Answers pings for the given name, until the returned function is called. */
  answerPings(name: string): Promise<() => void>;
  /** Never rejects. */
  ping(name: string, timeoutMs: number): Promise<PingResult>;
  /** Whether this node can be reached: false as soon as its connection is known to be lost. */
  readonly connected: boolean;
  /** Calls back at each change of `connected`. After an outage, changes of the register and messages may have been missed. */
  onConnection(listener: (connected: boolean) => void): () => void;
}

export interface ClusterContext {
  /** The node's name. */
  readonly id: string;
  /** The version of its software. */
  readonly release: string;
  /** The version of the protocol between nodes (records.ts). */
  readonly wire: number;
  /** Where other services reach it; undefined: it does not tell. */
  readonly address: string | undefined;
  readonly register: Register;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly counters: Counters;
  readonly timing: Timing;
}

/** The name of one incarnation of a member, under which it answers pings. */
export function getMemberName(id: string, incarnation: string): string {
  return `${id}.${incarnation}`;
}
