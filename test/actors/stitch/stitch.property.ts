/** Invariants of a stitch under every interleaving that fast-check finds. */
import fc from '../../support/fuzz.ts';
import type { Test } from 'tap';
import { holdMs } from '../../../actors/stitch/schedule.ts';
import { down, error, ok, StitchHarness, tenancy, type Outcome } from './stitch-harness.ts';

type Step = (stitch: StitchHarness) => void;

const thread = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 6 }).map(n => `thread_${n}`) },
  { weight: 1, arbitrary: fc.constant(null) },
  // One thread that is busier than all others.
  { weight: 4, arbitrary: fc.constant('thread_hot') },
);
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 5, arbitrary: fc.constant(ok) },
  { weight: 2, arbitrary: fc.constant(error) },
  { weight: 1, arbitrary: fc.constant(down) },
  {
    weight: 1,
    arbitrary: fc.integer({ min: 0, max: 4_000 }).map(s => ({ ...error, retryAfter: String(s) })),
  },
);

const threads = fc.oneof(
  { weight: 6, arbitrary: fc.array(thread, { minLength: 1, maxLength: 40 }) },
  // More than a page, most of it of few threads.
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.integer({ min: 100, max: 300 }), fc.array(thread, { minLength: 1, maxLength: 5 }))
      .map(([count, few]) => Array.from({ length: count }, (_, i) => few[i % few.length] ?? null)),
  },
);

const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });

const emit = (wakes: boolean) =>
  threads.map((list): Step => stitch => {
    stitch.emit(list, wakes);
  });
const answer = fc
  .tuple(
    fc.integer({ min: 1, max: 20 }),
    fc.array(outcome, { minLength: 1, maxLength: 20 }),
    fc.nat(1_000),
    fc.boolean(),
  )
  .map(([count, outcomes, place, late]): Step => stitch => {
    // Answers come in any order.
    stitch.out.unshift(...stitch.out.splice(place % Math.max(1, stitch.out.length)));
    let next = 0;
    stitch.answer(count, () => outcomes[next++ % outcomes.length] ?? ok, (place % 97) / 97, late);
  });
const pass = fc
  .oneof(fc.integer({ min: 1, max: 6_000 }), fc.integer({ min: 1, max: 400_000 }))
  .map((ms): Step => stitch => {
    stitch.now += ms;
    stitch.remind();
  });

/** What a node does by itself. */
const usual = [
  weighted(3, emit(true)),
  weighted(10, answer),
  weighted(
    8,
    fc.integer({ min: 1, max: 3 }).map(
      (count): Step =>
        stitch =>
          stitch.acknowledge(count),
    ),
  ),
  weighted(
    6,
    fc.constant<Step>(stitch => stitch.readTables()),
  ),
  weighted(
    6,
    fc.constant<Step>(stitch => stitch.loaded()),
  ),
  weighted(
    6,
    fc.constant<Step>(stitch => stitch.hear()),
  ),
  weighted(3, pass),
];
/** A replay, whatever its stitch makes of it. */
const replayed = weighted(
  1,
  fc.nat(20).map((back): Step => stitch => {
    if (stitch.tables.head === 0) return;
    const eventSeq = Math.max(1, stitch.tables.head - back);
    stitch.insert({ threadId: `thread_${back % 3}`, eventSeq, trigger: 'replay' });
    stitch.do('wake', { from: eventSeq });
  }),
);
/** What it has to survive. */
const unusual = [
  weighted(2, emit(false)),
  weighted(
    1,
    fc.constant<Step>(stitch => stitch.do('sweep', {})),
  ),
  weighted(
    1,
    fc.constant<Step>(stitch => stitch.do('wake', { from: 0 })),
  ),
  weighted(
    1,
    fc.constant<Step>(stitch => stitch.crash()),
  ),
];

/** What its owner does. */
const stops = [
  weighted(
    2,
    fc.constant<Step>(stitch => stitch.update({ status: 'disabled' })),
  ),
  weighted(
    3,
    fc.constant<Step>(stitch => stitch.update({ status: 'active' })),
  ),
  weighted(
    3,
    fc.constant<Step>(stitch => stitch.cancel()),
  ),
  weighted(
    2,
    fc.integer({ min: 1, max: 5 }).map(
      (count): Step =>
        stitch =>
          stitch.withdraw(count),
    ),
  ),
  weighted(
    1,
    fc.nat(20).map((back): Step => stitch => {
      const row = [...stitch.rows.values()].at(-1 - back);
      if (row === undefined || stitch.state.status === 'disabled') return;
      const { eventId, eventSeq, eventName, eventAt, threadId } = row;
      stitch.do('replay', { ...tenancy, event: { eventId, eventSeq, eventName, eventAt, threadId } });
    }),
  ),
];

function check(stitch: StitchHarness): void {
  if (stitch.open.length > 0) throw new Error(`${stitch.open.length} deliveries are lost`);
  if (stitch.state.status !== 'active') throw new Error(`it stays in ${stitch.state.status}`);
  for (const row of stitch.rows.values()) {
    if (row.status === 'failed' && row.attempts !== stitch.schedule.length) throw new Error('given up early');
    if (row.attempts > stitch.schedule.length) throw new Error('tried too often');
  }
  const { queue } = stitch.state;
  if (queue.waiting.length + queue.started.size > 0) throw new Error('a leak');
}

/** Random histories of stitches. */
export function testStitches(t: Test, numRuns: number): void {
  t.test('in any interleaving of a node that lives', async t => {
    fc.assert(
      fc.property(
        fc.constantFrom('sandbox' as const, 'production' as const),
        fc.array(fc.oneof(...usual), { minLength: 10, maxLength: 150 }),
        (environmentKind, steps) => {
          const stitch = new StitchHarness(environmentKind);
          stitch.tables.pageEvents = 5;
          for (const take of steps) take(stitch);
          // The receiver recovers: all that is open arrives, by what the stitch has set in motion itself.
          stitch.pass(100 * 3_600_000, () => ok);
          check(stitch);
        },
      ),
      { numRuns },
    );
    t.pass('order, bounds, nothing lost');
  });

  t.test('in any interleaving with crashes and lost wakes', async t => {
    fc.assert(
      fc.property(
        fc.constantFrom('sandbox' as const, 'production' as const),
        fc.array(fc.oneof(...usual, ...unusual, replayed), { minLength: 10, maxLength: 150 }),
        (environmentKind, steps) => {
          const stitch = new StitchHarness(environmentKind);
          stitch.tables.pageEvents = 5;
          for (const take of steps) take(stitch);
          for (let hours = 0; hours < 100 && stitch.open.length > 0; hours++) {
            stitch.do('sweep', {});
            stitch.pass(3_600_000, () => ok);
          }
          check(stitch);
        },
      ),
      { numRuns },
    );
    t.pass('order, bounds, nothing lost');
  });

  t.test('in any interleaving of a stitch that is stopped and started again', async t => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(...usual, ...unusual, ...stops), { minLength: 10, maxLength: 150 }),
        steps => {
          const stitch = new StitchHarness();
          stitch.tables.pageEvents = 5;
          for (const take of steps) take(stitch);
          stitch.update({ status: 'active' });
          do {
            stitch.do('sweep', {});
            stitch.pass(24 * 3_600_000, () => ok);
          } while (stitch.open.length > 0);
          check(stitch);
          if (stitch.state.cancelUntil !== null) throw new Error('a stop does not end');
        },
      ),
      { numRuns },
    );
    t.pass('nothing is sent that was open at a stop, and nothing else is lost');
  });

  t.test('retries follow the schedule in virtual time', async t => {
    fc.assert(
      fc.property(
        fc.constantFrom('sandbox' as const, 'production' as const),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
          minLength: 12,
          maxLength: 12,
        }),
        (environmentKind, jitters) => {
          const stitch = new StitchHarness(environmentKind);
          stitch.emit(['thread_1']);
          stitch.settle();
          const start = stitch.now;
          const made: number[] = [];
          while (stitch.out.length > 0) {
            made.push(stitch.now);
            stitch.answer(1, () => error, jitters[made.length - 1]);
            stitch.settle();
            const next = Math.min(...[...stitch.reminders.values()].map(({ at }) => at));
            if (next === Infinity) break;
            // A hold may end before the retry is due.
            while (stitch.out.length === 0 && stitch.open.length > 0) {
              stitch.now = Math.min(...[...stitch.reminders.values()].map(({ at }) => at));
              stitch.settle();
            }
          }
          const waits = made.map((at, index) => at - (made[index - 1] ?? start));
          if (waits.length !== stitch.schedule.length) throw new Error(`${waits.length} attempts`);
          waits.forEach((wait, index) => {
            const step = stitch.schedule[index] ?? 0;
            const jitter = index === 0 ? 0 : (jitters[index - 1] ?? 0);
            const due = step * (0.8 + 0.4 * jitter);
            if (wait < Math.floor(due) || wait > due + 101) throw new Error(`waited ${wait} and not ${due}`);
          });
          const [row] = stitch.rows.values();
          if (row?.status !== 'failed' || row.attempts !== stitch.schedule.length)
            throw new Error('not exhausted');
        },
      ),
      { numRuns: Math.ceil(numRuns / 16) },
    );
    t.pass('each attempt within a fifth of its step');
  });

  t.test('a failing head holds its thread for five minutes, and no other thread at all', async t => {
    const stitch = new StitchHarness('production');
    stitch.emit(['thread_1', 'thread_1', 'thread_2', 'thread_1']);
    const start = stitch.now;
    const arrived = new Map<number, number>();
    stitch.pass(holdMs * 2, ({ eventSeq }) => {
      if (eventSeq === 1) return error;
      arrived.set(eventSeq, stitch.now - start);
      return ok;
    });
    t.equal(arrived.get(3), 0, 'the other thread goes on');
    t.ok((arrived.get(2) ?? 0) >= holdMs && (arrived.get(2) ?? 0) <= holdMs + 200, 'held, then let pass');
    t.ok((arrived.get(4) ?? 0) >= (arrived.get(2) ?? Infinity), 'in order still');
    t.equal(stitch.open.length, 1, 'and the head keeps its schedule');
  });
}
