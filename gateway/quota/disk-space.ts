/**
 * Whether the database has room for more (docs/operate/rate-limits.md, "When the disk is nearly full"). Of the embedded database a node asks
 * the disk of its folder, once a second. Of another one, whose disk it cannot see, it compares the size with the limit `databaseBytes`,
 * where an operator has set that.
 */
import { statfs } from 'node:fs/promises';
import { Counter, Gauge, type Registry } from 'prom-client';
import { ServiceError } from '../../protocol/errors.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { Queries } from '../../storage/database/index.ts';
import { defaultLimits, type Limits } from '../../storage/writes/index.ts';

const diskMs = 1_000;
/** Seconds until a refused client should ask again. */
const retryAfterSeconds = 60;
/** PostgreSQL looks at each file of the database. */
const sizeMs = 30_000;

export interface DiskSpaceOptions {
  /** The folder of the embedded database; undefined: the database is another one. */
  readonly folder: string | undefined;
  readonly database: Queries;
  readonly limits: Limits;
  readonly clock: Pick<Clock, 'after'>;
  readonly registry: Registry;
  readonly log: Log;
}

export class DiskSpace {
  readonly #options: DiskSpaceOptions;
  readonly #refused: Counter;
  /** A field and no getter: every request reads it. */
  isFull = false;
  /** Bytes until writes are refused; undefined: nothing limits them, or they were not measured yet. */
  #room: number | undefined;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(options: DiskSpaceOptions) {
    this.#options = options;
    this.#refused = new Counter({
      name: 'skein_storage_refused_total',
      help: 'Requests that were refused because the database has no room',
      registers: [options.registry],
    });
    const read = (): number | undefined => this.#room;
    new Gauge({
      name: 'skein_database_room_bytes',
      help: 'Bytes that the database may still grow by until writes are refused',
      registers: [options.registry],
      collect(): void {
        const room = read();
        if (room === undefined) this.remove();
        else this.set(room);
      },
    });
  }

  /** Throws the 507 of a request. */
  refuse(): never {
    this.#refused.inc();
    throw new ServiceError('svc/runtime/storage_full', { retryAfterSeconds });
  }

  /** Measures now, and again from time to time until it is stopped. */
  async start(): Promise<void> {
    const { folder, limits, clock } = this.#options;
    if (folder === undefined && limits.databaseBytes === defaultLimits.databaseBytes) return;
    await this.measure();
    if (this.#stopped) return;
    this.#timer = clock.after(folder === undefined ? sizeMs : diskMs, () => void this.start());
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Never rejects: what cannot be measured stays as it was. */
  async measure(): Promise<void> {
    const wasFull = this.isFull;
    try {
      this.#room = await this.#measureRoom();
      this.isFull = this.#room <= 0;
    } catch (err) {
      this.#options.log.warn({ err }, 'the free space of the database could not be measured');
    }
    if (this.isFull === wasFull) return;
    const { log } = this.#options;
    if (this.isFull) log.error({ room: this.#room }, 'the database has no room left: writes are refused');
    else log.info({ room: this.#room }, 'the database has room again: writes are accepted');
  }

  async #measureRoom(): Promise<number> {
    const { folder, database, limits } = this.#options;
    if (folder !== undefined) {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize - limits.freeDiskBytes;
    }
    const [row] = await database.query<{ size: number }>(
      'select pg_database_size(current_database())::float8 as size',
      [],
      'database.size',
    );
    return limits.databaseBytes - (row?.size ?? 0);
  }
}
