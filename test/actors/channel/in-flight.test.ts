/** What is on its way to the provider outlives the task that has begun it. */
import t from 'tap';
import { InFlight } from '../../../actors/channel/in-flight.ts';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Something on its way, and its end. */
function begin(inFlight: InFlight, channelId: string, id: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  void inFlight.add(channelId, id, promise);
  return resolve;
}

t.test('it is counted by channel, and of all', async t => {
  const inFlight = new InFlight();
  const ends = [begin(inFlight, 'a', '1'), begin(inFlight, 'a', '2'), begin(inFlight, 'b', '3')];
  t.strictSame([inFlight.size, inFlight.channels, inFlight.list('a').length], [3, 2, 2]);
  t.ok(inFlight.has('b', '3'));
  ends[2]?.();
  await turn();
  t.strictSame([inFlight.size, inFlight.channels, inFlight.has('b', '3')], [2, 1, false]);
  ends[0]?.();
  ends[1]?.();
  await turn();
  t.strictSame([inFlight.size, inFlight.channels], [0, 0]);
});

t.test('one task of a channel waits for all of it, also for what has begun meanwhile', async t => {
  const inFlight = new InFlight();
  const seen: string[] = [];
  const note = (what: string) => () => Promise.resolve(void seen.push(what));
  const endFirst = begin(inFlight, 'a', '1');
  let isOver = false;
  const waiting = inFlight.awaitAll('a', note('first')).then(() => (isOver = true));
  await inFlight.awaitAll('a', note('second'));
  t.strictSame(seen, [], 'the second one does not wait');
  const endLater = begin(inFlight, 'a', '2');
  endFirst();
  await turn();
  t.strictSame([seen, isOver], [['first'], false], 'what the first has held back may follow');
  endLater();
  await waiting;
  t.strictSame(seen, ['first', 'first']);
  await inFlight.awaitAll('a', note('third'));
  t.strictSame(seen.length, 2, 'nothing is on its way');
  begin(inFlight, 'a', '3')();
  await inFlight.awaitAll('a', note('fourth'));
  t.equal(seen.at(-1), 'fourth', 'the place is free again');
});
