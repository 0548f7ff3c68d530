/** A look at NATS, for whoever wants to know whether a node could use it. */
import { silentLog } from '../observability/index.ts';
import { NatsConnection } from './connection.ts';

export interface NatsReport {
  /** Of the server that answered. */
  readonly version: string;
  /** Whether this account may use JetStream, which keeps the members and shards of a cluster. */
  readonly hasJetStream: boolean;
}

/** Rejects where no server answers in time, or where one refuses the credentials. */
export async function probeNats(urls: readonly string[], timeoutMs: number): Promise<NatsReport> {
  const signal = AbortSignal.timeout(timeoutMs);
  const connection = await NatsConnection.open({ urls, name: 'skein-doctor', log: silentLog, signal });
  try {
    const { client } = connection;
    const hasJetStream = await client.jetstreamManager({ timeout: timeoutMs }).then(
      () => true,
      () => false,
    );
    return { version: client.info?.version ?? 'unknown', hasJetStream };
  } finally {
    await connection.close();
  }
}
