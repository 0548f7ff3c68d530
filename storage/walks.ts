/**
 * The connections on which lists look through an index in its order (reads/walk.ts). They are apart from those of all other reads, and
 * a project has half of them at most: however many lists somebody asks for at once, and however little is found, single reads go
 * their way and so do the lists of others. Who comes while the project has its share waits in line; the line is bounded.
 *
 * Their planner sorts nothing that an index has in order, and joins by look-ups: by its estimates it would rather read and sort a
 * whole table than walk a thousand rows of it, and be right for a disk that turns.
 */
import pg from 'pg';
import { unavailable } from '../runtime/failures.ts';

/** Connections of a node; a project has half. */
const connections = 4;
const share = connections / 2;
/** Of one project; each is a matter of milliseconds. */
const mostWaiting = 200;

const planner =
  '-c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** Those of one project that are under way, and who waits for them. */
interface Line {
  running: number;
  readonly waiting: (() => void)[];
}

export class Walks {
  readonly #pool: pg.Pool;
  readonly #lines = new Map<string, Line>();

  /** @param settings of the connections: those of all other reads. */
  constructor(settings: pg.PoolConfig, onLost: (error: Error) => void) {
    const { application_name: name = 'walks' } = settings;
    this.#pool = new pg.Pool({
      ...settings,
      max: connections,
      options: planner,
      application_name: `${name}-walks`,
    });
    this.#pool.on('error', onLost);
  }

  /** Runs one statement of a list of the project. Fails with `svc/runtime/unavailable` (503) when too many of its lists wait. */
  async query<T extends object>(projectId: string, text: string, values: readonly unknown[]): Promise<T[]> {
    const line = await this.#turn(projectId);
    try {
      const { rows } = await this.#pool.query<T>({ text, values: [...values] });
      return rows;
    } finally {
      this.#leave(projectId, line);
    }
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #turn(projectId: string): Promise<Line> {
    let line = this.#lines.get(projectId);
    if (line === undefined) this.#lines.set(projectId, (line = { running: 0, waiting: [] }));
    const { waiting } = line;
    if (line.running < share) line.running++;
    else if (waiting.length < mostWaiting) await new Promise<void>(resolve => waiting.push(resolve));
    else throw unavailable('overloaded');
    return line;
  }

  /** Gives the place to who has waited longest. */
  #leave(projectId: string, line: Line): void {
    const next = line.waiting.shift();
    if (next !== undefined) next();
    else if (--line.running === 0) this.#lines.delete(projectId);
  }
}
