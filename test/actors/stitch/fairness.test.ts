/** Threads of one stitch leave slots for each other. */
import t from 'tap';
import { firstWindow } from '../../../actors/stitch/window.ts';
import { error, ok, StitchHarness } from './stitch-harness.ts';

t.test('one thread with a thousand deliveries leaves slots for the others', async t => {
  const stitch = new StitchHarness();
  stitch.emit([
    ...Array.from({ length: 1_000 }, () => 'thread_hot'),
    ...Array.from({ length: 30 }, (_, i) => `thread_${i}`),
  ]);
  stitch.settle();
  t.equal(stitch.out.length, firstWindow.size);
  t.equal(
    new Set(stitch.out.map(({ delivery }) => delivery.threadId)).size,
    firstWindow.size,
    'each of another thread',
  );
  t.ok(stitch.state.queue.waiting.length < 256, 'and few are in memory');
});

t.test('a held thread with a thousand deliveries leaves slots for the others', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_hot']);
  stitch.settle();
  stitch.answer(1, () => error);
  stitch.settle();
  stitch.emit([
    ...Array.from({ length: 1_000 }, () => 'thread_hot'),
    ...Array.from({ length: 30 }, (_, i) => `thread_${i}`),
  ]);
  stitch.settle();
  t.equal(stitch.out.length, Math.floor(stitch.state.queue.window.size));
  t.notOk(stitch.out.some(({ delivery }) => delivery.threadId === 'thread_hot'));
});

t.test('when the head is delivered its thread continues at once', async t => {
  const stitch = new StitchHarness();
  stitch.emit(['thread_1']);
  stitch.settle();
  stitch.answer(1, () => error);
  stitch.settle();
  stitch.emit(['thread_1', 'thread_1']);
  stitch.settle();
  t.equal(stitch.out.length, 0, 'held');
  const start = stitch.now;
  stitch.pass(7_000, () => ok);
  t.equal(stitch.open.length, 0);
  t.ok(stitch.attempts.every(({ at }) => at - start < 7_000));
});

t.test('more retries are due at once than one load brings', async t => {
  const stitch = new StitchHarness('production');
  stitch.emit(Array.from({ length: 300 }, (_, i) => `thread_${i}`));
  stitch.pass(0, ({ eventSeq }) => (eventSeq % 10 === 0 ? ok : error));
  t.equal(stitch.open.filter(({ attempts }) => attempts === 1).length, 270);
  stitch.pass(6_500, () => ok);
  t.equal(stitch.open.length, 0);
});

t.test('waking it often costs one load', async t => {
  const stitch = new StitchHarness();
  for (let i = 0; i < 100; i++) stitch.emit(['thread_1']);
  t.equal(stitch.loads.length, 1);
  stitch.readTables();
  for (let i = 0; i < 100; i++) stitch.emit(['thread_2']);
  stitch.loaded();
  t.equal(stitch.loads.length, 1, 'and one more for what came meanwhile');
});
