/** Until when a conversation can be snoozed. */
import t from 'tap';
import { listSnoozes } from '../../../../clients/console/thread/snoozes.ts';

t.test('offers no evening that has come', async t => {
  const names = (hours: number) => listSnoozes(new Date(2026, 10, 23, hours)).map(({ name }) => name);
  t.strictSame(names(10), ['hour', 'evening', 'tomorrow', 'week']);
  t.strictSame(names(17), ['hour', 'tomorrow', 'week']);
});

t.test(
  'the morning and the evening are those of the zone, also where its clock changes meanwhile',
  async t => {
    const list = (now: string, timeZone: string) =>
      listSnoozes(new Date(now), timeZone).map(({ until }) => until.toISOString());
    // In Tokyo the next day has begun already.
    t.strictSame(list('2026-11-23T16:30:00Z', 'Asia/Tokyo'), [
      '2026-11-23T17:30:00.000Z',
      '2026-11-24T09:00:00.000Z',
      '2026-11-25T00:00:00.000Z',
      '2026-12-01T00:00:00.000Z',
    ]);
    // Summer time ends in the night to Sunday.
    t.strictSame(list('2026-10-24T20:30:00Z', 'Europe/Berlin').slice(1), [
      '2026-10-25T08:00:00.000Z',
      '2026-10-31T08:00:00.000Z',
    ]);
    t.equal(list('2026-11-23T16:30:00Z', 'Asia/Kolkata')[1], '2026-11-24T03:30:00.000Z');
  },
);
