import { IsolationLevel } from '@mikro-orm/core';
import t from 'tap';
import { ClusterGauges } from '../../../gateway/jobs/cluster-gauges.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { startTestDatabase } from '../../support/database.ts';

const { database } = await startTestDatabase(t);

t.test('only the node that does the maintenance shows what the database knows', async t => {
  const metrics = new Metrics();
  let isLeader = true;
  const gauges = new ClusterGauges(database, metrics, () => isLeader);
  const read = async (name: string): Promise<string | undefined> =>
    new RegExp(`^${name} (.+)$`, 'm').exec(await metrics.registry.metrics())?.[1];
  const oldest = 'skein_deliveries_oldest_seconds';
  const expiry = 'skein_channel_token_expiry_seconds';
  const mail = 'skein_mails_oldest_seconds';
  const letters = 'skein_dead_letters';
  const now = Date.parse('2026-01-02T03:00:00Z');

  await gauges.measure(now);
  t.equal(await read(oldest), '0', 'nothing is open');
  t.equal(await read(expiry), undefined, 'nothing expires');
  t.equal(await read(mail), '0', 'no mail waits');

  const insert = `insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
    event_at, status, attempt_count, trigger, created_at, updated_at)
    values ($1, 'prj_1', 'env_1', 'stitch_1', 'evt_1', 1, 'message.received', $2, $3, 1, 'scheduled', $2, $2)`;
  await database.query(insert, ['whd_1', '2026-01-02T02:59:00Z', 'retrying']);
  await database.query(insert, ['whd_2', '2026-01-02T01:00:00Z', 'delivered']);
  await database.query(
    `insert into channels (channel_id, project_id, environment_id, name, kind, status, phone_number_id, chatapp, metadata, created_at,
       updated_at, state, version)
     values ('ch_1', 'prj_1', 'env_1', 'a', 'chatapp', 'connected', '1', $1, '{}', now(), now(), '{}', 1)`,
    [JSON.stringify({ connection: { tokenExpiresAt: '2026-01-02T04:00:00.000Z' } })],
  );
  const insertMail = `insert into mails (mail_id, kind, recipient, expires_at, created_at, next_attempt_at, sent_at)
    values ($1, 'verify_email', 'a@example.com', '2026-01-03', $2, $3, $4)`;
  const due = '2026-01-02T03:10:00Z';
  await database.query(insertMail, ['sent', '2026-01-02T01:00:00Z', null, '2026-01-02T01:00:01Z']);
  await database.query(insertMail, ['given up', '2026-01-02T01:30:00Z', null, null]);
  await database.query(insertMail, ['waits', '2026-01-02T02:58:00Z', due, null]);
  await database.query(insertMail, ['waits, too', '2026-01-02T02:59:00Z', due, null]);
  t.equal(await read(letters), '0', 'nothing was given up');
  await database.query(
    `insert into dead_letters (kind, actor_id, name, payload, error, attempts, created_at)
     values ('thread', 'thr_1', 'remind', '{}', 'no', 1, now())`,
  );
  await gauges.measure(now);
  t.equal(await read(letters), '1');
  t.equal(await read(oldest), '60', 'of what is open');
  t.equal(await read(expiry), '3600');
  t.equal(await read(mail), '120', 'of those that wait');

  const snapshot = 'skein_snapshot_oldest_seconds';
  const transaction = database.em();
  await transaction.begin({ isolationLevel: IsolationLevel.REPEATABLE_READ });
  await transaction.execute('select 1');
  await gauges.measure(now);
  const age = Number(await read(snapshot));
  t.ok(age > 0, 'of a transaction that reads');
  await transaction.rollback();
  await gauges.measure(now);
  t.ok(Number(await read(snapshot)) < age);

  isLeader = false;
  t.same(
    [await read(oldest), await read(expiry), await read(mail), await read(snapshot)],
    Array.from({ length: 4 }),
  );
});
