/** How many requests of a stitch may be in flight, by what its receiver answers. */
import t from 'tap';
import {
  adapt,
  firstWindow,
  maxInFlight,
  toOutcome,
  type Answer,
  type Window,
} from '../../../actors/stitch/window.ts';
import { StitchHarness, error, ok } from './stitch-harness.ts';

const good: Answer = { at: 1_000, durationMs: 10, outcome: 'good' };
const failed: Answer = { at: 1_000, durationMs: 10, outcome: 'failed' };

/** Each round all that may be in flight is answered alike. */
function afterRounds(window: Window, rounds: number, answer: Answer): Window {
  let next = window;
  for (let round = 0; round < rounds; round++) {
    const inFlight = Math.floor(next.size);
    const now = answer.at + round * 1_000;
    next = adapt(
      next,
      Array.from({ length: inFlight }, () => ({ ...answer, at: now })),
      inFlight,
      now + 100,
    );
  }
  return next;
}

t.test('it grows by one for each window of quick answers, up to 256', async t => {
  t.equal(firstWindow.size, 20);
  const ten = afterRounds(firstWindow, 10, good);
  t.ok(ten.size > 29 && ten.size <= 30, String(ten.size));
  t.equal(Math.round(afterRounds(firstWindow, 300, good).size), maxInFlight);
  t.equal(afterRounds(firstWindow, 10, { ...good, durationMs: 2_000 }).size, 20, 'not by slower ones');
  t.equal(afterRounds(firstWindow, 10, { ...good, outcome: 'refused' }).size, 20, 'nor by a 400');
  t.equal(adapt(firstWindow, [good], 19, 2_000).size, 20, 'nor where it was not used');
});

t.test('it is halved once for each round trip that fails or is slow, down to 4', async t => {
  t.equal(afterRounds(firstWindow, 1, failed).size, 10, 'however many fail at once');
  t.equal(afterRounds(firstWindow, 1, { ...good, durationMs: 5_000 }).size, 10);
  const halved = adapt(firstWindow, [failed], 20, 1_500);
  t.equal(adapt(halved, [failed, failed], 20, 1_600).size, 10, 'what was in flight then tells nothing new');
  t.equal(adapt(halved, [{ ...failed, at: 1_501 }], 10, 1_600).size, 5);
  t.equal(afterRounds(firstWindow, 20, failed).size, 4);
});

t.test('what a result says of its receiver', async t => {
  for (const status of [200, 204, 299]) t.equal(toOutcome(status, null), 'good');
  for (const status of [301, 400, 401, 410, 422]) t.equal(toOutcome(status, null), 'refused');
  for (const status of [408, 429, 500, 503]) t.equal(toOutcome(status, null), 'failed');
  for (const failure of ['timeout', 'dns', 'connect', 'tls']) t.equal(toOutcome(null, failure), 'failed');
  for (const failure of ['no_body', 'unreadable_secret', 'blocked_address'])
    t.equal(toOutcome(null, failure), 'refused');
});

t.test('a stitch sends as much as its window allows', async t => {
  const stitch = new StitchHarness();
  stitch.emit(Array.from({ length: 2_000 }, (_, i) => `thread_${i}`));
  stitch.settle();
  t.equal(stitch.out.length, 20);
  for (let round = 0; round < 40; round++) {
    stitch.answer(stitch.out.length, () => ok);
    stitch.settle();
  }
  t.ok(stitch.out.length > 50, `${stitch.out.length} are out`);
  const { length } = stitch.out;
  stitch.answer(length, () => error);
  stitch.settle();
  t.equal(stitch.out.length, Math.floor(length / 2));
});
