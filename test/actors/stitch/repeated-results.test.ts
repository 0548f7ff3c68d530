/** A result whose commit has lost its answer is reported again: the attempt counts once. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { OutcomeUnknown } from '../../../runtime/actor/store.ts';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver } from '../../support/receiver.ts';
import { ShiftedClock, StitchNode } from '../../support/stitch-node.ts';

const { database } = await startTestDatabase(t);

t.test('every commit of an attempt loses its answer once', async t => {
  const clock = new ShiftedClock();
  const node = new StitchNode(database, { clock });
  const receiver = await Receiver.start();
  t.teardown(async () => {
    await node.stop();
    await receiver.stop();
  });
  const attempts = new Set<string>();
  let lost = 0;
  const { commit } = node.store;
  const commitInVain: typeof commit = async given => {
    await commit(given);
    const attempt = given.writes.find(({ statement }) => statement.name.startsWith('attempt.insert'));
    const key = String(attempt?.values.slice(0, 2));
    if (attempt === undefined || attempts.has(key)) return;
    attempts.add(key);
    lost++;
    throw new OutcomeUnknown('the answer is lost');
  };
  Object.assign(node.store, { commit: commitInVain });
  await node.start();
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
  const { stitchId } = stitch;
  const readCounts = async (): Promise<unknown> => {
    const [row] = await database.query(
      `select (select array[sum(succeeded), sum(failed)]::int[] from stitch_hours where stitch_id = $1) as counted,
         (select count(*)::int from webhook_attempts where project_id = $2) as attempts,
         (select (state->'health'->>'failures')::int from stitches where stitch_id = $1) as failures,
         (select count(*)::int from events where project_id = $2 and event_name = 'stitch.delivery.exhausted') as exhausted`,
      [stitchId, node.projectId],
    );
    return row;
  };

  receiver.behaviour = answer(500);
  await node.emit([{ threadId: newId('thread') }]);
  for (let n = 1; n <= 4; n++) {
    await eventually(`attempt ${n}`, () => Promise.resolve(attempts.size === n));
    clock.shift(3_600_000);
  }
  await node.until({ failed: 1 });
  await node.node.drain();
  t.same(await readCounts(), { counted: [0, 4], attempts: 4, failures: 4, exhausted: 1 });
  t.equal(lost, 4);
});
