/** Instants in a field for date and time, in the zone of who reads them. */
import t from 'tap';
import { toInstant, toLocalTime } from '../../../../clients/studio/parts/local-time.ts';

t.test('an instant comes back as it was, in any zone', async t => {
  for (const timeZone of ['UTC', 'Asia/Kathmandu', 'America/Los_Angeles', 'Europe/Berlin']) {
    for (const instant of ['2026-01-15T23:59:00.000Z', '2026-07-01T00:00:00.000Z']) {
      t.equal(toInstant(toLocalTime(instant, timeZone), timeZone), instant, timeZone);
    }
  }
  t.equal(toLocalTime('2026-07-01T00:00:00Z', 'Europe/Berlin'), '2026-07-01T02:00');
});

t.test('near a change of the clocks the offset is that of the instant', async t => {
  t.equal(toInstant('2026-03-29T01:59', 'Europe/Berlin'), '2026-03-29T00:59:00.000Z');
  t.equal(toInstant('2026-03-29T03:00', 'Europe/Berlin'), '2026-03-29T01:00:00.000Z');
  t.equal(toInstant('2026-10-25T03:00', 'Europe/Berlin'), '2026-10-25T02:00:00.000Z');
});

t.test('what is no time is none', async t => {
  t.equal(toInstant('', 'UTC'), undefined);
  t.equal(toLocalTime('yesterday'), '');
});
