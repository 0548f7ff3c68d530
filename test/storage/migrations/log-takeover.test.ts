/** Deliveries that were open before stitches followed the log are made, before what follows them, and none twice. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import pg from 'pg';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { openDatabase } from '../../../storage/database/database.ts';
import { listMigrations, runMigrations } from '../../../storage/migrations/run.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Receiver } from '../../support/receiver.ts';
import { StitchNode } from '../../support/stitch-node.ts';

const { createDatabase } = await startTestDatabase(t);

/** What the commit of an event did before for a stitch. */
const insertRow = `
  insert into webhook_deliveries (delivery_id, project_id, environment_id, stitch_id, event_id, event_seq, event_name, event_at,
    thread_id, status, attempt_count, trigger, next_attempt_at, created_at, updated_at)
  select skein_delivery_id(event_id, $1), project_id, environment_id, $1, event_id, seq, event_name, occurred_at, thread_id, 'pending', 0,
    'scheduled', occurred_at, occurred_at, occurred_at
  from events where project_id = $2 and seq between $3 and $4`;

t.test('a database of before', async t => {
  const url = await createDatabase('before');
  const database = await openDatabase({ url, log: silentLog });
  t.teardown(() => database.close());
  const all = listMigrations(database.orm.em.getDriver(), database.orm.config);
  const last = all.findIndex(({ name }) => name.endsWith('log-takeover'));
  const client = new pg.Client({ connectionString: url });
  t.teardown(() => client.end());
  await client.connect();
  await runMigrations(client, all.slice(0, last), silentLog);

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
  const { stitchId } = stitch;
  await node.stop();
  // A node of before knows of no spans.
  await client.query('delete from stitch_spans');
  const threads = [newId('thread'), newId('thread')];
  const fed = threads.flatMap(threadId => Array.from({ length: 3 }, () => ({ threadId })));
  const before = await node.emit(fed);
  await client.query(insertRow, [stitchId, node.projectId, 1, 6]);

  await database.migrate();
  const after = await node.emit(fed);
  // A node that is not stopped yet writes rows as ever.
  const { rowCount } = await client.query(insertRow, [stitchId, node.projectId, 7, 12]);
  t.equal(rowCount, 0, 'the log has them already');

  const next = new StitchNode(database, owner);
  await next.start();
  t.teardown(() => next.stop());
  next.tell(stitchId, 'sweep', {});
  await receiver.arrived(12);
  await next.until({ delivered: 12 }, stitchId);
  const got = receiver.received.map(({ headers }) => String(headers['service-event-id']));
  t.equal(got.length, 12);
  for (const index of threads.keys()) {
    const ofThread = (ids: readonly string[]): string[] => ids.slice(3 * index, 3 * index + 3);
    const wanted = [...ofThread(before), ...ofThread(after)];
    t.same(
      got.filter(id => wanted.includes(id)),
      wanted,
      'in order',
    );
  }
});
