/**
 * What finding lost work costs the database with 100,000 open stitches of 1,000 projects: the queries that a node's recovery scanner
 * makes in each round (every 30 s, and when it takes over shards), page by page, by the scanner itself. Every node makes the same round,
 * because which of the stitches it finds are its own a node sees by itself.
 *
 * The stitches are made by SQL in a database that a node has prepared, with its partitions: all follow their project's log, most have
 * settled all of it, one in a hundred is behind, as many have replays that wait in the table, and as many retries that are overdue. With
 * `RECOVERY=explain` the plan of each query's first page is printed.
 */
import { RecoveryScanner } from '../gateway/jobs/index.ts';
import { silentLog } from '../runtime/observability/log.ts';
import { systemClock } from '../runtime/time/clock.ts';
import { openDatabase, type Queries } from '../storage/database/index.ts';
import { stitchesWithRetries, stitchesWithRows, stitchesWithWork } from '../storage/deliveries/index.ts';
import type { BenchDatabase } from './support/bench-database.ts';
import { startSkein } from './support/skein.ts';
import { count, fixed, median, table } from './support/table.ts';

const projects = 1_000;
const stitches = 100_000;
/** One in so many is behind the log, and one in so many has rows. */
const behindEvery = 100;
const rowsEach = 20;
const head = 10_000;
const rounds = 7;
const targetMs = 200;

const scans = { stitchesWithWork, stitchesWithRows, stitchesWithRetries } as const;
type Scan = keyof typeof scans;

const project = (n: string): string => `'prj_bench' || lpad(((${n}) % ${projects})::text, 21, '0')`;
const environment = (n: string): string => `'env_bench' || lpad(((${n}) % ${projects})::text, 21, '0')`;
const state = JSON.stringify({
  environmentKind: 'sandbox',
  health: { failures: 0, failingSince: null, exhausted: 0, probeAt: null },
  dueAt: null,
  cancelUntil: null,
  replays: [],
  ownerNews: [],
  made: 0,
});

const fill: readonly string[] = [
  `insert into project_streams (project_id, last_seq, epoch)
   select ${project('n')}, 0, 'bench' from generate_series(0, ${projects - 1}) n`,
  `insert into stitches (stitch_id, project_id, environment_id, name, webhook_url, status, event_names, created_at, updated_at, state, version)
   select 'stitch_' || substr(md5(n::text), 1, 26), ${project('n')}, ${environment('n')}, 'Bench', 'http://127.0.0.1:2/', 'active',
     '{thread.message.received}', now(), now(), '${state}', 1
   from generate_series(1, ${stitches}) n`,
  `select count(skein_follow(stitch_id, event_names, 0, '{}', now())) from stitches where name = 'Bench'`,
  `update project_streams set last_seq = ${head} where epoch = 'bench'`,
  `update stitches set settled_seq = ${head} - case when numbered.n % ${behindEvery} = 0 then 100 else 0 end
   from (select stitch_id as id, row_number() over (order by created_at, name, md5(stitch_id)) as n from stitches) numbered
   where stitch_id = numbered.id and name = 'Bench'`,
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
     status, trigger, updated_at)
   select 'whd_' || substr(md5(stitch_id || k), 1, 26), now(), project_id, environment_id, stitch_id, 'evt_' || k, k,
     'thread.message.received', now(), 'pending', 'replay', now()
   from (select *, row_number() over (order by md5(stitch_id || 'rows')) as n from stitches where name = 'Bench') s, generate_series(1, ${rowsEach}) k
   where n % ${behindEvery} = 0`,
  `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
     status, trigger, updated_at, attempt_count, next_attempt_at)
   select 'whd_' || substr(md5(stitch_id || 'retry' || k), 1, 26), now(), project_id, environment_id, stitch_id, 'evt_' || k, k,
     'thread.message.received', now(), 'retrying', 'scheduled', now(), 1, now() - interval '1 hour'
   from (select *, row_number() over (order by md5(stitch_id || 'retries')) as n from stitches where name = 'Bench') s, generate_series(1, ${rowsEach}) k
   where n % ${behindEvery} = 0`,
  'vacuum analyze',
];

interface Round {
  readonly found: number;
  readonly pages: number;
  /** Milliseconds in its queries. */
  readonly ms: number;
}

/** One round of a node's scanner for one sort of work. */
function scanOnce(db: Queries, scan: Scan): Promise<Round> {
  return new Promise((resolve, reject) => {
    let found = 0;
    let pages = 0;
    let ms = 0;
    const find = async (limit: number, after: string): Promise<readonly string[]> => {
      const begun = performance.now();
      const page = await scans[scan](db, limit, after).catch((error: unknown) => {
        scanner.stop();
        reject(error as Error);
        return [];
      });
      ms += performance.now() - begun;
      pages++;
      found += page.length;
      if (page.length < limit) {
        scanner.stop();
        resolve({ found, pages, ms });
      }
      return page;
    };
    const isOwned = (): boolean => true;
    const wake = (): void => undefined;
    const scanner = new RecoveryScanner({ find, isOwned, wake, clock: systemClock, log: silentLog });
    scanner.scanSoon('owned');
  });
}

/** The first page's plan, by the query itself. */
async function explain(db: Queries, scan: Scan): Promise<void> {
  const lines: string[] = [];
  const explaining: Queries = {
    ...db,
    async query(text, values, name) {
      const rows = await db.query<{ 'QUERY PLAN': string }>(
        `explain (analyze, buffers) ${text}`,
        values,
        `${name}.explain`,
      );
      lines.push(...rows.map(row => row['QUERY PLAN']));
      return [];
    },
  };
  await scans[scan](explaining, 500);
  console.log(`\n${scan}\n\n\`\`\`\n${lines.join('\n')}\n\`\`\``);
}

export async function benchRecovery(bench: BenchDatabase): Promise<void> {
  const skein = await startSkein(bench, 'recovery');
  await skein.stop();
  for (const text of fill) await bench.query(skein.databaseUrl, text);
  const database = await openDatabase({ url: skein.databaseUrl, log: silentLog });
  // The scanner's timer and idle connections keep no process alive.
  const alive = setInterval(() => undefined, 60_000);
  try {
    const names = Object.keys(scans) as Scan[];
    const results = new Map<Scan, Round[]>(names.map(name => [name, []]));
    for (let round = 0; round < rounds; round++) {
      for (const name of names) results.get(name)?.push(await scanOnce(database, name));
    }
    if (process.env['RECOVERY'] === 'explain') for (const name of names) await explain(database, name);
    console.log(
      `\n${count(stitches)} open stitches of ${count(projects)} projects, one in ${behindEvery} behind (medians of ${rounds} rounds)\n`,
    );
    console.log(createTable(results));
  } finally {
    clearInterval(alive);
    await database.close();
  }
}

function createTable(results: ReadonlyMap<Scan, readonly Round[]>): string {
  const middle = (rounds: readonly Round[], field: keyof Round): number =>
    median(rounds.map(round => round[field]));
  const rows = [...results].map(([name, rounds]) => [
    name,
    count(middle(rounds, 'found')),
    count(middle(rounds, 'pages')),
    fixed(middle(rounds, 'ms')),
    fixed(Math.max(...rounds.map(({ ms }) => ms))),
  ]);
  const all = [...results.values()].reduce((sum, rounds) => sum + middle(rounds, 'ms'), 0);
  return table(
    ['', 'found', 'pages', 'ms a round and node', 'most ms'],
    [...rows, [`all (target: ${targetMs})`, '', '', fixed(all), '']],
  );
}
