/** The gRPC server of a node: services, methods, server. */
import type { Node } from '../../runtime/node/index.ts';
import type { Log, Metrics, Tracer } from '../../runtime/observability/index.ts';
import type { ShardOwners } from '../../runtime/placement/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Cursors } from '../../storage/paging/index.ts';
import type { AccessCache } from '../../storage/tenancy/index.ts';
import type { ServiceTokens } from '../auth/index.ts';
import type { GrpcTls } from '../config/index.ts';
import {
  inboundMessageHandlers,
  messageHandlers,
  threadHandlers,
  type ChannelDirectory,
} from '../handlers/index.ts';
import type { Health } from '../monitoring/index.ts';
import type { Idempotency, StorageRoom } from '../pipeline/index.ts';
import type { StreamContext } from '../stream/index.ts';
import { Conversations } from './conversations.ts';
import { Gate } from './gate.ts';
import { GrpcHealth } from './health.ts';
import { GrpcMetrics } from './metrics.ts';
import { GrpcServer } from './server.ts';
import { nodeForServices, ServiceAuthority } from './service-call.ts';

export interface GrpcOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly database: Database;
  readonly node: Node;
  readonly health: Health;
  readonly tokens: ServiceTokens;
  readonly owners: ShardOwners;
  readonly tls: GrpcTls | undefined;
  /** Shared with REST. */
  readonly shared: {
    readonly channels: ChannelDirectory;
    readonly cursors: Cursors;
    readonly access: AccessCache;
    readonly idempotency: Idempotency;
    readonly room: StorageRoom;
    readonly streams: StreamContext;
  };
}

/** Makes the server; it neither listens nor lets calls in. */
export function createGrpcServer(options: GrpcOptions): GrpcServer {
  const { log, clock, tracer, database, health, tokens, owners, tls, shared } = options;
  const { channels, cursors, access, idempotency, room, streams } = shared;
  const metrics = new GrpcMetrics(options.metrics.registry);
  const authority = new ServiceAuthority(database, clock);
  const services = { database, node: nodeForServices(options.node), cursors, channels, access };
  const { createInboundMessage } = inboundMessageHandlers(services);
  const { createMessage } = messageHandlers(services);
  const { getThread } = threadHandlers(services);
  const handlers = { createInboundMessage, createMessage, getThread };
  return new GrpcServer({
    gate: new Gate({ tokens, metrics, clock, log }),
    conversations: new Conversations({ handlers, rules: authority, room, idempotency, clock, tracer }),
    health: new GrpcHealth({ ready: () => health.isReady(), clock }),
    authority,
    streams,
    owners,
    metrics,
    clock,
    log,
    tls,
  });
}
