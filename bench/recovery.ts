/**
 * What finding lost work costs the database with 100,000 open stitches of 1,000 projects: the statements that a node's recovery scanners
 * make in each round (every 30 s, and when it takes over shards), by the scanner itself. Every node makes the same round, because which of
 * the stitches it finds are its own a node sees by itself.
 *
 * The stitches are made by SQL in a database that a node has prepared, with its partitions: all follow their project's log, most have
 * settled all of it, one in a hundred is behind, as many have replays that wait in the table, and as many retries that are overdue. One in
 * ten wants messages, the others what hardly ever happens.
 *
 * Then all projects are active: before each round they get events, as many in all as a node takes in 30 s, and those that want them have
 * settled them, but for one in a hundred: once by a node that has committed all of it, as one that is alone has, and once by a node that has
 * committed none of it. Beside it stands what was asked before: every stitch whose row is below the head of its log.
 * With `RECOVERY=explain` the plan of each query's first page is printed.
 */
import { findPages, type Pages, RecoveryScanner } from '../gateway/jobs/index.ts';
import { silentLog } from '../runtime/observability/log.ts';
import { systemClock } from '../runtime/time/clock.ts';
import { openDatabase, type Queries } from '../storage/database/index.ts';
import {
  FollowedLog,
  StitchesBehind,
  stitchesWithRetries,
  stitchesWithRows,
  unfinishedStitches,
} from '../storage/deliveries/index.ts';
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

/** One in so many wants messages. */
const wantedEvery = 10;
/** Of each project before each round in which all are active: 10,000 a second in all. */
const eventsEach = 300;
const activeRounds = 5;

const scans = { unfinishedStitches, stitchesWithRows, stitchesWithRetries } as const;
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
     case when n / ${projects} % ${wantedEvery} = 0 then '{thread.message.received}' else '{channel.lifecycle.archived}' end::text[],
    now(), now(), '${state}', 1
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

const actNames = ['thread.message.received', 'thread.message.sent', 'thread.status.changed'] as const;
/** Before each round in which all projects are active. */
const act: readonly string[] = [
  `insert into events (project_id, seq, occurred_at, event_id, event_name, environment_id, thread_id, body)
   select p.project_id, p.last_seq + k, now(), 'evt_' || p.project_id || p.last_seq + k,
     (array['${actNames.join("', '")}'])[1 + k % ${actNames.length}],
     replace(p.project_id, 'prj_', 'env_'), 'thread_' || p.project_id || k % 50, repeat('x', 600)
   from project_streams p, generate_series(1, ${eventsEach}) k where p.epoch = 'bench'`,
  `update project_streams set last_seq = last_seq + ${eventsEach} where epoch = 'bench'`,
  `update stitches s set settled_seq = p.last_seq from project_streams p
   where p.project_id = s.project_id and s.event_names = '{thread.message.received}' and s.name = 'Bench'
     and hashtext(s.stitch_id || p.last_seq) % ${behindEvery} <> 0`,
];

const selectBelowHead = `
  select s.stitch_id as "stitchId" from stitches s join project_streams p on p.project_id = s.project_id
  where s.stitch_id > $1 and s.settled_seq < p.last_seq and s.archived_at is null and s.status <> 'disabled'
  order by s.stitch_id limit $2`;

/** Tells of the events of that round as the node that has committed them is told. */
async function tellOwn(behind: StitchesBehind, db: Queries): Promise<void> {
  const streams = await db.query<{ projectId: string; head: number }>(
    `select project_id as "projectId", last_seq as head from project_streams where epoch = 'bench'`,
  );
  for (const { projectId, head } of streams) {
    const environmentId = projectId.replace('prj_', 'env_');
    const events = Array.from({ length: eventsEach }, (_, k) => {
      const eventName = actNames[(k + 1) % actNames.length] ?? actNames[0];
      return { projectId, environmentId, eventId: '', eventName, occurredAt: '', body: '' };
    });
    behind.add({ projectId, first: head - eventsEach + 1, events, subscriptions: 0 });
  }
}

interface Round {
  readonly found: number;
  readonly statements: number;
  /** Milliseconds in its statements. */
  readonly ms: number;
  /** Of these, in the statement that reads what is new in the log. */
  readonly newsMs: number;
}

/** Counts statements and their time. */
class Watch {
  readonly db: Queries;
  #statements = 0;
  #ms = 0;
  #newsMs = 0;

  constructor(db: Queries) {
    this.db = {
      ...db,
      query: async (text, values, name) => {
        const begun = performance.now();
        const rows = await db.query(text, values, name);
        const ms = performance.now() - begun;
        this.#statements++;
        this.#ms += ms;
        if (name === 'events.newest') this.#newsMs += ms;
        return rows as never;
      },
    };
  }

  /** One round of a node's scanner. */
  measure(find: () => Pages): Promise<Round> {
    const [statements, before, news] = [this.#statements, this.#ms, this.#newsMs];
    return new Promise((resolve, reject) => {
      let found = 0;
      const read = async function* (): Pages {
        try {
          for await (const page of find()) {
            found += page.length;
            yield page;
          }
          setImmediate(finish);
        } catch (error) {
          scanner.stop();
          reject(error as Error);
        }
      };
      const finish = (): void => {
        scanner.stop();
        const ms = this.#ms - before;
        resolve({ found, statements: this.#statements - statements, ms, newsMs: this.#newsMs - news });
      };
      const isOwned = (): boolean => true;
      const wake = (): void => undefined;
      const scanner = new RecoveryScanner({ find: read, isOwned, wake, clock: systemClock, log: silentLog });
      scanner.scanSoon('owned');
    });
  }
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
    const watch = new Watch(database);
    const behind = new StitchesBehind(watch.db, new FollowedLog(watch.db));
    const findBehind = (): Pages => behind.find();
    const first = await watch.measure(findBehind);
    const quiet = new Map<string, Round[]>();
    for (let round = 0; round < rounds; round++) {
      note(quiet, 'behind the log', await watch.measure(findBehind));
      for (const name of Object.keys(scans) as Scan[]) {
        const find = (): Pages => findPages((limit, after) => scans[name](watch.db, limit, after));
        note(quiet, name, await watch.measure(find));
      }
    }
    if (process.env['RECOVERY'] === 'explain') {
      for (const name of Object.keys(scans) as Scan[]) await explain(database, name);
    }
    const title = `${count(stitches)} open stitches of ${count(projects)} projects, one in ${behindEvery} behind`;
    console.log(`\n${title} (medians of ${rounds} rounds; the first of a node took ${fixed(first.ms)} ms)\n`);
    console.log(createTable(quiet));

    const active = new Map<string, Round[]>();
    const findBelowHead = (): Pages =>
      findPages(async (limit, after) => {
        const rows = await watch.db.query<{ stitchId: string }>(selectBelowHead, [after, limit], 'below');
        return rows.map(({ stitchId }) => stitchId);
      });
    const single = new StitchesBehind(watch.db, new FollowedLog(watch.db));
    const findSingle = (): Pages => single.find();
    await watch.measure(findSingle);
    for (let round = 0; round < activeRounds; round++) {
      for (const text of act) await bench.query(skein.databaseUrl, text);
      await tellOwn(single, database);
      note(
        active,
        'behind the log, by the node that has committed all of it',
        await watch.measure(findSingle),
      );
      note(active, 'behind the log, by another', await watch.measure(findBehind));
      note(active, 'every row below the head, as before', await watch.measure(findBelowHead));
    }
    const events = count(eventsEach * projects);
    console.log(`\nThe same, all projects active: ${events} events before each of ${activeRounds} rounds\n`);
    console.log(createTable(active));
  } finally {
    clearInterval(alive);
    await database.close();
  }
}

function note(results: Map<string, Round[]>, name: string, round: Round): void {
  results.set(name, [...(results.get(name) ?? []), round]);
}

function createTable(results: ReadonlyMap<string, readonly Round[]>): string {
  const middle = (rounds: readonly Round[], field: keyof Round): number =>
    median(rounds.map(round => round[field]));
  const rows = [...results].map(([name, rounds]) => [
    name,
    count(middle(rounds, 'found')),
    count(middle(rounds, 'statements')),
    fixed(middle(rounds, 'newsMs')),
    fixed(middle(rounds, 'ms')),
    fixed(Math.max(...rounds.map(({ ms }) => ms))),
  ]);
  return table(
    [
      '',
      'found',
      'statements',
      'ms to read new events',
      `ms a round and node (target: ${targetMs})`,
      'most ms',
    ],
    rows,
  );
}
