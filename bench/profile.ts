/**
 * Where the node's processor time goes while messages come in: a processor profile of Node over the load of `inbound` with 256
 * connections, and its twenty dearest functions by their own time. A function that is inlined counts for the one that has it. And how many
 * updates of threads took place within their page, without touching an index (HOT).
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BenchDatabase } from './support/bench-database.ts';
import { runLoad } from './support/run-load.ts';
import { startSkein } from './support/skein.ts';
import { count, fixed, table } from './support/table.ts';

const measuredMs = 12_000;
const warmupMs = 3_000;
const shown = 20;
// PostgreSQL counts when a connection has been idle for a moment.
const readUpdates = `
  select pg_stat_force_next_flush(), n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
  from pg_stat_user_tables where relname = 'threads'`;
const root = fileURLToPath(new URL('../', import.meta.url));

/** The parts of V8's format that are read. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  /** Ids of nodes. */
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

export async function benchProfile(database: BenchDatabase): Promise<void> {
  await database.warm();
  const folder = await mkdtemp(join(tmpdir(), 'skein-profile-'));
  try {
    const startedAt = performance.now();
    const skein = await startSkein(database, 'skein_profile', {}, ['--cpu-prof', `--cpu-prof-dir=${folder}`]);
    const startMs = performance.now() - startedAt;
    const { perSecond } = await runLoad({
      connections: 256,
      threads: 1_000,
      warmupMs,
      measuredMs,
      projectId: skein.projectId,
      ports: [skein.port],
      path: `/v1/channels/${skein.channelId}/inbound-messages`,
      headers: { Authorization: `Bearer ${skein.apiKey}` },
    });
    const [threads] = await database.query<{ updates: number; hot: number }>(skein.databaseUrl, readUpdates);
    await skein.stop();
    const messages = (perSecond * (warmupMs + measuredMs)) / 1_000;
    console.log(`\n${count(perSecond)} messages a second; of the main thread's own time for each:\n`);
    console.log(createTable(await readMainThread(folder), startMs, messages));
    const { updates = 0, hot = 0 } = threads ?? {};
    console.log(`\n${count(updates)} updates of threads, ${fixed((100 * hot) / updates)} % of them HOT`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The largest of the profiles: each worker thread has one of its own. */
async function readMainThread(folder: string): Promise<Profile> {
  const texts = await Promise.all((await readdir(folder)).map(name => readFile(join(folder, name), 'utf8')));
  const [text = ''] = texts.sort((a, b) => b.length - a.length);
  return JSON.parse(text) as Profile;
}

/** @param startMs of the profile's beginning, which is left out: the node starts */
function createTable({ nodes, samples, timeDeltas }: Profile, startMs: number, messages: number): string {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, toName(callFrame)]));
  const micros = new Map<string, number>();
  let at = 0;
  for (const [i, id] of samples.entries()) {
    at += timeDeltas[i] ?? 0;
    if (at < startMs * 1_000) continue;
    const name = names.get(id) ?? '';
    micros.set(name, (micros.get(name) ?? 0) + (timeDeltas[i] ?? 0));
  }
  const busy = [...micros].filter(([name]) => name !== '(idle)').sort((a, b) => b[1] - a[1]);
  const all = busy.reduce((sum, [, each]) => sum + each, 0);
  const rows = [...busy.slice(0, shown), ['all', all] as const].map(([name, each]) => [
    name,
    fixed(each / messages),
    `${fixed((100 * each) / all)} %`,
  ]);
  return table(['function', 'µs a message', 'share'], rows);
}

function toName({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  if (url === '') return functionName;
  const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : url;
  return `${functionName === '' ? 'anonymous' : functionName}, ${file.replace(/^node_modules\//, '')}:${lineNumber + 1}`;
}
