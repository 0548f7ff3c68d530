/** Whoever takes a stitch over, after its owner has died, knows every thread that is held: no event overtakes a head that has failed. */
import { randomBytes } from 'node:crypto';
import t from 'tap';
import { maxHeld } from '../../../actors/stitch/queue-load.ts';
import { newId } from '../../../protocol/ids.ts';
import { startTestDatabase } from '../../support/database.ts';
import { Receiver } from '../../support/receiver.ts';
import { ShiftedClock, StitchNode } from '../../support/stitch-node.ts';

const { database } = await startTestDatabase(t);
/** Threads whose heads have failed, and those of them that are tried again later than the others. */
const heads = maxHeld + 500;
const later = 500;

t.test('more heads than a stitch takes new events with', async t => {
  const owner = {
    projectId: newId('project'),
    environmentId: newId('environment'),
    secretKeys: `test:${randomBytes(32).toString('base64')}`,
  };
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const first = new StitchNode(database, owner);
  await first.start();
  const { stitch } = await first.createStitch({ webhookUrl: receiver.url() });
  await first.stop();
  const emit = (place: 'head' | 'next'): Promise<unknown> =>
    first.emit(
      Array.from({ length: heads }, (_, thread) => ({
        threadId: `thread_${thread}`,
        data: { place, thread },
      })),
    );
  await emit('head');
  await emit('next');
  // As the first owner leaves it: each head was attempted ten seconds ago.
  await database.query(
    `insert into webhook_deliveries (delivery_id, created_at, project_id, environment_id, stitch_id, event_id, event_seq, event_name,
       event_at, thread_id, status, trigger, attempt_count, last_attempt_at, next_attempt_at, updated_at)
     select skein_delivery_id(event_id, $1), occurred_at, project_id, environment_id, $1, event_id, seq, event_name, occurred_at, thread_id,
       'retrying', 'scheduled', 1, now() - interval '10 s', now() + case when seq <= $3 then interval '1 min' else interval '2 min' end, now()
     from events where project_id = $2 and seq <= $4`,
    [stitch.stitchId, owner.projectId, heads - later, heads],
  );
  await database.query(
    `insert into webhook_attempts (delivery_id, number, attempted_at, project_id, trigger, duration_ms)
     select delivery_id, 1, last_attempt_at, project_id, trigger, 1 from webhook_deliveries where stitch_id = $1`,
    [stitch.stitchId],
  );

  const clock = new ShiftedClock();
  const second = new StitchNode(database, { ...owner, clock });
  await second.start();
  t.teardown(() => second.stop());
  second.tell(stitch.stitchId, 'sweep', {});
  clock.shift(65_000);
  await receiver.arrived(2 * (heads - later));
  clock.shift(60_000);
  await second.until({ delivered: 2 * heads });
  const seen = new Set<number>();
  const overtaking = receiver.received.filter(({ body }) => {
    const { data } = JSON.parse(body) as { data: { place: string; thread: number } };
    if (data.place === 'head') seen.add(data.thread);
    return !seen.has(data.thread);
  });
  t.equal(seen.size, heads);
  t.equal(overtaking.length, 0, 'each after the head of its thread');
});
