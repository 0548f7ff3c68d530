import { Registry } from 'prom-client';
import t from 'tap';
import type { AttemptResult } from '../../../actors/stitch/commands.ts';
import { StitchMetrics } from '../../../actors/stitch/metrics.ts';

const eventAt = '2026-01-02T03:04:05.000Z';

function result(more: Partial<AttemptResult>, attempts = 0): AttemptResult {
  return {
    delivery: {
      deliveryId: 'whd_1',
      createdAt: eventAt,
      eventId: 'evt_1',
      eventSeq: 1,
      eventName: 'message.received',
      eventAt,
      threadId: null,
      trigger: 'scheduled',
      attempts,
      firstAttemptAt: null,
      hasRow: false,
    },
    at: Date.parse(eventAt) + 40,
    durationMs: 7,
    status: null,
    body: null,
    failure: null,
    error: null,
    jitter: 0,
    ...more,
  };
}

t.test(
  'attempts are counted by how they ended; first ones that were soon answered say how late webhooks are',
  async t => {
    const registry = new Registry();
    const metrics = new StitchMetrics(registry);
    metrics.countAttempt(result({ status: 204 }));
    metrics.countAttempt(result({ status: 503 }));
    metrics.countAttempt(result({ status: 404 }, 1));
    metrics.countAttempt(result({ status: 404 }));
    metrics.countAttempt(result({ status: 204, durationMs: 1_000 }));
    metrics.countAttempt(result({ failure: 'unreadable_secret', durationMs: 0 }));
    metrics.countAttempt(result({ failure: 'timeout', durationMs: 15_000 }));
    metrics.countAttempt(result({ failure: 'timeout', durationMs: 15_000 }, 2));
    const lines = (await registry.metrics()).split('\n');
    for (const line of [
      'skein_webhook_attempts_total{outcome="succeeded"} 2',
      'skein_webhook_attempts_total{outcome="5xx"} 1',
      'skein_webhook_attempts_total{outcome="4xx"} 2',
      'skein_webhook_attempts_total{outcome="timeout"} 2',
      'skein_webhook_attempt_milliseconds_count 8',
      'skein_webhook_delay_milliseconds_count 2',
      'skein_webhook_delay_milliseconds_bucket{le="10"} 0',
      'skein_webhook_delay_milliseconds_bucket{le="50"} 2',
    ]) {
      t.ok(lines.includes(line), line);
    }
  },
);

t.test('the lag is that of the stitch furthest behind, until it has caught up', async t => {
  const registry = new Registry();
  const metrics = new StitchMetrics(registry);
  const lag = async (): Promise<number> =>
    Number(/^skein_stitch_lag_events (\d+)$/m.exec(await registry.metrics())?.[1]);
  t.equal(await lag(), 0);
  metrics.noteRead('stitch_1', 11, 20);
  metrics.noteRead('stitch_2', 101, 200);
  t.equal(await lag(), 100);
  t.strictSame(metrics.listFurthestBehind(20), [
    { stitchId: 'stitch_2', lagEvents: 100 },
    { stitchId: 'stitch_1', lagEvents: 10 },
  ]);
  t.strictSame(metrics.listFurthestBehind(1), [{ stitchId: 'stitch_2', lagEvents: 100 }]);
  metrics.noteRead('stitch_2', 201, 200);
  t.equal(await lag(), 10);
});
