/** What waits for a receiver that does not answer is sent as it is then, and not as it was before its thread was erased. */
import t from 'tap';
import { newId } from '../../../protocol/ids.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { keptMs } from '../../../storage/events/log-tail.ts';
import { erasePersonalData } from '../../../storage/retention/erasures.ts';
import { startTestDatabase } from '../../support/database.ts';
import { answer, Receiver, type Received } from '../../support/receiver.ts';
import { ShiftedClock, StitchNode } from '../../support/stitch-node.ts';

const { database } = await startTestDatabase(t);

/** Of each thread the stitch has at most so many in memory while others need the room; the rest is read from the log. */
const ofThread = 20;
const threads = Array.from({ length: 30 }, () => newId('thread'));
const count = threads.length * ofThread;

t.test('threads that are erased while their receiver does not answer', async t => {
  const clock = new ShiftedClock();
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const open: (() => void)[] = [];
  receiver.behaviour = (request, response) => open.push(() => answer(204)(request, response));
  const node = new StitchNode(database, { clock });
  await node.start();
  t.teardown(() => node.stop());
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url() });
  const fed = Array.from({ length: ofThread }, () =>
    threads.map(threadId => ({ threadId, data: { message: { threadId, body: 'Maria' } } })),
  );
  await node.emit(fed.flat());
  await receiver.arrived(20);
  const sent = receiver.received.length;
  t.ok(
    receiver.received.every(({ body }) => body.includes('Maria')),
    'as they are',
  );
  for (const threadId of threads) {
    await database.query(
      `insert into erasures (thread_id, project_id, environment_id, through, requested_at, due_at) values ($1, $2, $3, 1000, now(), now())`,
      [threadId, node.projectId, node.environmentId],
    );
  }
  await database.query(`update events set sequence = seq where project_id = $1`, [node.projectId]);
  await erasePersonalData(database, clock.now() + 1_000, silentLog);
  clock.shift(keptMs);
  receiver.behaviour = answer(204);
  for (const close of open) close();
  await receiver.arrived(count);
  await node.until({ delivered: count }, stitch.stitchId);
  const isErased = ({ body }: Received): boolean =>
    !body.includes('Maria') && (JSON.parse(body) as { data: { erased?: true } }).data.erased === true;
  t.equal(receiver.received.slice(sent).filter(isErased).length, count - sent);
});
