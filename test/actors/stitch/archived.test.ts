/** A stitch of an archived project sends nothing, and loses nothing: neither what waits in the log, nor what is about to be sent, nor retries. */
import t, { type Test } from 'tap';
import { startTestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { answer, Receiver, type Received } from '../../support/receiver.ts';
import { ShiftedClock, StitchNode } from '../../support/stitch-node.ts';
import { error, ok, StitchHarness, tenancy } from './stitch-harness.ts';

const { database } = await startTestDatabase(t);

async function start(t: Test, isArchived: () => boolean | Promise<boolean>, clock = new ShiftedClock()) {
  const receiver = await Receiver.start();
  t.teardown(() => receiver.stop());
  const node = new StitchNode(database, { clock, archived: { has: isArchived } });
  await node.start();
  t.teardown(() => node.stop());
  const { stitch } = await node.createStitch({ webhookUrl: receiver.url(), eventNames: ['thread.*'] });
  const { stitchId } = stitch;
  /** The stitch has found out, and looks again by itself later. */
  const isPostponed = () =>
    eventually('a stitch that is postponed', async () => {
      // No retry is that far away.
      const query = `select 1 from stitches where stitch_id = $1 and (state ->> 'dueAt')::bigint > $2`;
      return (await database.query(query, [stitchId, clock.now() + 200_000])).length === 1;
    });
  return { receiver, node, clock, stitchId, isPostponed };
}

const events = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ threadId: `thread_${i % 3}`, data: { i: from + i } }));
const readNumber = ({ body }: Received): number => (JSON.parse(body) as { data: { i: number } }).data.i;

/** Each exactly once, and those of a thread in their order. */
function holdsAll(t: Test, receiver: Receiver, count: number): void {
  const numbers = receiver.received.map(readNumber);
  t.same(
    [...numbers].sort((a, b) => a - b),
    Array.from({ length: count }, (_, i) => i),
  );
  for (const thread of [0, 1, 2]) {
    const ofThread = numbers.filter(n => n % 3 === thread);
    t.same(
      ofThread,
      [...ofThread].sort((a, b) => a - b),
    );
  }
}

t.test('what is in the log waits there, and is sent when the project is back', async t => {
  let archived = true;
  const { receiver, node, stitchId, isPostponed } = await start(t, () => archived);
  await node.emit(events(9));
  await isPostponed();
  await node.emit(events(3, 9));
  await node.ask(stitchId, 'sweep', {});
  t.same(receiver.received, []);
  t.same(await node.counts(), { pending: 12 });
  archived = false;
  node.tell(stitchId, 'sweep', {});
  await node.until({ delivered: 12 });
  holdsAll(t, receiver, 12);
});

t.test('what was about to be sent is given back', async t => {
  // The load still sees a project that is there; whatever is sent from then on does not.
  let asked = 0;
  let archived = true;
  const { receiver, node, stitchId, isPostponed } = await start(t, () => archived && asked++ > 0);
  await node.emit(events(12));
  await isPostponed();
  t.ok(asked > 1);
  t.same(receiver.received, []);
  archived = false;
  node.tell(stitchId, 'sweep', {});
  await node.until({ delivered: 12 });
  holdsAll(t, receiver, 12);
});

t.test('a retry waits as well, and nobody needs to tell the stitch that the project is back', async t => {
  let archived = false;
  const { receiver, node, clock, isPostponed } = await start(t, () => archived);
  receiver.behaviour = answer(503);
  await node.emit(events(1));
  await node.until({ retrying: 1 });
  archived = true;
  receiver.behaviour = answer(204);
  clock.shift(60_000);
  await isPostponed();
  t.equal(receiver.received.length, 1);
  archived = false;
  clock.shift(600_000);
  await node.until({ delivered: 1 });
  t.equal(receiver.received.length, 2);
});

t.test(
  'where it cannot be read whether the project is archived, it is asked again, and the node goes on',
  async t => {
    let asked = 0;
    const { receiver, node } = await start(t, () =>
      asked++ % 3 === 2 ? Promise.resolve(false) : Promise.reject(new Error('the database is away')),
    );
    await node.emit(events(3));
    await node.until({ delivered: 3 });
    t.ok(asked > 3);
    holdsAll(t, receiver, 3);
  },
);

/** A load of the stitch finds its project archived; then the project is back. */
function archiveAndRestore(stitch: StitchHarness): void {
  const [order] = stitch.loads.splice(0);
  if (order === undefined) throw new Error('nothing is loaded');
  stitch.do('postpone', { askedAt: order.request.askedAt });
  stitch.acknowledge();
  stitch.do('sweep', {});
  stitch.settle();
}

const listSent = (stitch: StitchHarness): number[] => stitch.out.map(({ delivery }) => delivery.eventSeq);

t.test('a stitch that is loaded meanwhile does not forget which of its threads are held', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1', 'thread_1', 'thread_2']);
  stitch.pass(0, ({ threadId }) => (threadId === 'thread_1' ? error : ok));
  t.strictSame(
    [...stitch.rows.values()].map(({ status }) => status),
    ['retrying', 'pending', 'delivered'],
  );
  stitch.crash();
  archiveAndRestore(stitch);
  t.strictSame(listSent(stitch), [], 'what follows waits for the head that failed');
  const sent: number[] = [];
  stitch.pass(60_000, ({ eventSeq }) => {
    sent.push(eventSeq);
    return ok;
  });
  t.strictSame(sent, [1, 2]);
});

t.test('a replay that was about to be loaded is found again', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1']);
  stitch.pass(0, () => ok);
  const [row] = stitch.rows.values();
  if (row === undefined) throw new Error('there is no delivery');
  const { eventId, eventSeq, eventName, eventAt, threadId } = row;
  stitch.do('replay', { ...tenancy, event: { eventId, eventSeq, eventName, eventAt, threadId } });
  stitch.acknowledge();
  archiveAndRestore(stitch);
  t.strictSame(listSent(stitch), [eventSeq]);
});
