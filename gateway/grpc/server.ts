/** The gRPC server of a node: the contract's service, health and reflection, on one port. */
import { logVerbosity, Server, setLogVerbosity, type UntypedServiceImplementation } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import Type from 'typebox';
import { invalid } from '../../protocol/errors.ts';
import { id } from '../../protocol/resources/fields.ts';
import { compile } from '../../protocol/validate.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { Log } from '../../runtime/log.ts';
import type { GrpcTls } from '../config.ts';
import type { StreamContext } from '../stream/subscriber.ts';
import type { Conversations } from './conversations.ts';
import { serverCredentials } from './credentials.ts';
import { contract, receiving } from './definition.ts';
import { type Gate, understood } from './gate.ts';
import { foreign } from './foreign.ts';
import type { GrpcHealth } from './health.ts';
import { IngestStream, type IngestCall } from './ingest-stream.ts';
import type { GrpcMetrics } from './metrics.ts';
import type { OpenStream } from './open-stream.ts';
import type { Places } from './places.ts';
import { root } from './requests.ts';
import { Subscription, type SubscribeCall } from './subscription.ts';
import { Cancelled } from './status.ts';

export interface GrpcServerOptions {
  readonly gate: Gate;
  readonly conversations: Pick<Conversations, 'ingest' | 'send' | 'thread'>;
  readonly places: Pick<Places, 'scopeOf' | 'requireProject'>;
  /** Of the Console stream, whose hub brings the events. */
  readonly streams: StreamContext;
  readonly health: GrpcHealth;
  readonly metrics: GrpcMetrics;
  readonly clock: Clock;
  readonly log: Log;
  readonly tls: GrpcTls | undefined;
}

/** Longest message taken, in bytes: as a body of REST. */
const maxMessageBytes = 1_048_576;

const serverOptions = {
  'grpc.max_receive_message_length': maxMessageBytes,
  'grpc.max_concurrent_streams': 1_000,
  // A client that has vanished without a word is noticed within a minute.
  'grpc.keepalive_time_ms': 30_000,
  'grpc.keepalive_timeout_ms': 20_000,
  'grpc.enable_channelz': 0,
};

const subscription = Type.Object({
  projectId: id('project'),
  environmentId: Type.Optional(id('environment')),
});

export class GrpcServer {
  readonly #options: GrpcServerOptions;
  readonly #server = new Server(serverOptions);
  #closed: Promise<void> | undefined;

  constructor(options: GrpcServerOptions) {
    this.#options = options;
    // It writes to standard error what it also rejects with.
    setLogVerbosity(logVerbosity.NONE);
    const { gate, conversations, health } = options;
    const implementation: Record<keyof typeof receiving, unknown> = {
      IngestMessage: gate.unary('IngestMessage', conversations.ingest.bind(conversations)),
      SendMessage: gate.unary('SendMessage', conversations.send.bind(conversations)),
      GetThread: gate.unary('GetThread', conversations.thread.bind(conversations)),
      IngestMessages: gate.streaming<IngestCall>('IngestMessages', true, stream => this.#ingest(stream)),
      SubscribeEvents: gate.streaming<SubscribeCall>('SubscribeEvents', true, stream => {
        this.#subscribe(stream).catch((error: unknown) => stream.fail(error));
      }),
    };
    this.#server.addService(receiving, implementation as UntypedServiceImplementation);
    health.service.addToServer(foreign(this.#server, gate, false));
    new ReflectionService(contract).addToServer(foreign(this.#server, gate, true));
  }

  /** Resolves with the port; rejects with a message for people when it cannot be had, or the certificate cannot be used. */
  async listen(host: string, port: number): Promise<number> {
    const credentials = await serverCredentials(this.#options.tls);
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const bound = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (cause, given) => {
        if (cause === null) return resolve(given);
        const why = `cannot listen on ${address} for gRPC: the port is taken or the address is not ours`;
        reject(new Error(`${why} (GRPC_PORT names another port, or is "off")`, { cause }));
      });
    });
    return bound;
  }

  /** Takes calls from now on; before, they are refused with UNAVAILABLE. */
  async open(): Promise<void> {
    this.#options.gate.open();
    await this.#options.health.start();
  }

  /** Says that it will not serve for long, and goes on. */
  drain(): void {
    this.#options.health.drain();
  }

  /**
   * Takes no new call, ends the streams after what they have taken on, and waits for what is under way; at most `graceMs`, then
   * the connections are cut. Idempotent.
   */
  close(graceMs: number): Promise<void> {
    return (this.#closed ??= this.#close(graceMs));
  }

  async #close(graceMs: number): Promise<void> {
    const { gate, health, clock, log } = this.#options;
    health.drain();
    gate.close();
    await new Promise<void>(resolve => {
      const patience = clock.after(graceMs, () => {
        log.warn({ graceMs }, 'gRPC calls were cut off: they did not end in time');
        this.#server.forceShutdown();
        resolve();
      });
      this.#server.tryShutdown(() => {
        patience.cancel();
        resolve();
      });
    });
  }

  #ingest(stream: OpenStream<IngestCall>): void {
    new IngestStream(stream, stream.caller, this.#options).start();
  }

  async #subscribe(stream: OpenStream<SubscribeCall>): Promise<void> {
    const { places, streams, metrics } = this.#options;
    const { projectId, environmentId, cursor } = understood(stream.call.request);
    const named = { projectId, ...(environmentId === '' ? {} : { environmentId }) };
    const issues = compile(subscription)(named, root);
    if (issues !== undefined) throw invalid(issues);
    if (environmentId === '') await places.requireProject(projectId);
    else await places.scopeOf(projectId, environmentId);
    if (stream.ended) throw new Cancelled();
    const admission = {
      projectId,
      environmentId: named.environmentId,
      // Nothing that could be withdrawn while the process lives.
      ...{ userId: undefined, apiKeyId: undefined, sessionId: undefined, expiresAt: Infinity },
    };
    const seq = cursor === null ? undefined : Number(cursor.seq);
    new Subscription(stream, admission, streams, metrics).open(cursor?.epoch, seq);
  }
}
