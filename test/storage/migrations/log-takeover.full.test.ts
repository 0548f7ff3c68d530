/**
 * An existing database is taken over while nodes of before write to it: deliveries that were open are made, before what follows them, and none
 * twice; and what such a node says of a stitch afterwards counts from the next event on.
 */
import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import pg from 'pg';
import { formatEvent } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { listMigrations, runMigrations } from '../../../storage/migrations/run.ts';
import { append, appendEvent, appendParameters } from '../../../storage/writes/events-and-answers.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Receiver } from '../../support/receiver.ts';
import { StitchNode } from '../../support/stitch-node.ts';

const { createDatabase } = await startTestDatabase(t);

/** What the commit of an event did before for a stitch that was live. */
const insertRow = `
  insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
    thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
  select skein_delivery_id(event_id, $1), project_id, environment_id, $1, event_id, seq, event_name, occurred_at, thread_id, 'pending', 0,
    'scheduled', occurred_at, occurred_at, occurred_at
  from events where project_id = $2 and event_id = any ($3)`;

/** Events had no trace then. */
const appendBefore = append.text.replaceAll(/, traceparent(?=[)\s])/g, '');

const attemptFirst = `
  with failed as (
    update webhook_deliveries set status = 'retrying', attempt_count = 1, last_attempt_at = now(), next_attempt_at = now() + interval '1 second'
    where event_id = $1 returning *
  )
  insert into webhook_attempts (delivery_id, number, project_id, trigger, attempted_at, duration_ms, error_class)
  select delivery_id, 1, project_id, trigger, now(), 5, 'timeout' from failed`;

/** A database from before stitches followed the log, with a stitch, and a client that writes as nodes did then. */
async function startBefore(t: Test, name: string) {
  const url = await createDatabase(name);
  const database = await openDatabase({ url, log: silentLog });
  t.teardown(() => database.close());
  const all = listMigrations(database.orm.em.getDriver(), database.orm.config);
  const last = all.findIndex(each => each.name.endsWith('log-takeover'));
  const client = new pg.Client({ connectionString: url });
  t.teardown(() => client.end());
  await client.connect();
  // Today's code writes the events and the stitch.
  const later = all.filter(each => /-(stream-eras|stream-keys|stitch-hosts)$/.test(each.name));
  await runMigrations(client, [...all.slice(0, last), ...later], silentLog);
  const owner = {
    projectId: newId('project'),
    environmentId: newId('environment'),
    secretKeys: `test:${randomBytes(32).toString('base64')}`,
  };
  const node = new StitchNode(database, owner);
  await node.start();
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
  await node.stop();
  // A node of before knows of no spans.
  await client.query('delete from stitch_spans');

  const { projectId, environmentId } = owner;
  /** Commits events as a node of before did, with a row for the stitch. Gives their ids. */
  const commit = async (threadIds: readonly string[], stitchId = stitch.stitchId): Promise<string[]> => {
    const now = Date.now();
    const occurredAt = new Date(now).toISOString();
    const eventName = 'thread.message.received';
    const writes = threadIds.map(threadId => {
      const eventId = newId('event', now);
      const body = formatEvent({
        eventId,
        eventName,
        occurredAt,
        projectId,
        data: JSON.stringify({ threadId }),
      });
      return appendEvent({ projectId, environmentId, eventId, eventName, occurredAt, body, threadId });
    });
    const ids = writes.map(({ event }) => event?.eventId ?? '');
    await client.query('begin');
    await client.query(appendBefore, appendParameters(writes));
    await client.query(insertRow, [stitchId, projectId, ids]);
    await client.query('commit');
    return ids;
  };
  const startNext = async (): Promise<StitchNode> => {
    const next = new StitchNode(database, owner);
    await next.start();
    t.teardown(() => next.stop());
    return next;
  };
  const getReceived = (): string[] =>
    receiver.received.map(({ headers }) => String(headers['service-event-id']));
  return { database, client, receiver, stitchId: stitch.stitchId, commit, startNext, getReceived };
}

t.test(
  'rows that are pending, retrying and held are delivered first, and what is written meanwhile after them',
  async t => {
    const { database, client, receiver, stitchId, commit, startNext, getReceived } = await startBefore(
      t,
      'before',
    );
    const [one = '', two = ''] = [newId('thread'), newId('thread')];
    const written = new Map<string, string[]>([
      [one, []],
      [two, []],
    ]);
    const write = async (): Promise<void> => {
      const threads = [one, two, one];
      const ids = await commit(threads);
      ids.forEach((id, index) => written.get(threads[index] ?? '')?.push(id));
    };
    await write();
    // The first of one thread has failed, and holds what follows it.
    const head = written.get(one)?.[0] ?? '';
    await client.query(attemptFirst, [head]);

    let isMigrated = false;
    const migrating = database.migrate().then(() => (isMigrated = true));
    while (!isMigrated) await write();
    await migrating;
    await write();
    const count = [...written.values()].flat().length;
    const rows = await client.query<{ status: string; n: number }>(
      'select status, count(*)::int as n from webhook_deliveries group by status',
    );
    const byStatus = new Map(rows.rows.map(({ status, n }) => [status, n]));
    t.equal(byStatus.get('retrying'), 1);
    const pending = byStatus.get('pending') ?? 0;
    t.ok(
      pending >= 2 && pending + 1 <= count - 3,
      `rows of before (${pending} of ${count}), and none of what came after`,
    );

    const next = await startNext();
    next.tell(stitchId, 'sweep', {});
    await receiver.arrived(count);
    await next.until({ delivered: count }, stitchId);
    const got = getReceived();
    t.equal(got.length, count, 'none twice');
    for (const ids of written.values()) {
      const own = new Set(ids);
      t.same(
        got.filter(id => own.has(id)),
        ids,
        'in order',
      );
    }
  },
);

t.test('what a node of before says of a stitch counts from the next event on', async t => {
  const { database, client, receiver, stitchId, commit, startNext, getReceived } = await startBefore(
    t,
    'changes',
  );
  await database.migrate();
  const change = (set: string): Promise<unknown> =>
    client.query(
      `update stitches set ${set}, version = version + 1, updated_at = now() where stitch_id = $1`,
      [stitchId],
    );
  const thread = newId('thread');
  await commit([thread]);
  // This cancels what is open.
  await change(`status = 'disabled'`);
  await commit([thread]);
  await change(`status = 'active'`);
  const wanted = await commit([thread]);
  await change(`event_names = '{thread.tags.changed}'`);
  await commit([thread]);
  await change(`event_names = '{thread.*}'`);
  wanted.push(...(await commit([thread])));
  // One that it makes.
  const made = newId('stitch');
  await client.query(
    `insert into stitches select (jsonb_populate_record(s, $1)).* from stitches s where stitch_id = $2`,
    [JSON.stringify({ stitch_id: made }), stitchId],
  );
  wanted.push(...(await commit([thread])));

  const next = await startNext();
  next.tell(stitchId, 'sweep', {});
  await receiver.arrived(wanted.length);
  await next.until({ cancelled: 1, delivered: wanted.length }, stitchId);
  t.same(getReceived(), wanted);
  t.same(await next.counts(made), { pending: 1 });
});
