/** What a node needs of its cluster. cluster.ts makes it over NATS; a node without NATS_URL is standalone. */
import type { ClusterStatus } from '../../runtime/cluster/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import {
  type Placement,
  type ShardOwners,
  SoleOwner,
  StandalonePlacement,
} from '../../runtime/placement/index.ts';
import type { Config } from '../config/index.ts';
import { LocalTransport, type Transport } from '../../runtime/transport/index.ts';

export interface ClusterRuntime {
  readonly transport: Transport;
  readonly placement: Placement;
  readonly owners: ShardOwners;
  /** Before the database is migrated: rejects where nodes run that this one does not fit. Waits while it cannot be known. */
  checkFit(): Promise<void>;
  /** Resolves when the node is a member that can serve. For /readyz. */
  check(): Promise<void>;
  /** Unique in the cluster. */
  readonly nodeId: string;
  /** The state of the cluster, to be shown as JSON. Undefined: the node is standalone. */
  describe(): (ClusterStatus & { readonly cluster: string }) | undefined;
  /** Whether NATS is reached. Undefined: the node is standalone. */
  isConnected(): boolean | undefined;
  /** Hands every shard to another node, while this one still answers. Resolves at once when there is no other. Never rejects. */
  handOver(): Promise<void>;
  /** After the actors have drained. */
  close(): Promise<void>;
}

/** For a node that owns every shard. */
export function standalone(
  { nodeId = 'node', grpcAdvertisedAddress, shards }: Config,
  clock: Clock,
  log: Log,
): ClusterRuntime {
  return {
    transport: new LocalTransport({ clock, log }),
    placement: new StandalonePlacement(),
    owners: new SoleOwner(nodeId, grpcAdvertisedAddress, shards),
    checkFit: () => Promise.resolve(),
    check: () => Promise.resolve(),
    nodeId,
    describe: () => undefined,
    isConnected: () => undefined,
    // The node keeps its shards until the last request is answered.
    handOver: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
