/** What the parts of a clustered placement need of their node. */
import type { Clock, Random } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Counters } from '../metrics.ts';
import type { Peers } from './peers.ts';
import type { Register } from './register.ts';
import type { Timing } from './timing.ts';

export interface ClusterHost {
  /** The node's name. */
  readonly id: string;
  /** The version of its software. */
  readonly release: string;
  readonly wire: number;
  readonly register: Register;
  readonly peers: Peers;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly counters: Counters;
  readonly timing: Timing;
}

/** What a member is called, this incarnation and no other: under this name it answers pings. */
export function memberName(id: string, incarnation: string): string {
  return `${id}.${incarnation}`;
}
