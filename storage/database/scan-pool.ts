/**
 * The connections for lists that look through an index in its order (storage/paging/bounded-scan.ts). They are apart from those of
 * all other reads, and a project uses half of them at most: however many lists one tenant requests at once, and however little they
 * find, single reads and the lists of other projects continue. Requests beyond a project's share wait in a bounded queue.
 *
 * The planner of these connections sorts nothing that an index has in order, and joins by look-ups. By its estimates it would rather
 * read and sort a whole table than walk a thousand rows of an index, which is right for a disk that turns.
 */
import pg from 'pg';
import { unavailable } from '../../runtime/actor/index.ts';

/** Connections of a node for each sort of list. */
const connections = 4;
/** Connections that one project may use at once. */
const share = connections / 2;
/** Lists of one project that may wait; each takes some milliseconds. */
const maxWaiting = 200;

/** Of lists that follow an index. */
export const followIndexes =
  '-c enable_sort=off -c enable_seqscan=off -c enable_bitmapscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** Of searches, which have an index for any words: it is never better to read all. */
export const searchIndexes = '-c enable_seqscan=off -c jit=off';

/** The lists of one project. */
interface ProjectQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/** The connections of a pool. */
export interface PoolUse {
  readonly open: number;
  readonly busy: number;
  /** Statements that wait for a connection. */
  readonly waiting: number;
}

/** @param pool of pg */
export function toPoolUse({ totalCount, idleCount, waitingCount }: pg.Pool): PoolUse {
  return { open: totalCount, busy: totalCount - idleCount, waiting: waitingCount };
}

export class ScanPool {
  readonly #pool: pg.Pool;
  readonly #queues = new Map<string, ProjectQueue>();

  /**
   * @param settings of the connections: those of all other reads
   * @param options what the planner does otherwise on them
   */
  constructor(settings: pg.PoolConfig, options: string, onLost: (error: Error) => void) {
    const { application_name: name = 'scans' } = settings;
    this.#pool = new pg.Pool({
      ...settings,
      max: connections,
      options,
      application_name: `${name}-scans`,
    });
    this.#pool.on('error', onLost);
  }

  /** Runs one statement of a list of the project. Rejects with `svc/runtime/unavailable` (503) when too many of its lists wait. */
  async query<T extends object>(projectId: string, text: string, values: readonly unknown[]): Promise<T[]> {
    const queue = await this.#enter(projectId);
    try {
      const { rows } = await this.#pool.query<T>({ text, values: [...values] });
      return rows;
    } finally {
      this.#leave(projectId, queue);
    }
  }

  get use(): PoolUse {
    let queued = 0;
    for (const { waiting } of this.#queues.values()) queued += waiting.length;
    const { waiting, ...use } = toPoolUse(this.#pool);
    return { ...use, waiting: waiting + queued };
  }

  close(): Promise<void> {
    return this.#pool.end();
  }

  async #enter(projectId: string): Promise<ProjectQueue> {
    let queue = this.#queues.get(projectId);
    if (queue === undefined) this.#queues.set(projectId, (queue = { running: 0, waiting: [] }));
    const { waiting } = queue;
    if (queue.running < share) queue.running++;
    else if (waiting.length < maxWaiting) await new Promise<void>(resolve => waiting.push(resolve));
    else throw unavailable('overloaded');
    return queue;
  }

  /** Hands the connection to the request that has waited longest. */
  #leave(projectId: string, queue: ProjectQueue): void {
    const next = queue.waiting.shift();
    if (next !== undefined) next();
    else if (--queue.running === 0) this.#queues.delete(projectId);
  }
}
