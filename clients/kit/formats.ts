/** Times, sizes and amounts as a language writes them, in the reader's zone. */
export interface Formats {
  /** 14:05. */
  time(at: string): string;
  /** The day of an instant, to tell days apart. */
  toDay(at: string): string;
  /** Today, yesterday, else the date. */
  day(at: string): string;
  /** To the second. */
  dateTime(at: string): string;
  /** To the minute. */
  dateAndTime(at: string): string;
  /** The largest unit alone, as short as can be: 5m, 2h, 3d. */
  age(ms: number): string;
  /** 2 h 5 min; the two largest units. Under a minute: 0 min. */
  duration(ms: number): string;
  size(bytes: number): string;
  number(value: number): string;
  /** Of a share from 0 to 1. What is not quite everything is not shown as 100 %. */
  percent(share: number): string;
  /** Of millionths of a dollar. `digits`: so many after the point. Default: two to four, and of less than a tenth of a cent all six. */
  cost(micros: number, digits?: number): string;
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const tinyMicros = 1_000;

export interface FormatOptions {
  /** A name of IANA. Default: the browser's zone. */
  readonly timeZone?: string | undefined;
  /** In milliseconds since 1970, asked for each time. */
  readonly now?: () => number;
}

export function createFormats(tag: string, { timeZone, now = Date.now }: FormatOptions = {}): Formats {
  const time = new Intl.DateTimeFormat(tag, { timeZone, hour: '2-digit', minute: '2-digit' });
  const day = new Intl.DateTimeFormat(tag, {
    timeZone,
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  });
  const dateTime = new Intl.DateTimeFormat(tag, { timeZone, dateStyle: 'medium', timeStyle: 'medium' });
  const dateAndTime = new Intl.DateTimeFormat(tag, { timeZone, dateStyle: 'medium', timeStyle: 'short' });
  const relative = new Intl.RelativeTimeFormat(tag, { numeric: 'auto' });
  const number = new Intl.NumberFormat(tag);
  const percent = new Intl.NumberFormat(tag, { style: 'percent', maximumFractionDigits: 1 });
  // As ISO 8601 has it, whatever the language.
  const isoDay = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const toDay = (at: Date | number): string => isoDay.format(at);
  const unit: FormatUnit = (value, name, unitDisplay = 'short') =>
    new Intl.NumberFormat(tag, { style: 'unit', unit: name, unitDisplay }).format(value);
  const narrow = (value: number, name: string): string => unit(value, name, 'narrow');
  return {
    time: at => time.format(new Date(at)),
    toDay: at => toDay(new Date(at)),
    day(at) {
      const shown = toDay(new Date(at));
      const today = toDay(now());
      if (shown === today) return capitalise(relative.format(0, 'day'));
      // By the calendar: some days have 23 hours.
      const isYesterday = Date.parse(today) - Date.parse(shown) === dayMs;
      return isYesterday ? capitalise(relative.format(-1, 'day')) : day.format(new Date(at));
    },
    dateTime: at => dateTime.format(new Date(at)),
    dateAndTime: at => dateAndTime.format(new Date(at)),
    duration(ms) {
      const minutes = Math.max(0, Math.floor(ms / minuteMs));
      const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24];
      if (days > 0) return `${unit(days, 'day')} ${unit(hours, 'hour')}`;
      return hours > 0 ? `${unit(hours, 'hour')} ${unit(minutes % 60, 'minute')}` : unit(minutes, 'minute');
    },
    age(ms) {
      const minutes = Math.max(0, Math.floor(ms / minuteMs));
      if (minutes < 60) return narrow(minutes, 'minute');
      return minutes < 1_440
        ? narrow(Math.floor(minutes / 60), 'hour')
        : narrow(Math.floor(minutes / 1_440), 'day');
    },
    size: bytes => formatSize(bytes, unit),
    number: value => number.format(value),
    percent: share => percent.format(Math.floor(share * 1_000) / 1_000),
    cost: createCostFormat(tag),
  };
}

function createCostFormat(tag: string): Formats['cost'] {
  const create = (least: number, most: number): Intl.NumberFormat =>
    new Intl.NumberFormat(tag, {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: least,
      maximumFractionDigits: most,
    });
  const [usual, tiny] = [create(2, 4), create(2, 6)];
  return (micros, digits) => {
    const format =
      digits === undefined ? (Math.abs(micros) < tinyMicros ? tiny : usual) : create(digits, digits);
    return format.format(micros / 1_000_000);
  };
}

type FormatUnit = (value: number, name: string, unitDisplay?: 'long' | 'short' | 'narrow') => string;

function formatSize(bytes: number, unit: FormatUnit): string {
  // Its short form knows no plural.
  if (bytes < 1_000) return unit(bytes, 'byte', 'long');
  // What would be rounded to 1,000 kB is 1 MB.
  if (bytes < 999_500) return unit(Math.round(bytes / 1_000), 'kilobyte');
  return unit(Math.round(bytes / 100_000) / 10, 'megabyte');
}

const capitalise = (text: string): string => text.charAt(0).toLocaleUpperCase() + text.slice(1);
