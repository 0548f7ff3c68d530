// Original file: protocol/internal.proto


export interface _skein_internal_v1_WatchShardsResponse_Node {
  'id'?: (string);
  /**
   * Where its gRPC is reached, `host:port`. Empty: it has not told.
   */
  'address'?: (string);
  /**
   * The shards that it owns.
   */
  'shards'?: (number)[];
}

export interface _skein_internal_v1_WatchShardsResponse_Node__Output {
  'id': (string);
  /**
   * Where its gRPC is reached, `host:port`. Empty: it has not told.
   */
  'address': (string);
  /**
   * The shards that it owns.
   */
  'shards': (number)[];
}

export interface WatchShardsResponse {
  /**
   * A thread's shard is a number below it (docs/guide/grpc.md). It never changes.
   */
  'shardCount'?: (number);
  /**
   * All members of the cluster. A shard that none of them has is on its way to one.
   */
  'nodes'?: (_skein_internal_v1_WatchShardsResponse_Node)[];
}

export interface WatchShardsResponse__Output {
  /**
   * A thread's shard is a number below it (docs/guide/grpc.md). It never changes.
   */
  'shardCount': (number);
  /**
   * All members of the cluster. A shard that none of them has is on its way to one.
   */
  'nodes': (_skein_internal_v1_WatchShardsResponse_Node__Output)[];
}
