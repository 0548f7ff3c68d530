/**
 * Finds stitches whose wake was lost, with a node or on its way, and tells them to look for themselves.
 *
 *   idle -> due          asked for; several wishes within a moment are one
 *   due -> walking       a page at a time, through all stitches that have something open
 *   walking -> idle      and from there, by itself, due again after a while
 *
 * A node of a cluster walks for the stitches that live on it: when it takes their shards, and now and then. What is not known
 * of any stitch (the deliveries of a commit in doubt, news missed in an outage) is asked for on behalf of `everybody`.
 */
import type { Clock, Timer } from '../runtime/clock.ts';
import type { Log } from '../runtime/log.ts';

const everyMs = 30_000;
/** Shards are taken in bursts: one walk for all. */
const gatherMs = 100;
const page = 500;

/** For whose stitches. */
export type Beat = 'mine' | 'everybody';

export interface PatrolOptions {
  /** The next stitches with something open, by their ids, after the given one. */
  readonly find: (limit: number, after: string) => Promise<readonly string[]>;
  /** Whether the stitch lives on this node. */
  readonly isMine: (stitchId: string) => boolean;
  /** Tells a stitch to look. */
  readonly rouse: (stitchId: string) => void;
  readonly clock: Clock;
  readonly log: Log;
}

export class Patrol {
  readonly #options: PatrolOptions;
  #timer: Timer | undefined;
  /** Of the walk that is due. */
  #beat: Beat | undefined;
  #walking = false;
  #stopped = false;

  constructor(options: PatrolOptions) {
    this.#options = options;
  }

  /** A walk begins in a moment, or after the one that is under way. */
  soon(beat: Beat): void {
    if (this.#beat !== 'everybody') this.#beat = beat;
    if (!this.#walking) this.#after(gatherMs);
  }

  /** No walk begins any more. Idempotent. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #after(ms: number): void {
    this.#timer?.cancel();
    if (!this.#stopped) this.#timer = this.#options.clock.after(ms, () => void this.#go());
  }

  async #go(): Promise<void> {
    const beat = this.#beat ?? 'mine';
    this.#beat = undefined;
    this.#walking = true;
    try {
      await this.#walk(beat);
    } catch (err) {
      this.#options.log.warn({ err }, 'the patrol for waiting deliveries failed; it is repeated');
    }
    this.#walking = false;
    this.#after(this.#beat === undefined ? everyMs : gatherMs);
  }

  async #walk(beat: Beat): Promise<void> {
    const { find, isMine, rouse } = this.#options;
    for (let after = ''; !this.#stopped;) {
      const found = await find(page, after);
      for (const stitchId of found) if (beat === 'everybody' || isMine(stitchId)) rouse(stitchId);
      if (found.length < page) return;
      after = found.at(-1) ?? after;
    }
  }
}
