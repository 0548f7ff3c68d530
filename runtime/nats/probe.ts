/** A look at NATS, for whoever wants to know whether a node could use it. */
import { silentLog } from '../observability/index.ts';
import { NatsConnection } from './connection.ts';
import { getJetStreamCode, jetStreamCodes } from './jet-stream-codes.ts';

export interface NatsReport {
  /** Of the server that answered. */
  readonly version: string;
  /** Whether this account may use JetStream, which keeps the members and shards of a cluster. */
  readonly hasJetStream: boolean;
  /** Whether it is one of several. */
  readonly isClustered: boolean;
  /** How many of them keep the stream that was asked for. Undefined: there is no such stream. */
  readonly replicas: number | undefined;
}

/** Rejects where no server answers in time, or where one refuses the credentials. */
export async function probeNats(
  urls: readonly string[],
  stream: string,
  timeoutMs: number,
): Promise<NatsReport> {
  const signal = AbortSignal.timeout(timeoutMs);
  const connection = await NatsConnection.open({ urls, name: 'skein-doctor', log: silentLog, signal });
  try {
    const { client } = connection;
    const manager = await client.jetstreamManager({ timeout: timeoutMs }).catch(() => undefined);
    const kept = await manager?.streams.info(stream).catch((error: unknown) => {
      if (getJetStreamCode(error) === jetStreamCodes.streamNotFound) return undefined;
      throw error;
    });
    return {
      version: client.info?.version ?? 'unknown',
      hasJetStream: manager !== undefined,
      isClustered: client.info?.cluster !== undefined,
      replicas: kept?.config.num_replicas,
    };
  } finally {
    await connection.close();
  }
}
