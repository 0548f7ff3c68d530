/** Until when a thread is put off, by the clock of a zone. */
import t from 'tap';
import { listSnoozes, parseLocalTime, toLocalTime } from '../../../../clients/console/thread/snoozes.ts';

const now = new Date('2026-10-24T08:00:00Z');

t.test('times are those of the zone, also where its clock is changed in between', async t => {
  const until = Object.fromEntries(
    listSnoozes(now, 'Europe/Berlin').map(({ name, until }) => [name, until.toISOString()]),
  );
  t.equal(until['evening'], '2026-10-24T16:00:00.000Z');
  t.equal(until['tomorrow'], '2026-10-25T08:00:00.000Z', 'the clock was put back in the night');
});

t.test('a date and a time are those of the zone', async t => {
  t.equal(toLocalTime(now, 'Asia/Tokyo'), '2026-10-24T17:00');
  t.equal(toLocalTime(now, 'Europe/Berlin'), '2026-10-24T10:00');
  const parse = (text: string, zone: string): string | undefined =>
    parseLocalTime(text, now, zone)?.toISOString();
  t.equal(parse('2026-10-24T18:30', 'Asia/Tokyo'), '2026-10-24T09:30:00.000Z');
  t.equal(parse('2026-10-26T09:00', 'Europe/Berlin'), '2026-10-26T08:00:00.000Z', 'after the change');
  t.equal(parse('2026-10-24T16:59', 'Asia/Tokyo'), undefined, 'it is over');
  t.equal(parse('2027-11-24T09:00', 'Asia/Tokyo'), undefined, 'in more than a year');
  for (const text of ['', 'tomorrow', '2026-13-01T00:00']) t.equal(parse(text, 'UTC'), undefined, text);
});
