/** Instants as a field for date and time has them, `2026-11-24T18:05`, in the reader's zone. */

/** What the clock shows, as milliseconds of a clock in UTC that shows the same. */
function readClock(ms: number, timeZone: string | undefined): number {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).formatToParts(ms);
  const read = (type: string): number => Number(parts.find(part => part.type === type)?.value);
  return Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
}

/** To the minute; empty where the text is no instant. */
export function toLocalTime(instant: string, timeZone?: string): string {
  const ms = Date.parse(instant);
  return Number.isNaN(ms) ? '' : new Date(readClock(ms, timeZone)).toISOString().slice(0, 16);
}

/** Undefined: the field is empty, or not complete. */
export function toInstant(local: string, timeZone?: string): string | undefined {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return undefined;
  // The zone's offset depends on the instant that is looked for: the second look is right also near a change of the clocks.
  let ms = wanted;
  for (let look = 0; look < 2; look++) ms += wanted - readClock(ms, timeZone);
  return new Date(ms).toISOString();
}
