/**
 * Where an actor lives. Its key gives a shard (shards.ts); a `Placement` decides which shards this node owns and tells the node by
 * `NodeShards`. A standalone node owns all of them; runtime/cluster has the placement of a cluster.
 */
export { type NodeShards, type Placement, StandalonePlacement, type WriteProof } from './placement.ts';
export { SoleOwner, type ShardOwner, type ShardOwners } from './owners.ts';
export { defaultShardCount, getShard, maxShardCount, murmur3 } from './shards.ts';
