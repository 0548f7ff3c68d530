/** The hours of a webhook without gaps, and how far a replay is. */
import t from 'tap';
import { fillHours, findShareDone } from '../../../../clients/studio/webhooks/stats-hours.ts';

t.test('every hour has its place, the current one included', async t => {
  const busy = {
    hour: '2026-11-24T11:00:00.000Z',
    attempts: 3,
    succeeded: 2,
    successRate: 0.66,
    p50Ms: 10,
    p95Ms: 20,
    longestWaitMs: 5,
  };
  const bars = fillHours({
    since: '2026-11-24T10:00:00.000Z',
    asOf: '2026-11-24T13:20:00.000Z',
    hours: [busy],
  });
  t.strictSame(
    bars.map(({ hour, attempts, succeeded, longestWaitMs }) => [
      hour.slice(11, 13),
      attempts,
      succeeded,
      longestWaitMs,
    ]),
    [
      ['10', 0, 0, null],
      ['11', 3, 2, 5],
      ['12', 0, 0, null],
      ['13', 0, 0, null],
    ],
  );
});

t.test('a replay is as far as the time that it has covered', async t => {
  const range = { since: '2026-11-24T10:00:00Z', until: '2026-11-24T12:00:00Z' };
  t.equal(findShareDone({ ...range, lastCreatedAt: null }), 0);
  t.equal(findShareDone({ ...range, lastCreatedAt: '2026-11-24T11:00:00Z' }), 0.5);
  t.equal(findShareDone({ ...range, lastCreatedAt: '2026-11-24T13:00:00Z' }), 1);
  t.equal(findShareDone({ since: range.since, until: range.since, lastCreatedAt: range.since }), 1);
});
