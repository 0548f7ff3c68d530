/** The pace at which messages leave. */
import t from 'tap';
import { Pacer } from '../../../actors/channel/pacer.ts';

t.test('a number has eighty places in a second, and others have their own', async t => {
  const pacer = new Pacer();
  const places = Array.from({ length: 81 }, () => pacer.takePlace('1', 1_000));
  t.equal(places[0], 1_000);
  t.equal(places[80], 2_000);
  t.equal(pacer.takePlace('2', 1_000), 1_000);
  t.equal(pacer.takePlace('1', 5_000), 5_000, 'nothing is saved up');
  pacer.pause('1', 9_000);
  t.equal(pacer.getNumberAt('1'), 9_000);
  t.equal(pacer.takePlace('1', 5_001), 9_000);
});

t.test('a thread waits six seconds, and typing is shown once in twenty', async t => {
  const pacer = new Pacer();
  t.equal(pacer.getThreadAt('a'), 0);
  pacer.noteThread('a', 1_000);
  t.equal(pacer.getThreadAt('a'), 7_000);
  pacer.noteThread('b', 7_001);
  t.equal(pacer.getThreadAt('a'), 0, 'forgotten');
  t.same(
    [pacer.mayShowTyping('m', 0), pacer.mayShowTyping('m', 19_999), pacer.mayShowTyping('m', 20_000)],
    [true, false, true],
  );
});
