/** Skein as a sender of webhooks. */
import type { BenchDatabase } from '../support/bench-database.ts';
import { eventTypes } from '../../protocol/events.ts';
import { eventually } from '../../test/support/eventually.ts';
import { runLoad } from '../support/load.ts';
import type { Receiver } from '../support/receiver.ts';
import { openCircuit, startSkein, type OpenedStitch, type Skein } from '../support/skein.ts';
import { queued, requireAll, type Sender, threads } from './sender.ts';

/** The signature of one in so many deliveries is verified. */
const sample = 10;

/** Starts a node with enough events of messages in its tables: the bodies that all senders deliver. */
export async function makeEvents(
  database: BenchDatabase,
  name = 'skein_deliveries',
  environment: Readonly<Record<string, string>> = {},
  options: readonly string[] = [],
): Promise<{ readonly skein: Skein; readonly bodies: readonly string[] }> {
  const skein = await startSkein(database, name, environment, options);
  const received = `from events where project_id = $1 and event_name = 'thread.message.received'`;
  for (let have = 0; have < queued;) {
    await runLoad({ ...skein.target, threads, connections: 64, measuredMs: 2_000 });
    const [row] = await database.query<{ n: number }>(
      skein.databaseUrl,
      `select count(*)::int as n ${received}`,
      [skein.projectId],
    );
    have = row?.n ?? 0;
  }
  // The search indexes the messages first, so that its work does not count for the webhooks.
  await eventually('the search to catch up', async () => {
    const [row] = await database.query<{ behind: boolean }>(skein.databaseUrl, searchIsBehind, [
      skein.projectId,
    ]);
    return row?.behind === false;
  });
  const rows = await database.query<{ body: string }>(
    skein.databaseUrl,
    `select body::text ${received} order by seq limit $2`,
    [skein.projectId, queued],
  );
  return { skein, bodies: rows.map(({ body }) => body) };
}

const searchIsBehind = `
  select p.last_seq > coalesce(m.seq, 0) as behind
  from project_streams p left join search_marks m on m.project_id = p.project_id where p.project_id = $1`;

/** The stitches share the events by their names. No stitch follows the first name. */
const [unfollowed, ...names] = Object.keys(eventTypes);

/**
 * Each event goes to one stitch, by its name, and all of a thread's to the same. `$2`: the names of the stitches, `$3`: how many events,
 * `$4`: the name of all others.
 */
const shareEvents = `
  update events e set event_name = coalesce(assigned.name, $4)
  from (
    select seq, case when n <= $3 then ($2::text[])[1 + rank % cardinality($2::text[])] end as name
    from (
      select seq, row_number() over (order by seq) as n, dense_rank() over (order by thread_id) as rank
      from events where project_id = $1 and thread_id is not null
    ) numbered
  ) assigned
  where e.project_id = $1 and e.seq = assigned.seq`;

/** The stitch follows the log from its beginning on. `$1`: the stitch, `$2`: the name of its events. */
const followAll = `
  with spans as (delete from stitch_spans where stitch_id = $1 and after_seq > 0),
    open as (
      insert into stitch_spans (stitch_id, after_seq, project_id, environment_id, event_names)
      select stitch_id, 0, project_id, environment_id, array[$2] from stitches where stitch_id = $1
      on conflict (stitch_id, after_seq) do update set event_names = excluded.event_names
    )
  update stitches set settled_seq = 0, event_names = array[$2] where stitch_id = $1`;

const done = `select count(*)::int as n from webhook_deliveries where status = 'delivered'`;

/** Deliveries that are delivered by exactly one recorded attempt. */
const recorded = `
  select count(*)::int as n from webhook_deliveries d where d.status = 'delivered' and d.attempt_count = 1
    and (select count(*) from webhook_attempts a where a.delivery_id = d.delivery_id and a.number = 1 and a.response_status = 200) = 1`;

/** A sender of these stitches; the node has to be stopped. */
export function skeinSender(
  database: BenchDatabase,
  skein: Skein,
  receiver: Receiver,
  stitches: readonly OpenedStitch[],
): Sender {
  const { databaseUrl, projectId, server } = skein;
  const stitchIds = stitches.map(({ stitchId }) => stitchId);
  const countRows = async (text: string): Promise<number> =>
    (await database.query<{ n: number }>(databaseUrl, text))[0]?.n ?? 0;
  return {
    name: `skein, ${stitches.length === 1 ? 'one stitch' : `${stitches.length} stitches`}`,
    pid: () => server.pid,
    async queue() {
      await database.query(databaseUrl, 'truncate webhook_deliveries, webhook_attempts');
      const wanted = names.slice(0, stitchIds.length);
      await database.query(databaseUrl, shareEvents, [projectId, wanted, queued, unfollowed]);
      for (const [index, stitchId] of stitchIds.entries()) {
        await database.query(databaseUrl, openCircuit, [stitchId]);
        await database.query(databaseUrl, followAll, [stitchId, wanted[index]]);
      }
      await database.query(databaseUrl, 'vacuum analyze');
    },
    async start() {
      await server.start();
      await Promise.all(
        stitchIds.map(id => skein.api.patch(`/stitches/${id}`, { projectId, status: 'active' })),
      );
    },
    open: async () => queued - (await countRows(done)),
    async verify() {
      const secrets = stitches.map(({ secret }) => secret);
      const report = await receiver.report(secrets, sample);
      requireAll(report);
      if (report.outOfOrder > 0) throw new Error(`${report.outOfOrder} deliveries came out of order`);
      if (report.refused > 0) throw new Error(`${report.refused} signatures were wrong`);
      const good = await countRows(recorded);
      if (good !== queued)
        throw new Error(`${good} deliveries are recorded with one good attempt, not ${queued}`);
    },
    stop: () => server.stop(),
  };
}
