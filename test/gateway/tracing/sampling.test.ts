import { randomBytes } from 'node:crypto';
import t from 'tap';
import { isInRatio, keepsCallersTrace, samplers, toSampling } from '../../../gateway/tracing/sampling.ts';

t.test('samplers are what OpenTelemetry says', async t => {
  t.same(
    samplers.map(name => toSampling(name, 0.25)),
    [
      { followsCaller: false, ratio: 1 },
      { followsCaller: false, ratio: 0 },
      { followsCaller: false, ratio: 0.25 },
      { followsCaller: true, ratio: 1 },
      { followsCaller: true, ratio: 0 },
      { followsCaller: true, ratio: 0.25 },
    ],
  );
});

t.test('a caller decides only where the sampler follows callers', async t => {
  const spanId = 'b7ad6b7169203331';
  const low = { traceId: `${'1'.repeat(18)}${'0'.repeat(14)}`, spanId, sampled: false };
  const high = { traceId: `${'1'.repeat(18)}${'f'.repeat(14)}`, spanId, sampled: true };
  const following = toSampling('parentbased_traceidratio', 0.5);
  t.same([keepsCallersTrace(following, low), keepsCallersTrace(following, high)], [false, true]);
  const deaf = toSampling('traceidratio', 0.5);
  t.same([keepsCallersTrace(deaf, low), keepsCallersTrace(deaf, high)], [true, false]);
});

t.test('a ratio keeps that share of the traces', async t => {
  // As a pinned seed would: the 56 bits run evenly through their range.
  const count = 1_000;
  const ids = Array.from({ length: count }, (_, n) => {
    const last = BigInt(Math.floor(((n + 0.5) / count) * 2 ** 53)) * 8n;
    return `${'a'.repeat(18)}${last.toString(16).padStart(14, '0')}`;
  });
  for (const ratio of [0, 0.01, 0.5, 1]) {
    t.equal(ids.filter(id => isInRatio(id, ratio)).length, ratio * count, `${ratio}`);
  }
  t.ok(isInRatio(randomBytes(16).toString('hex'), 1));
  t.notOk(isInRatio(randomBytes(16).toString('hex'), 0));
});
