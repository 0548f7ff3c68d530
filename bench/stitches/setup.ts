/** What the benchmarks of many stitches share. */
import type { BenchDatabase } from '../support/bench-database.ts';
import type { LoadResult } from '../support/load.ts';
import { cpuSeconds } from '../support/process-usage.ts';
import { runLoad } from '../support/run-load.ts';
import type { BenchProject, Skein } from '../support/skein.ts';

/** For the node: more stitches in one environment than it allows by default. */
export const manyStitches = { LIMITS: JSON.stringify({ stitches: 10_000 }) };

/** Stitches that are made at once. */
const atOnce = 20;

/** A stitch for each address, which wants the messages. Gives their ids. */
export async function openStitches(
  { api, projectId }: BenchProject,
  urls: readonly string[],
): Promise<string[]> {
  const ids: string[] = [];
  for (let from = 0; from < urls.length; from += atOnce) {
    const made = urls.slice(from, from + atOnce).map((webhookUrl, i) =>
      api.post<{ stitch: { stitchId: string } }>('/stitches', {
        projectId,
        name: `Bench ${from + i}`,
        webhookUrl,
        eventNames: ['thread.message.received'],
      }),
    );
    ids.push(...(await Promise.all(made)).map(({ stitch }) => stitch.stitchId));
  }
  return ids;
}

/** Archives them: what they have not delivered is cancelled. */
export async function archiveStitches({ api }: BenchProject, stitchIds: readonly string[]): Promise<void> {
  for (let from = 0; from < stitchIds.length; from += atOnce) {
    await Promise.all(stitchIds.slice(from, from + atOnce).map(id => api.delete(`/stitches/${id}`)));
  }
}

export interface LoadSetting {
  readonly threads: number;
  readonly connections: number;
  readonly warmupMs: number;
  readonly measuredMs: number;
  readonly pace?: number;
  readonly stamped?: boolean;
}

export interface Sample extends LoadResult {
  /** CPU microseconds per message, warm-up included: of the node, and of PostgreSQL. */
  readonly nodeMicros: number;
  readonly databaseMicros: number;
}

/** Messages to the project's channel. */
export async function load(
  { server, port }: Skein,
  project: BenchProject,
  database: BenchDatabase,
  setting: LoadSetting,
): Promise<Sample> {
  const node = cpuSeconds(server.pid);
  const postgres = database.cpuSeconds();
  const result = await runLoad({
    ...setting,
    ports: [port],
    path: `/v1/channels/${project.channelId}/inbound-messages`,
    headers: { Authorization: `Bearer ${project.apiKey}` },
    projectId: project.projectId,
  });
  if (result.errors > 0) throw new Error(`${result.errors} errors, first: ${result.firstError ?? ''}`);
  return {
    ...result,
    nodeMicros: ((cpuSeconds(server.pid) - node) * 1e6) / result.succeeded,
    databaseMicros: ((database.cpuSeconds() - postgres) * 1e6) / result.succeeded,
  };
}
