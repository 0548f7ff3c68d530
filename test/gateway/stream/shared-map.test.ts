/** Two nodes that keep a map together, and lose each other. */
import t from 'tap';
import { SharedMap } from '../../../gateway/stream/shared-map.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import { LocalBus, LocalTransport } from '../../../runtime/transport/local.ts';
import { ManualClock } from './stream-fixture.ts';

function setUp() {
  const clock = new ManualClock();
  const bus = new LocalBus();
  const start = (node: string) => {
    const transport = new LocalTransport({ clock, log: silentLog, bus });
    const changes: string[] = [];
    const map = new SharedMap<number>({
      transport,
      topic: 'test',
      node,
      clock,
      changed: key => changes.push(key),
    });
    return { transport, changes, map };
  };
  return { clock, start };
}

t.test('each node sees what the others have set, also before it came', async t => {
  const { clock, start } = setUp();
  const first = start('first');
  first.map.set('a', 1);
  const second = start('second');
  await clock.advance(0);
  t.same(second.map.get('a'), [1]);
  second.map.set('a', 2);
  await clock.advance(0);
  t.same(first.map.get('a'), [1, 2], 'its own first');
  second.map.set('a', undefined);
  await clock.advance(0);
  t.same(first.map.get('a'), [1]);
  t.same(first.changes, ['a', 'a', 'a']);
  await clock.advance(60_000);
  t.same(second.map.get('a'), [1], 'it is repeated');
  t.equal(first.changes.length, 3, 'which changes nothing');
});

t.test('what a node has set ends with it', async t => {
  const { clock, start } = setUp();
  const [first, second] = [start('first'), start('second')];
  second.map.set('a', 2);
  await clock.advance(0);
  t.same(first.map.get('a'), [2]);
  await second.transport.drain();
  await clock.advance(20_000);
  t.same(first.map.get('a'), [2]);
  await clock.advance(5_000);
  t.same(first.map.get('a'), []);
  t.same(first.changes, ['a', 'a']);
});
