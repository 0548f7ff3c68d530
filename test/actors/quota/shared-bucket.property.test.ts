/** Invariants of a bucket that nodes share, whatever is done to it. */
import assert from 'node:assert/strict';
import fc from '../../support/fuzz.ts';
import t from 'tap';
import {
  fullLevel,
  msUntil,
  quarterRate,
  refill,
  toWholeTokens,
  type Rate,
} from '../../../actors/quota/bucket.ts';
import { grant, spendMs, type SharedBucket } from '../../../actors/quota/shared-bucket.ts';

const rates: fc.Arbitrary<Rate> = fc.record({
  limit: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.constantFrom(100, 1_200, 1_000_000)),
  windowMs: fc.oneof(fc.integer({ min: 1, max: 20_000 }), fc.constantFrom(1_600, 60_000, 345_600_000)),
});

t.test('tokens flow in exactly, in however many steps they are counted', t => {
  fc.assert(
    fc.property(rates, fc.array(fc.nat(5_000)), (rate, steps) => {
      let level = 0;
      let elapsed = 0;
      for (const step of steps) {
        level = refill(rate, level, step);
        elapsed += step;
        assert.equal(BigInt(level), min(BigInt(elapsed) * BigInt(rate.limit), BigInt(fullLevel(rate))));
      }
    }),
  );
  t.end();
});

t.test('time that went backwards changes nothing, and a full bucket stays full', t => {
  fc.assert(
    fc.property(rates, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(1e9), (rate, part, ms) => {
      const level = Math.floor(fullLevel(rate) * part);
      assert.equal(refill(rate, level, -ms), level);
      assert.equal(refill(rate, fullLevel(rate), ms), fullLevel(rate));
      assert.equal(refill(rate, level, rate.windowMs), fullLevel(rate));
    }),
  );
  t.end();
});

t.test('the wait for a level is the shortest that suffices', t => {
  fc.assert(
    fc.property(rates, fc.double({ min: 0, max: 1, noNaN: true }), (rate, part) => {
      const level = Math.floor(rate.windowMs * part);
      const waitMs = msUntil(rate, level, rate.windowMs);
      assert.ok(toWholeTokens(rate, refill(rate, level, waitMs)) >= 1);
      if (waitMs > 0) assert.equal(toWholeTokens(rate, refill(rate, level, waitMs - 1)), 0);
    }),
  );
  t.end();
});

t.test('a quarter is a quarter, to the millisecond, in whole tokens', t => {
  t.strictSame(quarterRate({ limit: 1_200, windowMs: 60_000 }), { limit: 300, windowMs: 60_000 });
  t.strictSame(quarterRate({ limit: 5, windowMs: 1_000 }), { limit: 2, windowMs: 1_600 });
  t.strictSame(quarterRate({ limit: 1, windowMs: 1_000 }), { limit: 1, windowMs: 4_000 });
  fc.assert(
    fc.property(rates, rate => {
      const quarter = quarterRate(rate);
      assert.ok(quarter.limit >= 1 && quarter.limit < rate.limit / 4 + 1);
      const exact = (quarter.limit * rate.windowMs * 4) / rate.limit;
      assert.ok(quarter.windowMs >= exact - 1e-6 && quarter.windowMs < exact + 1);
    }),
  );
  t.end();
});

/** A node spends what it holds, asks for more, or time goes by. */
type Step =
  | { readonly do: 'ask'; readonly holder: number; readonly tokens: number }
  | { readonly do: 'spend'; readonly holder: number; readonly part: number }
  | { readonly do: 'wait'; readonly ms: number };

const holder = fc.nat(2);
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('ask' as const), holder, tokens: fc.integer({ min: 1, max: 40 }) }),
    fc.record({ do: fc.constant('spend' as const), holder, part: fc.constantFrom(0.3, 1) }),
    fc.record({
      do: fc.constant('wait' as const),
      ms: fc.oneof(fc.nat(300), fc.constantFrom(spendMs - 1, spendMs, 2 * spendMs, 60_000)),
    }),
  ),
  { maxLength: 60 },
);

t.test(
  'whatever nodes lease and spend, no span of time sees more than a full bucket and what flowed in',
  t => {
    const small = rates.filter(rate => rate.limit <= 1_200);
    fc.assert(
      fc.property(small, steps, (rate, todo) => {
        let bucket: SharedBucket = { level: fullLevel(rate), at: 1_000_000, leases: [] };
        let now = bucket.at;
        const held = [0, 1, 2].map(() => ({ tokens: 0, until: 0 }));
        const spent: { readonly at: number; readonly tokens: number }[] = [];
        for (const step of todo) {
          if (step.do === 'wait') {
            now += step.ms;
            continue;
          }
          const mine = held[step.holder];
          assert.ok(mine !== undefined);
          if (step.do === 'ask') {
            const want = { holder: String(step.holder), tokens: step.tokens, unspent: mine.tokens };
            const granted = grant(rate, bucket, want, now);
            bucket = granted.bucket;
            mine.tokens = granted.tokens;
            mine.until = now + spendMs;
            assert.ok(Number.isSafeInteger(bucket.level) && bucket.level >= 0);
            const out = bucket.leases.reduce((sum, each) => sum + each.tokens, 0);
            assert.ok(bucket.level + out * rate.windowMs <= fullLevel(rate));
            assert.ok(granted.tokens >= step.tokens || toWholeTokens(rate, bucket.level) === 0);
          } else if (now < mine.until) {
            const tokens = Math.ceil(mine.tokens * step.part);
            mine.tokens -= tokens;
            spent.push({ at: now, tokens });
          }
        }
        for (const [i, first] of spent.entries()) {
          let sum = 0;
          for (const { at, tokens } of spent.slice(i)) {
            sum += tokens;
            assert.ok(sum * rate.windowMs <= fullLevel(rate) + (at - first.at) * rate.limit);
          }
        }
      }),
      { numRuns: 500 },
    );
    t.end();
  },
);

t.test('a node that asks again in time keeps its unspent tokens', t => {
  fc.assert(
    fc.property(rates, fc.array(fc.integer({ min: 1, max: spendMs }), { maxLength: 30 }), (rate, waits) => {
      let bucket: SharedBucket = { level: fullLevel(rate), at: 0, leases: [] };
      let now = 0;
      let left = 0;
      let spent = 0;
      for (const ms of waits) {
        now += ms;
        const granted = grant(rate, bucket, { holder: 'a', tokens: 1, unspent: left }, now);
        bucket = granted.bucket;
        if (granted.tokens > 0) spent++;
        left = Math.max(0, granted.tokens - 1);
        const unused = bucket.level + left * rate.windowMs;
        // It may have been full in between, and then nothing flowed in.
        assert.ok(
          unused >= Math.min(fullLevel(rate) - rate.windowMs, fullLevel(rate) - spent * rate.windowMs),
        );
      }
    }),
  );
  t.end();
});

t.test('when time goes backwards, holdings end no later than they would have', t => {
  const rate = { limit: 100, windowMs: 1_000 };
  const first = grant(rate, { level: fullLevel(rate), at: 0, leases: [] }, want('a'), 1e9);
  const back = grant(rate, first.bucket, want('b'), 1e9 - 3_600_000);
  t.ok(back.bucket.level < first.bucket.level, 'nothing flowed in');
  const later = grant(rate, back.bucket, want('b'), 1e9 - 3_600_000 + 2 * spendMs);
  t.strictSame(
    later.bucket.leases.map(each => each.holder),
    ['b'],
  );
  t.end();
});

function want(holder: string) {
  return { holder, tokens: 1, unspent: 0 };
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
