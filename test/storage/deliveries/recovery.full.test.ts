/**
 * The cost of a recovery round: each node looks for stitches that are behind every 30 seconds. The number of its statements depends on the
 * number of projects, and not on the number of stitches.
 */
import t from 'tap';
import type { Queries } from '../../../storage/database/database.ts';
import { FollowedLog, StitchesBehind } from '../../../storage/deliveries/index.ts';
import { startTestDatabase } from '../../support/database.ts';

const projects = 1_000;
const stitches = 10_000;
/** Stitches that one statement of the preparation covers: a slow machine does it well within the limit. */
const atOnce = 1_000;
const head = 10_000;
const behindEvery = 100;

const { database } = await startTestDatabase(t);
const project = `'prj_' || lpad((n % ${projects})::text, 26, '0')`;
for (const text of [
  `insert into project_streams (project_id, last_seq, epoch) select ${project}, 0, 'e' from generate_series(0, ${projects - 1}) n`,
  `insert into stitches (stitch_id, project_id, environment_id, name, status, event_names, created_at, updated_at, state, version)
   select 'stitch_' || lpad(n::text, 26, '0'), ${project}, 'env_1', 'stitch', 'active', '{thread.message.received}', now(), now(),
     '{"cancelUntil":null,"replays":[]}', 1 from generate_series(1, ${stitches}) n`,
  ...Array.from(
    { length: stitches / atOnce },
    (_, part) =>
      `select count(skein_follow(stitch_id, event_names, 0, '{}', now())) from stitches
       where right(stitch_id, 10)::int % ${stitches / atOnce} = ${part}`,
  ),
  `update project_streams set last_seq = ${head}`,
  `update stitches set settled_seq = case when right(stitch_id, 10)::int % ${behindEvery} = 0 then 0 else ${head} end`,
  'vacuum analyze stitches',
]) {
  await database.query(text);
}

let statements = 0;
const db: Queries = {
  ...database,
  query: (...given) => {
    statements++;
    return database.query(...given) as never;
  },
};
const behind = new StitchesBehind(db, new FollowedLog(db));

async function runRound(): Promise<{ readonly found: number; readonly statements: number }> {
  const before = statements;
  const found = new Set<string>();
  for await (const page of behind.find()) for (const stitchId of page) found.add(stitchId);
  return { found: found.size, statements: statements - before };
}

t.test('a round over many stitches makes few statements and finds all that are behind', async t => {
  const first = await runRound();
  t.equal(first.found, stitches / behindEvery);
  t.ok(first.statements <= 8, `${first.statements} statements`);
  const second = await runRound();
  t.equal(second.found, stitches / behindEvery, 'a stitch that stays behind is found again');
  t.ok(second.statements <= first.statements, `${second.statements} statements`);
  await database.query(`update stitches set settled_seq = ${head}`);
  await runRound();
  const idle = await runRound();
  t.equal(idle.found, 0);
  t.ok(idle.statements <= 3, `${idle.statements} statements where nothing is behind`);
});
