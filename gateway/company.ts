/** The company that a node keeps: none, or the other nodes of its cluster (cluster.ts). */
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import { EveryShard, type Placement } from '../runtime/placement.ts';
import { LocalTransport } from '../runtime/transport/local.ts';
import type { Transport } from '../runtime/transport/transport.ts';

export interface Company {
  readonly transport: Transport;
  readonly placement: Placement;
  /** Resolves when the node can serve, as far as its company goes: for /readyz. */
  check(): Promise<void>;
  /** What there is to see of the cluster, as JSON; undefined: nothing, the node is alone. */
  describe(): object | undefined;
  /** Gives every shard to another node, while this one goes on answering; at once when there is no other. Never rejects. */
  handOver(): Promise<void>;
  /** After the actors have drained. */
  close(): Promise<void>;
}

/** Of a node that owns every shard. */
export function alone(clock: Clock, log: Log): Company {
  return {
    transport: new LocalTransport({ clock, log }),
    placement: new EveryShard(),
    check: () => Promise.resolve(),
    describe: () => undefined,
    // Its shards stay with it until the last request is answered.
    handOver: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
