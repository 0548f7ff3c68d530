/** Times as they are read, in the zone that was chosen. */
import t from 'tap';
import { createFormats } from '../../../clients/kit/formats.ts';

const now = (): number => Date.parse('2026-03-29T12:00:00Z');
const tokyo = createFormats('en-GB', { timeZone: 'Asia/Tokyo', now });
const losAngeles = createFormats('en-GB', { timeZone: 'America/Los_Angeles', now });
const berlin = createFormats('de', { timeZone: 'Europe/Berlin', now });

t.test('time and day are those of the zone', async t => {
  const at = '2026-03-28T16:30:00Z';
  t.strictSame([tokyo.time(at), losAngeles.time(at)], ['01:30', '09:30']);
  t.strictSame([tokyo.toDay(at), losAngeles.toDay(at)], ['2026-03-29', '2026-03-28']);
  t.strictSame([tokyo.day(at), losAngeles.day(at)], ['Today', 'Yesterday']);
  t.match(tokyo.dateTime(at), /29 Mar 2026.*01:30:00/);
  t.match(tokyo.dateAndTime(at), /29 Mar 2026.*01:30$/);
});

t.test('the day before is yesterday, also where that day had 23 hours', async t => {
  // In Berlin the clocks go forward on 29 March, and it is the 30th there.
  const later = createFormats('de', {
    timeZone: 'Europe/Berlin',
    now: () => Date.parse('2026-03-29T22:30:00Z'),
  });
  t.equal(later.day('2026-03-28T23:30:00Z'), 'Gestern');
  t.equal(later.day('2026-03-28T22:30:00Z'), 'Samstag, 28. März 2026');
  t.equal(berlin.day('2026-03-28T22:30:00Z'), 'Gestern');
});

t.test('ages and sizes need no zone', async t => {
  t.strictSame([90_000, 7_300_000, 200_000_000].map(tokyo.age), ['1m', '2h', '2d']);
  t.equal(tokyo.duration(7_500_000), '2 hrs 5 mins');
  t.strictSame([1, 999, 1_500, 999_600, 2_340_000].map(tokyo.size), [
    '1 byte',
    '999 bytes',
    '2 kB',
    '1 MB',
    '2.3 MB',
  ]);
  t.equal(berlin.size(10), '10 Byte');
});

t.test('a share that is not quite everything is not shown as everything', async t => {
  t.strictSame(
    [1, 0.9999, 0.5355, 0].map(share => tokyo.percent(share)),
    ['100%', '99.9%', '53.5%', '0%'],
  );
});

t.test('costs have the digits that they need', async t => {
  const english = createFormats('en-US');
  t.strictSame(
    [1_500_000, 123_456, 1_000, 999, 38, 0].map(micros => english.cost(micros)),
    ['$1.50', '$0.1235', '$0.001', '$0.000999', '$0.000038', '$0.00'],
  );
  t.strictSame(
    [0, 500_000].map(micros => english.cost(micros, 2)),
    ['$0.00', '$0.50'],
  );
  t.equal(english.cost(1_000_000_000, 0), '$1,000');
});
