import t from 'tap';
import { parseRange } from '../../../gateway/media/range.ts';

t.test('one range of bytes (RFC 9110 section 14.1.2)', async t => {
  for (const [range, wanted] of [
    ['bytes=0-0', { start: 0, end: 0 }],
    ['bytes=2-5', { start: 2, end: 5 }],
    ['bytes=2-', { start: 2, end: 9 }],
    ['bytes=-3', { start: 7, end: 9 }],
    ['bytes=-30', { start: 0, end: 9 }],
    ['bytes=8-99', { start: 8, end: 9 }],
    ['bytes=10-', 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ...['', 'bytes=', 'bytes=-', 'bytes=5-2', 'bytes=0-1,4-5', 'lines=0-1', 'bytes=a-b'].map(
      each => [each, undefined] as const,
    ),
  ] as const) {
    t.strictSame(parseRange(range, 10), wanted, range);
  }
});
