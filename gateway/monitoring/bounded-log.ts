/**
 * A log that no flood fills. Of warnings and errors with the same message and the same class of error 100 are written in ten seconds; those
 * beyond are counted, and the next that is written says how many there were (`leftOut`). All are in the metrics, written or not.
 */
import type { Registry } from 'prom-client';
import { CountsBy, type Log } from '../../runtime/observability/index.ts';

const windowMs = 10_000;
/** Lines of one sort in a window. */
const most = 100;
/** Sorts that are told apart. Messages are the code's own, so that there are some hundred; a few have a name in them. */
const maxSorts = 1_000;

type BoundedLevel = 'warn' | 'error';

/** What came of one sort of lines since its window began. */
interface Sort {
  since: number;
  lines: number;
  leftOut: number;
}

/** @param monotonic milliseconds that only move forward */
export function boundLog(log: Log, registry: Registry, monotonic = (): number => performance.now()): Log {
  const lines = new CountsBy(
    registry,
    'skein_log_lines_total',
    'Warnings and errors, with those that were left out',
    'level',
  );
  const leftOut = new CountsBy(
    registry,
    'skein_log_lines_left_out_total',
    'Warnings and errors that were not written, because there were too many of the same',
    'level',
  );
  const sorts = new Map<string, Sort>();

  const write = (level: BoundedLevel, fields: object, message: string): void => {
    lines.add(level);
    const sort = getSort(sorts, `${level} ${message} ${getClass(fields)}`, monotonic());
    if (++sort.lines > most) {
      sort.leftOut++;
      leftOut.add(level);
      return;
    }
    const missing = sort.leftOut;
    sort.leftOut = 0;
    log[level](missing === 0 ? fields : { ...fields, leftOut: missing }, message);
  };
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => write('warn', fields, message),
    error: (fields, message) => write('error', fields, message),
  };
}

function getSort(sorts: Map<string, Sort>, key: string, now: number): Sort {
  let sort = sorts.get(key);
  if (sort === undefined) {
    // Whatever comes after so many shares one place.
    if (sorts.size >= maxSorts && key !== '') return getSort(sorts, '', now);
    sorts.set(key, (sort = { since: now, lines: 0, leftOut: 0 }));
  }
  if (now - sort.since >= windowMs) {
    sort.since = now;
    sort.lines = 0;
  }
  return sort;
}

/** The class of what was thrown. */
function getClass(fields: object): string {
  return 'err' in fields && fields.err instanceof Error ? fields.err.name : '';
}
