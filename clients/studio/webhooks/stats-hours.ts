/** What the health of a webhook is drawn from: its hours without gaps, and how far its replays are. */
import type { StitchReplay, StitchStats } from '../../sdk/index.ts';

const hourMs = 3_600_000;

export interface HourBar {
  /** Its beginning. */
  readonly hour: string;
  readonly attempts: number;
  readonly succeeded: number;
  /** How long the oldest delivery that was tried in it had waited, in milliseconds; null: none was tried. */
  readonly longestWaitMs: number | null;
}

/** Every hour of the report has its place, also those without attempts, which the server leaves out. */
export function fillHours({ since, asOf, hours }: Pick<StitchStats, 'since' | 'asOf' | 'hours'>): HourBar[] {
  const known = new Map(hours.map(each => [Date.parse(each.hour), each]));
  const bars: HourBar[] = [];
  for (let at = Date.parse(since); at <= Date.parse(asOf); at += hourMs) {
    const { attempts = 0, succeeded = 0, longestWaitMs = null } = known.get(at) ?? {};
    bars.push({ hour: new Date(at).toISOString(), attempts, succeeded, longestWaitMs });
  }
  return bars;
}

/** From 0 to 1, by the time that it covers. */
export function findShareDone({
  since,
  until,
  lastCreatedAt,
}: Pick<StitchReplay, 'since' | 'until' | 'lastCreatedAt'>): number {
  if (lastCreatedAt === null) return 0;
  const whole = Date.parse(until) - Date.parse(since);
  const done = Date.parse(lastCreatedAt) - Date.parse(since);
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, done / whole));
}
