/** A system that takes inbound messages, the load on it, and what one round of it shows: what `inbound` and `tracing` share. */
import type { BenchDatabase } from './bench-database.ts';
import type { LoadResult } from './load.ts';
import { addOpenStitch } from './open-circuit.ts';
import { cpuSeconds, residentBytes } from './process-usage.ts';
import { runLoad } from './run-load.ts';
import { startSkein } from './skein.ts';

export interface InboundSystem {
  readonly name: string;
  readonly pid: number;
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly projectId: string;
  stop(): Promise<void>;
}

/** What one round of the load is. Times in milliseconds. */
export interface Round {
  readonly connections: number;
  readonly threads: number;
  readonly warmupMs: number;
  readonly measuredMs: number;
}

export interface Sample extends LoadResult {
  /** CPU microseconds per message: of the server's process, and of PostgreSQL. */
  readonly serverMicros: number;
  readonly databaseMicros: number;
  readonly residentBytes: number;
  /** Bytes of the database's log per message. */
  readonly walBytes: number;
}

/** The figures of a sample. */
export type Figure = Exclude<keyof Sample, 'firstError'>;

/**
 * A node of ours with one stitch whose circuit is open: it is due every event and is sent none, as the peers store what is to be
 * delivered, and no more.
 *
 * @param name of its database
 * @param environment further variables of the node
 */
export async function startInboundNode(
  database: BenchDatabase,
  name: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<InboundSystem> {
  const skein = await startSkein(database, name, environment);
  await addOpenStitch(skein, database);
  return {
    name: 'skein',
    pid: skein.server.pid,
    port: skein.port,
    path: `/v1/channels/${skein.channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${skein.apiKey}` },
    projectId: skein.projectId,
    stop: skein.stop,
  };
}

/** One round. Throws where a request failed. */
export async function sampleInbound(
  system: InboundSystem,
  round: Round,
  database: BenchDatabase,
): Promise<Sample> {
  const server = cpuSeconds(system.pid);
  const postgres = database.cpuSeconds();
  const wal = await database.walBytes();
  const { path, headers, projectId } = system;
  const result = await runLoad({ path, headers, projectId, ports: [system.port], ...round });
  if (result.errors > 0)
    throw new Error(`${system.name}: ${result.errors} errors, first: ${result.firstError ?? ''}`);
  const messages = (result.perSecond * (round.warmupMs + round.measuredMs)) / 1_000;
  return {
    ...result,
    serverMicros: ((cpuSeconds(system.pid) - server) * 1e6) / messages,
    databaseMicros: ((database.cpuSeconds() - postgres) * 1e6) / messages,
    residentBytes: residentBytes(system.pid),
    walBytes: ((await database.walBytes()) - wal) / messages,
  };
}
