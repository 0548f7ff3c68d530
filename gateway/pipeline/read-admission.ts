/**
 * Reads at once on this node, shared fairly by tenants (runtime/admission). Without it the reads of one project would hold every
 * connection to the database, and the memory for as many pages as it asks for.
 */
import { unavailable } from '../../runtime/actor/index.ts';
import { FairSemaphore } from '../../runtime/admission/index.ts';
import type { Clock } from '../../runtime/time/index.ts';
import type { Operation } from '../../protocol/operation.ts';

/** One tenant that is alone gets half. The database has eight connections for reads. */
const readsAtOnce = 8;
/**
 * A read that takes longer counts as its tenant's for five times as long again, so that costly reads of a tenant do not keep the database
 * busy. Its place is free for other tenants meanwhile: otherwise costly reads of a few tenants would hold all places of an idle database.
 */
const costlyMs = 200;
const restFactor = 5;
const maxRestMs = 10_000;
/** Reads of one tenant that may wait. */
const maxWaiting = 200;

type Maybe<T> = T | Promise<T>;

export class ReadAdmission {
  readonly #permits = new FairSemaphore(readsAtOnce, 0);
  readonly #clock: Pick<Clock, 'after' | 'monotonic'>;

  constructor(clock: Pick<Clock, 'after' | 'monotonic'>) {
    this.#clock = clock;
  }

  /**
   * Does the work when it is the tenant's turn; at once where there is room.
   *
   * @throws {ServiceError} `svc/runtime/unavailable` where too many reads of the tenant wait
   */
  run<T>(tenant: string, work: () => Maybe<T>): Maybe<T> {
    if (this.#permits.tryTake(tenant)) return this.#work(tenant, work);
    if (this.#permits.countWaiting(tenant) >= maxWaiting) throw unavailable('overloaded');
    return this.#permits.take(tenant).then(() => this.#work(tenant, work));
  }

  #work<T>(tenant: string, work: () => Maybe<T>): Maybe<T> {
    const startedAt = this.#clock.monotonic();
    const release = (): void => {
      const spentMs = this.#clock.monotonic() - startedAt;
      if (spentMs <= costlyMs) return this.#permits.release(tenant);
      this.#permits.rest();
      this.#clock.after(Math.min(restFactor * spentMs, maxRestMs), () => this.#permits.endRest(tenant));
    };
    let result: Maybe<T>;
    try {
      result = work();
    } catch (error) {
      release();
      throw error;
    }
    if (result instanceof Promise) return result.finally(release);
    release();
    return result;
  }
}

/** Whether an operation reads the database, and waits for no other system. */
export function isDatabaseRead({ method, auth, rate, asksProvider }: Operation): boolean {
  return method === 'GET' && rate === 'read' && auth !== 'none' && auth !== 'stream' && asksProvider !== true;
}
