/** What one node of a cluster has of NATS, for tests: a connection and a transport on it. */
import { NatsConnection } from '../../runtime/nats/connection.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { Counters } from '../../runtime/observability/metrics.ts';
import { systemClock } from '../../runtime/time/clock.ts';
import { NatsTransport, type NatsTransportOptions } from '../../runtime/transport/nats.ts';

/** What ends with a test. */
interface Ending {
  teardown(handler: () => Promise<void>): unknown;
}

export interface NatsNode {
  readonly connection: NatsConnection;
  readonly transport: NatsTransport;
  readonly counters: Counters;
  /** Resolves when the connection is lost, or is back; at once when it is so already. */
  readonly becomes: (connected: boolean) => Promise<void>;
}

/** Ends with the test. */
export async function natsNode(
  t: Ending,
  url: string,
  options: Partial<NatsTransportOptions> = {},
): Promise<NatsNode> {
  const connection = await NatsConnection.open({ urls: [url], name: 'test', log: silentLog });
  const counters = new Counters();
  const transport = new NatsTransport({
    connection,
    cluster: 'test',
    clock: systemClock,
    log: silentLog,
    counters,
    ...options,
  });
  t.teardown(async () => {
    await transport.drain();
    await connection.close();
  });
  return { connection, transport, counters, becomes: connected => becomes(connection, connected) };
}

export function becomes(connection: NatsConnection, connected: boolean): Promise<void> {
  if (connection.connected === connected) return Promise.resolve();
  return new Promise(resolve => {
    const stop = connection.onConnection(() => {
      stop();
      resolve();
    });
  });
}
