/**
 * The placement of a cluster: shards are owned under leases in a `Register` that all nodes share, a JetStream bucket in production.
 *
 * `LeasedPlacement` puts the parts together. `ClusterView` follows the register; `Membership` joins, renews and leaves;
 * `FailureDetector` removes members that are gone; `Leases` claims, takes and hands over shards, by the rules of lease-action.ts and
 * rendezvous.ts.
 */
export { LeasedPlacement } from './leased-placement.ts';
export { registerStream } from './nats-bucket.ts';
export { NatsPeers } from './nats-peers.ts';
export { NatsRegister } from './nats-register.ts';
export type { ClusterStatus, NodeStatus, ShardStatus } from './status.ts';
