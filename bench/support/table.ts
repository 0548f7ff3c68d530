/** Aligned tables for the terminal; also valid Markdown, so that they can be pasted into docs/develop/benchmarks.md. */

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map(row => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...rows.map(line)].join('\n');
}

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');
export const fixed = (value: number, digits = 1): string => value.toFixed(digits);
export const times = (value: number): string => `${value.toFixed(2)} x`;
export const mebibytes = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MiB`;

/** The quotient of two medians, and the least and the greatest quotient of one round. The rounds of both stand in the same order. */
export function timesByRounds(ours: readonly number[], theirs: readonly number[]): string {
  const quotients = ours.map((value, i) => value / (theirs[i] ?? Number.NaN));
  const range = `${fixed(Math.min(...quotients), 2)} to ${fixed(Math.max(...quotients), 2)}`;
  return `${times(median(ours) / median(theirs))} (${range})`;
}

/** The part of the values that lies below, by nearest rank. NaN when there are none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
