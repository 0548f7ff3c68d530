/** Until when a thread may be put off, as an operator thinks of it, in the zone in which they read times. */
export interface Snooze {
  readonly name: 'hour' | 'evening' | 'tomorrow' | 'week';
  readonly until: Date;
}

const hourMs = 3_600_000;
const longestMs = 365 * 86_400_000;
const [evening, morning] = [18, 9];

/**
 * In order. The evening is offered while it is more than an hour away.
 *
 * @param timeZone a name of IANA; undefined: the browser's
 */
export function listSnoozes(now: Date, timeZone?: string): readonly Snooze[] {
  const readClock = createClock(timeZone);
  const today = new Date(readClock(now.getTime()));
  const at = (days: number, hours: number): Date =>
    findInstant(
      Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + days, hours),
      readClock,
    );
  const anHour = new Date(now.getTime() + hourMs);
  const snoozes: Snooze[] = [{ name: 'hour', until: anHour }];
  if (anHour < at(0, evening)) snoozes.push({ name: 'evening', until: at(0, evening) });
  snoozes.push({ name: 'tomorrow', until: at(1, morning) }, { name: 'week', until: at(7, morning) });
  return snoozes;
}

/** When the clock shows that. */
function findInstant(shown: number, readClock: (at: number) => number): Date {
  // By how much the clock differs there at about that time; and then at that very time, as it may change in between.
  const about = shown - (readClock(shown) - shown);
  return new Date(about - (readClock(about) - shown));
}

/** As a field for a date and a time has it: `2026-11-23T18:30`. */
export function toLocalTime(at: Date, timeZone?: string): string {
  return new Date(createClock(timeZone)(at.getTime())).toISOString().slice(0, 16);
}

/** What was chosen in such a field; undefined where it is no time within the next year, which is how long the contract lets a thread sleep. */
export function parseLocalTime(text: string, now: Date, timeZone?: string): Date | undefined {
  const shown = Date.parse(`${text}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) || Number.isNaN(shown)) return undefined;
  const until = findInstant(shown, createClock(timeZone));
  const left = until.getTime() - now.getTime();
  return left > 0 && left <= longestMs ? until : undefined;
}

/** What a clock of the zone shows at an instant, to the second: in milliseconds, as if it were UTC. */
function createClock(timeZone: string | undefined): (at: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return at => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
    const get = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
    return Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
  };
}
