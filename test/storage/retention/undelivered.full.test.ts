/** Events that stitches have yet to deliver outlast their 30 days, by a moved clock: so long that all attempts have their time, and no longer. */
import t from 'tap';
import { holdMs, jitterShare, schedules } from '../../../actors/stitch/schedule.ts';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { sweep } from '../../../storage/retention/sweep.ts';
import { startTestDatabase } from '../../support/database.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { ShiftedClock, StitchNode } from '../../support/stitch-node.ts';
import { testHash } from '../../support/keyed-hash.ts';

const { database } = await startTestDatabase(t);
const day = 86_400_000;

t.test('a delivery that begins when its event is 30 days old has the time of all its attempts', t => {
  const waits = schedules.production.map(wait => wait * Math.max(1 + jitterShare, 2));
  t.ok(waits.reduce((sum, wait) => sum + wait) + schedules.production.length * 15_000 + holdMs < 7 * day);
  t.end();
});

t.test('what is undelivered is kept, and goes when it was delivered, or is too old', async t => {
  const clock = new ShiftedClock();
  const owner = {
    projectId: newId('project'),
    environmentId: newId('environment'),
    secretKeys: `test:${'A'.repeat(43)}=`,
  };
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const warned: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => warned.push(message) };
  const sweepNow = () => sweep({ database, hash: testHash, log }, clock.now());
  const count = async (table: string): Promise<number> => {
    const rows = await database.query(`select 1 from ${table} where project_id = $1`, [owner.projectId]);
    return rows.length;
  };
  const startNode = async (): Promise<StitchNode> => {
    const node = new StitchNode(database, { ...owner, clock });
    await node.start();
    return node;
  };
  await sweepNow();
  const first = await startNode();
  const { stitch } = await first.createStitch({
    webhookUrl: receiver.url(),
    eventNames: ['thread.message.*'],
  });
  const { stitchId } = stitch;
  // This one wants none of them, and its place in the log lags for ever.
  await first.createStitch({ webhookUrl: receiver.url(), eventNames: ['agent.run.completed'] });
  await first.stop();
  await first.emit([{ threadId: 'thread_1' }, { threadId: 'thread_2' }]);
  clock.shift(31 * day);
  await sweepNow();
  t.equal(await count('events'), 2, 'nobody has delivered them');

  receiver.behaviour = (request, response) =>
    answer(request.body.includes('thread_2') ? 500 : 204)(request, response);
  const next = await startNode();
  next.tell(stitchId, 'sweep', {});
  await next.until({ delivered: 1, retrying: 1 }, stitchId);
  next.tell(stitchId, 'sweep', {});
  await sweepNow();
  t.same([await count('events'), await count('webhook_deliveries')], [2, 2], 'one waits for another attempt');
  receiver.behaviour = answer(204);
  clock.shift(10_000);
  await next.until({ delivered: 2 }, stitchId);
  t.equal(receiver.received.length, 3);
  await sweepNow();
  t.same([await count('events'), await count('webhook_deliveries')], [0, 0], 'all are delivered');

  await next.stop();
  await next.emit([{ threadId: 'thread_3' }]);
  clock.shift(36 * day);
  await sweepNow();
  t.equal(await count('events'), 1);
  t.same(warned, []);
  clock.shift(2 * day);
  await sweepNow();
  t.equal(await count('events'), 0, 'nothing waits for ever');
  t.match(warned, [/dropped although it is needed.*stitches have yet to deliver/]);
});
