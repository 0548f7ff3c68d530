/** The gRPC face of a node: services, methods, server. */
import type { Clock } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';
import type { Metrics } from '../runtime/metrics.ts';
import type { Node } from '../runtime/node.ts';
import type { Database } from '../storage/database.ts';
import type { ServiceTokens } from './auth/service-tokens.ts';
import type { GrpcTls } from './config.ts';
import { Conversations } from './grpc/conversations.ts';
import { Gate } from './grpc/gate.ts';
import { GrpcHealth } from './grpc/health.ts';
import { GrpcMetrics } from './grpc/metrics.ts';
import { Places } from './grpc/places.ts';
import { GrpcServer } from './grpc/server.ts';
import { nodeForServices } from './grpc/service-call.ts';
import type { Health } from './health.ts';
import type { SharedServices } from './rest.ts';
import { channelTrafficHandlers } from './rest/handlers/channel-traffic.ts';
import { messageHandlers } from './rest/handlers/messages.ts';
import { threadHandlers } from './rest/handlers/threads.ts';

export interface GrpcOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly database: Database;
  readonly node: Node;
  readonly health: Health;
  readonly tokens: ServiceTokens;
  readonly tls: GrpcTls | undefined;
  readonly docsUrl: string;
  readonly shared: SharedServices;
}

/** Makes the server; it neither listens nor lets calls in. */
export function grpcServer(options: GrpcOptions): GrpcServer {
  const { log, clock, database, health, tokens, tls, docsUrl, shared } = options;
  const { channels, cursors, access, idempotency, streams } = shared;
  const metrics = new GrpcMetrics(options.metrics.registry);
  const places = new Places(database, clock);
  const services = { database, node: nodeForServices(options.node), cursors, channels, access };
  const { createInboundMessage } = channelTrafficHandlers(services);
  const { createMessage } = messageHandlers(services);
  const { getThread } = threadHandlers(services);
  const handlers = { createInboundMessage, createMessage, getThread };
  return new GrpcServer({
    gate: new Gate({ tokens, metrics, clock, log }),
    conversations: new Conversations({ handlers, idempotency, places, clock, docsUrl }),
    health: new GrpcHealth({ ready: () => health.isReady(), clock }),
    ...{ places, streams, metrics, clock, log, tls },
  });
}
