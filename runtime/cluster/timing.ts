/** The times and bounds of a cluster. They must be the same on all its nodes. */

export interface Timing {
  /** How often a node renews its membership. Default 500. */
  readonly heartbeatMs: number;
  /** A member whose entry has not changed for this time, by an observer's own clock, is removed. Default 3,000. */
  readonly leaseMs: number;
  /** The member itself stops serving this much earlier. Default 500. */
  readonly marginMs: number;
  /** How often a node pings the next two members in the ring, and does its other checks. Default 200. */
  readonly pingMs: number;
  /** Time between two pings that find a member gone, which is then removed. Default 150. */
  readonly confirmMs: number;
  /** Shards move to a new member once it has been up for this time, so that a flapping node moves nothing. Default 2,000. */
  readonly joinMs: number;
  /**
   * Shards that a node hands over at the same time. The fewer they are, the shorter is each without an owner. In a cluster with many
   * shards it is one for every 256, if that is more. Default 2.
   */
  readonly movesAtOnce: number;
  /** Shards that a node takes at the same time. Default 16. */
  readonly takesAtOnce: number;
  /** How often the whole register is read, in case the watch missed something. Default 5,000. */
  readonly refreshMs: number;
  /** After an outage, how long others have to reconnect before a ping that finds them gone counts. Default 1,000. */
  readonly graceMs: number;
  /** How long a hand-over waits for the shard to be idle, and serves it meanwhile. Default 30. */
  readonly handoverIdleMs: number;
  /** How long a hand-over waits for admitted commands; the store refuses the late ones. Default 5,000. */
  readonly releaseMs: number;
  /** How long a drain may take; the remaining shards are taken over as from a dead node. Default 6,000. */
  readonly drainMs: number;
  /** An answer of the register that takes longer is not waited for. Default 1,000. */
  readonly answerMs: number;
}

export const defaultTiming: Timing = {
  heartbeatMs: 500,
  leaseMs: 3_000,
  marginMs: 500,
  pingMs: 200,
  confirmMs: 150,
  joinMs: 2_000,
  movesAtOnce: 2,
  takesAtOnce: 16,
  refreshMs: 5_000,
  graceMs: 1_000,
  handoverIdleMs: 30,
  releaseMs: 5_000,
  drainMs: 6_000,
  answerMs: 1_000,
};

/** The defaults, overridden by the given ones. Throws a `RangeError` that names a bad one. */
export function parseTiming(given: Partial<Timing> = {}): Timing {
  const timing = { ...defaultTiming, ...given };
  for (const [name, value] of Object.entries(timing) as [string, number][]) {
    if (!Number.isSafeInteger(value) || value < 1) {
      throw new RangeError(`timing.${name} must be a positive integer, not ${value}`);
    }
  }
  const { leaseMs, marginMs, heartbeatMs } = timing;
  if (leaseMs - marginMs < 2 * heartbeatMs) {
    throw new RangeError(`timing.leaseMs must leave room for two heartbeats beside the margin`);
  }
  return timing;
}
