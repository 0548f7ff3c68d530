/**
 * gRPC for internal services (protocol/internal.proto). The gate (gate.ts) admits calls; `Conversations` takes requests through the
 * pipeline that REST uses; the streams have their own files (ingest-stream.ts, subscription.ts, shard-map.ts). status.ts turns errors into
 * statuses.
 */
export { createGrpcServer, type GrpcOptions } from './serve.ts';
export type { GrpcServer } from './server.ts';
