/**
 * Members that were removed as `gone` or `expired` and have not come back. A cluster without them has nothing to show: their shards have other
 * owners within a second. A member that leaves as planned is `draining` when its entry is removed.
 *
 * It knows the removals that this node made or heard of. One that it missed while it was cut off may as well have been planned: whoever wants
 * to know of all asks the other nodes too.
 */
import type { Clock } from '../time/index.ts';

const keptMs = 30 * 60_000;
/** The newest are kept. */
const maxLost = 64;

export class LostMembers {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By id, the oldest first, when they were lost. Monotonic. */
  readonly #lostAt = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  add(id: string): void {
    this.#lostAt.delete(id);
    this.#lostAt.set(id, this.#clock.monotonic());
    const [oldest] = this.#lostAt.keys();
    if (this.#lostAt.size > maxLost && oldest !== undefined) this.#lostAt.delete(oldest);
  }

  /** It is a member again. */
  delete(id: string): void {
    this.#lostAt.delete(id);
  }

  /** Those of the last half hour, sorted. */
  list(): string[] {
    const from = this.#clock.monotonic() - keptMs;
    for (const [id, lostAt] of this.#lostAt) if (lostAt < from) this.#lostAt.delete(id);
    return [...this.#lostAt.keys()].sort();
  }
}
