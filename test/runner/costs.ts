/** Reports where the time of a test run goes. */

export interface FileCost {
  readonly file: string;
  /** Wall time in milliseconds. */
  readonly wallMs: number;
  /** Processor time of the worker and its descendants in milliseconds. */
  readonly processorMs: number;
}

const slowestCount = 20;

/** Returns `test/clients/sdk` for files of a client, and the folder below `test` otherwise. */
function getArea(file: string): string {
  return file
    .split('/')
    .slice(0, file.startsWith('test/clients/') ? 3 : 2)
    .join('/');
}

const toSeconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`.padStart(9);

/** Returns the lines of the report. `passed`: number of passed assertions by file. */
export function describeCosts(
  costs: readonly FileCost[],
  passed: ReadonlyMap<string, number>,
  wallMs: number,
): string[] {
  const slowest = costs.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, slowestCount);
  const areas = [...Map.groupBy(costs, ({ file }) => getArea(file))].map(([area, files]) => ({
    area,
    files: files.length,
    passed: sum(files, ({ file }) => passed.get(file) ?? 0),
    processorMs: sum(files, cost => cost.processorMs),
  }));
  return [
    `slowest ${slowest.length} files (wall time, processor time)`,
    ...slowest.map(cost => `${toSeconds(cost.wallMs)} ${toSeconds(cost.processorMs)}  ${cost.file}`),
    'processor time by area (files, assertions)',
    ...areas
      .sort((a, b) => b.processorMs - a.processorMs)
      .map(each => `${toSeconds(each.processorMs)}  ${each.area} (${each.files}, ${each.passed})`),
    `total: ${costs.length} files, ${toSeconds(sum(costs, cost => cost.processorMs)).trim()} of processor time in ${toSeconds(wallMs).trim()}`,
  ];
}

function sum(costs: readonly FileCost[], read: (cost: FileCost) => number): number {
  return costs.reduce((total, cost) => total + read(cost), 0);
}
