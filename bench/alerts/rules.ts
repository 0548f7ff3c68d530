/**
 * The rules of deploy/prometheus at another pace, and what the runbook says of each fault. A minute of the rules lasts a factor less, so
 * that what takes twenty minutes is seen within one.
 *
 * Scaled are the spans that the rules look at (`[10m]`) and how long a condition has to hold (`for: 5m`). Not scaled are
 *
 * - thresholds: they are of what a node does, in its own time (`> 500` ms, `> 0.2` s), shares (`> 0.5`), or the calendar's (`< 7 * 86400`)
 * - counts (`> 0`)
 * - what is given as `atLeastMs`: a wait that has to outlast something that a node does in its own time, whatever the pace.
 *
 * Since the load is not scaled, either, a minute of the rules sees fewer requests: shares of them are coarser than they really are.
 */
const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * The rules with all their durations divided by the factor.
 *
 * @param atLeastMs by the name of an alert: the least `for` that it gets
 */
export function scaleRules(
  rules: string,
  factor: number,
  atLeastMs: Readonly<Record<string, number>> = {},
): string {
  const scale = (number: string, unit: string): number =>
    Math.max(1, Math.round((Number(number) * (unitMs[unit] ?? Number.NaN)) / factor));
  let alert = '';
  const lines = rules.split('\n').map(line => {
    alert = /^ +- alert: (\w+)$/.exec(line)?.[1] ?? alert;
    return line
      .replace(/\[(\d+)([smhd])\]/g, (_, number: string, unit: string) => `[${scale(number, unit)}ms]`)
      .replace(/^( +for: )(\d+)([smhd])$/, (_, start: string, number: string, unit: string) => {
        const ms = Math.max(scale(number, unit), atLeastMs[alert] ?? 0);
        return `${start}${ms}ms`;
      });
  });
  return lines.join('\n');
}

/**
 * The alerts that fire for each fault, by its name: the list of docs/operate/runbook.md after "What fires for which fault". An item has the
 * fault, a colon, the alerts, and after a semicolon or a full stop whatever else there is to it.
 */
export function readFaultList(runbook: string): ReadonlyMap<string, readonly string[]> {
  const [, list] = /^What fires for which fault.*\n\n((?:(?:- | {2}).*\n)+)/m.exec(runbook) ?? [];
  if (list === undefined) throw new Error('the runbook has no list of faults');
  const items = list
    .replace(/\n {2}/g, ' ')
    .trim()
    .split('\n');
  return new Map(
    items.map(item => {
      const [, fault = '', fires = ''] = /^- (.+?): ([^;.]*)/.exec(item) ?? [];
      return [fault, fires.match(/Skein\w+/g) ?? []];
    }),
  );
}
