/** Skein as a sender of webhooks. */
import type { BenchDatabase } from '../support/bench-database.ts';
import { openCircuit } from '../support/open-circuit.ts';
import { runLoad } from '../support/run-load.ts';
import { startSkein, type Skein } from '../support/skein.ts';
import type { Receiver } from '../support/start-receiver.ts';
import { queued, requireAll, threads, type Sender } from './sender.ts';

/** The signature of one in so many deliveries is verified. */
const sample = 10;

export interface Origin {
  readonly skein: Skein;
  readonly bodies: readonly string[];
}

/** A Skein node with enough events of messages in its tables: the bodies that all senders deliver. */
export async function makeEvents(database: BenchDatabase): Promise<Origin> {
  const skein = await startSkein(database, 'skein_deliveries');
  const received = `from events where project_id = $1 and event_name = 'thread.message.received'`;
  for (let have = 0; have < queued;) {
    const result = await runLoad({
      ports: [skein.port],
      path: `/v1/channels/${skein.channelId}/inbound-messages`,
      headers: { Authorization: `Bearer ${skein.apiKey}` },
      projectId: skein.projectId,
      threads,
      connections: 64,
      warmupMs: 0,
      measuredMs: 2_000,
    });
    if (result.errors > 0) throw new Error(`no events could be made: ${result.firstError ?? ''}`);
    const [row] = await database.query<{ n: number }>(
      skein.databaseUrl,
      `select count(*)::int as n ${received}`,
      [skein.projectId],
    );
    have = row?.n ?? 0;
  }
  const rows = await database.query<{ body: string }>(
    skein.databaseUrl,
    `select body::text ${received} order by seq limit $2`,
    [skein.projectId, queued],
  );
  return { skein, bodies: rows.map(({ body }) => body) };
}

/** A stitch of the node, with its secret. */
export interface MadeStitch {
  readonly stitchId: string;
  readonly secret: string;
}

/** Stitches that want the messages, each with an address of its own at the receiver: `<url>/<number>`. */
export async function makeStitches(
  { api, projectId }: Skein,
  receiver: Receiver,
  howMany: number,
): Promise<MadeStitch[]> {
  const stitches: MadeStitch[] = [];
  for (let i = 0; i < howMany; i++) {
    const made = await api.post<{ stitch: { stitchId: string }; secret: string }>('/stitches', {
      projectId,
      name: `Bench ${i}`,
      webhookUrl: `${receiver.url}/${i}`,
      eventNames: ['thread.message.received'],
    });
    stitches.push({ stitchId: made.stitch.stitchId, secret: made.secret });
  }
  return stitches;
}

/**
 * What the commit of an event does for a matching stitch (storage/writes/events-and-answers.ts), done for events that are there. Each event
 * goes to one stitch, and all of a thread's to the same.
 */
const queueDeliveries = `
  insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
    thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
  select skein_delivery_id(event_id, stitch_id), project_id, environment_id, stitch_id, event_id, seq, event_name, occurred_at,
    thread_id, 'pending', 0, 'scheduled', occurred_at, occurred_at, occurred_at
  from (
    select *, ($2::text[])[1 + dense_rank() over (order by thread_id) % cardinality($2::text[])] as stitch_id
    from (select * from events where project_id = $1 and event_name = 'thread.message.received' order by seq limit $3) chosen
  ) assigned`;

const openDeliveries = `select count(*)::int as n from webhook_deliveries where status in ('pending', 'delivering', 'retrying')`;

/** Deliveries that are delivered by exactly one recorded attempt. */
const recorded = `
  select count(*)::int as n from webhook_deliveries d where d.status = 'delivered' and d.attempt_count = 1
    and (select count(*) from webhook_attempts a where a.delivery_id = d.delivery_id and a.number = 1 and a.response_status = 200) = 1`;

/** A sender of these stitches; the node has to be stopped. */
export function skeinSender(
  database: BenchDatabase,
  skein: Skein,
  receiver: Receiver,
  stitches: readonly MadeStitch[],
): Sender {
  const { databaseUrl, projectId, server } = skein;
  const stitchIds = stitches.map(({ stitchId }) => stitchId);
  const countRows = async (text: string): Promise<number> =>
    (await database.query<{ n: number }>(databaseUrl, text))[0]?.n ?? 0;
  return {
    name: `skein, ${stitches.length === 1 ? 'one stitch' : `${stitches.length} stitches`}`,
    isOurs: true,
    pid: () => server.pid,
    async queue() {
      await database.query(databaseUrl, 'truncate webhook_deliveries, webhook_attempts');
      await database.query(databaseUrl, queueDeliveries, [projectId, stitchIds, queued]);
      for (const stitchId of stitchIds) await database.query(databaseUrl, openCircuit, [stitchId]);
      await database.query(databaseUrl, 'vacuum analyze');
    },
    async start() {
      await server.start();
      await Promise.all(
        stitchIds.map(id => skein.api.patch(`/stitches/${id}`, { projectId, status: 'active' })),
      );
    },
    open: () => countRows(openDeliveries),
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
