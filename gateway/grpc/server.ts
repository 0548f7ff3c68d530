/** The gRPC server of a node: the contract's service, health and reflection, on one port. */
import Type from 'typebox';
import {
  logVerbosity,
  Server,
  ServerCredentials,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server as NetServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import { invalid } from '../../protocol/errors.ts';
import { id } from '../../protocol/resources/index.ts';
import { compile } from '../../protocol/validate.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { ShardOwners } from '../../runtime/placement/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { GrpcTls } from '../config/index.ts';
import { getEventView } from '../pipeline/index.ts';
import type { StreamContext } from '../stream/index.ts';
import { createAdmission } from './admission.ts';
import { Connections } from './connections.ts';
import type { Conversations } from './conversations.ts';
import { decodingDefinition } from './definition.ts';
import { gatedServer, requireDecoded, type Gate } from './gate.ts';
import type { GrpcHealth } from './health.ts';
import { IngestStream, type IngestCall } from './ingest-stream.ts';
import type { GrpcMetrics } from './metrics.ts';
import type { OpenStream } from './open-stream.ts';
import { root } from './conversions.ts';
import { createReflection } from './reflection.ts';
import type { ServiceAuthority } from './service-call.ts';
import { ShardMaps, type WatchShardsCall } from './shard-map.ts';
import { Cancelled } from './status.ts';
import { Subscription, type SubscribeCall } from './subscription.ts';
import { ThreadOwners } from './thread-owners.ts';

export interface GrpcServerOptions {
  readonly gate: Gate;
  readonly conversations: Pick<Conversations, 'ingest' | 'send' | 'thread'>;
  readonly authority: Pick<ServiceAuthority, 'scope' | 'requireProject'>;
  /** The Console stream's, whose hub brings the events. */
  readonly streams: StreamContext;
  readonly owners: ShardOwners;
  readonly health: GrpcHealth;
  readonly metrics: GrpcMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly tls: GrpcTls | undefined;
}

/** The longest message accepted, in bytes: as a body of REST. */
const maxMessageBytes = 1_048_576;

/** Megabytes of one connection: beyond them its new calls are refused by HTTP/2. */
const maxConnectionMegabytes = 64;

const serverOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_concurrent_streams': 1_000,
  // A client that vanishes without closing its connection is noticed within a minute.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.max_connection_idle_ms': 300_000,
  'grpc-node.max_session_memory': maxConnectionMegabytes,
  'grpc.enable_channelz': 0,
};

const subscription = Type.Object({
  projectId: id('project'),
  environmentId: Type.Optional(id('environment')),
});

export class GrpcServer {
  readonly #options: GrpcServerOptions;
  readonly #server: Server;
  readonly #connections: Connections;
  #listener: NetServer | undefined;
  #closed: Promise<void> | undefined;

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    // The library would write to standard error what it also rejects with.
    setLogVerbosity(logVerbosity.NONE);
    const { gate, conversations, health, owners, clock } = options;
    this.#connections = new Connections(clock);
    this.#server = new Server({
      ...serverOptions,
      interceptors: [createAdmission(gate, this.#connections, clock)],
    });
    const threadOwners = new ThreadOwners(owners);
    const nameOwner = threadOwners.createMetadata.bind(threadOwners);
    const shardMaps = new ShardMaps(options);
    const implementation: Record<keyof typeof decodingDefinition, unknown> = {
      IngestMessage: gate.unary('IngestMessage', conversations.ingest.bind(conversations), nameOwner),
      SendMessage: gate.unary('SendMessage', conversations.send.bind(conversations), nameOwner),
      GetThread: gate.unary('GetThread', conversations.thread.bind(conversations), nameOwner),
      IngestMessages: gate.streaming<IngestCall>('IngestMessages', true, stream =>
        new IngestStream(stream, stream.caller, { ...options, threadOwners }).start(),
      ),
      SubscribeEvents: gate.streaming<SubscribeCall>('SubscribeEvents', true, stream => {
        this.#subscribe(stream).catch((error: unknown) => stream.fail(error));
      }),
      WatchShards: gate.streaming<WatchShardsCall>('WatchShards', true, stream => {
        requireDecoded(stream.call.request);
        shardMaps.add(stream);
      }),
    };
    this.#server.addService(decodingDefinition, implementation as UntypedServiceImplementation);
    health.service.addToServer(gatedServer(this.#server, gate, false));
    createReflection().addToServer(gatedServer(this.#server, gate, true));
  }

  /** Resolves with the port; rejects with a readable message when the port or the certificate cannot be used. */
  async listen(host: string, port: number): Promise<number> {
    const credentials = await serverCredentials(this.#options.tls);
    const injector = this.#server.createConnectionInjector(credentials);
    // Not by the library, which accepts any number of connections.
    const listener = createServer({ noDelay: true }, socket => {
      if (this.#connections.accept(socket)) injector.injectConnection(socket);
    });
    this.#listener = listener;
    listener.listen({ host, port, exclusive: true });
    try {
      await once(listener, 'listening');
    } catch (cause) {
      const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      const why = `cannot listen on ${address} for gRPC: the port is taken or the address is not ours`;
      throw new Error(`${why} (GRPC_PORT names another port, or is "off")`, { cause });
    }
    return (listener.address() as AddressInfo).port;
  }

  /** Accepts calls from now on; before that they are refused with UNAVAILABLE. */
  async open(): Promise<void> {
    this.#options.gate.open();
    await this.#options.health.start();
  }

  /** Reports NOT_SERVING to health probes, and goes on serving. */
  drain(): void {
    this.#options.health.drain();
  }

  /**
   * Accepts no new call, ends the streams after what they have accepted, and waits for what is in progress; at most `graceMs`, then
   * the connections are cut. Idempotent.
   */
  close(graceMs: number): Promise<void> {
    return (this.#closed ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    const { gate, health, clock, log } = this.#options;
    health.drain();
    gate.close();
    this.#listener?.close();
    await new Promise<void>(resolve => {
      const timer = clock.after(graceMs, () => {
        log.warn({ graceMs }, 'gRPC calls were cut off because they did not end in time');
        this.#server.forceShutdown();
        resolve();
      });
      this.#server.tryShutdown(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  async #subscribe(stream: OpenStream<SubscribeCall>): Promise<void> {
    const { authority, streams, metrics } = this.#options;
    const { projectId, environmentId, cursor } = requireDecoded(stream.call.request);
    const named = { projectId, ...(environmentId === '' ? {} : { environmentId }) };
    const issues = compile(subscription)(named, root);
    if (issues !== undefined) throw invalid(issues);
    if (environmentId === '') await authority.requireProject(projectId);
    else await authority.scope(undefined, projectId, environmentId);
    if (stream.ended) throw new Cancelled();
    const admission = {
      projectId,
      environmentId: named.environmentId,
      view: getEventView({ type: 'service', name: stream.caller.service }, {}),
      // A service token cannot be revoked while the process lives.
      userId: undefined,
      roles: undefined,
      apiKeyId: undefined,
      sessionId: undefined,
      expiresAt: Infinity,
    };
    const seq = cursor === null ? undefined : Number(cursor.seq);
    new Subscription(stream, admission, streams, metrics).open(cursor?.epoch, seq);
  }
}

/** @param tls undefined: plaintext. Rejects with a readable message when the files cannot be used. */
export async function serverCredentials(tls: GrpcTls | undefined): Promise<ServerCredentials> {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const [cert, key, ca] = await Promise.all([
    readPem('GRPC_TLS_CERT', tls.cert),
    readPem('GRPC_TLS_KEY', tls.key),
    tls.ca === undefined ? null : readPem('GRPC_TLS_CA', tls.ca),
  ]);
  try {
    // The library would notice only when it binds, and report a problem of the port.
    createSecureContext({ cert, key, ...(ca === null ? {} : { ca }) });
  } catch (cause) {
    throw new Error('GRPC_TLS_CERT and GRPC_TLS_KEY are not a certificate and its key', { cause });
  }
  return ServerCredentials.createSsl(ca, [{ cert_chain: cert, private_key: key }], ca !== null);
}

async function readPem(variable: string, file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`the file that ${variable} names cannot be read: ${file}`, { cause });
  }
}
