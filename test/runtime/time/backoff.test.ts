import t from 'tap';
import { Backoff } from '../../../runtime/time/backoff.ts';
import type { Random } from '../../../runtime/time/clock.ts';

const fixed = (next: number): Random => ({ next: () => next, bytes: size => new Uint8Array(size) });

t.test('the waits double up to the longest, give or take a quarter', async t => {
  const waits = (next: number): number[] => {
    const backoff = new Backoff(100, 500, fixed(next));
    return Array.from({ length: 5 }, () => backoff.next());
  };
  t.same(waits(0), [75, 150, 300, 375, 375]);
  t.same(waits(0.5), [100, 200, 400, 500, 500]);
  t.ok(Math.max(...waits(0.999)) <= 625);
});

t.test('after a success the first wait comes again', async t => {
  const backoff = new Backoff(100, 500, fixed(0.5));
  t.same([backoff.next(), backoff.next()], [100, 200]);
  backoff.reset();
  t.equal(backoff.next(), 100);
});
