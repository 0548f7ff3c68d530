/** The times and bounds of a cluster. Every node of one must have the same. */

export interface Timing {
  /** How often a node renews its membership. Default 500. */
  readonly heartbeatMs: number;
  /** A member whose entry has not changed for so long, by an observer's own clock, is removed. Default 3,000. */
  readonly leaseMs: number;
  /** By so much earlier the member itself stops to serve. Default 500. */
  readonly marginMs: number;
  /** How often a node pings the two members after it in the ring, and looks after everything else. Default 200. */
  readonly pingMs: number;
  /** Between two pings that find a member gone, which is then removed. Default 150. */
  readonly confirmMs: number;
  /** A new member's shards are moved to it when it has been up for so long: who comes and goes moves nothing. Default 2,000. */
  readonly joinMs: number;
  /**
   * Shards that a node hands over at once: few, since each is without an owner for the shorter. One for every 256 of a cluster that has
   * many more. Default 2.
   */
  readonly movesAtOnce: number;
  /** Shards that a node takes at once. Default 16. */
  readonly takesAtOnce: number;
  /** How often the register is read as a whole, in case the watch missed something. Default 5,000. */
  readonly refreshMs: number;
  /** After an outage, how long others are given to find their way back before a ping that finds them gone counts. Default 1,000. */
  readonly graceMs: number;
  /** How long a hand-over waits for a moment in which the shard is idle, and serves it meanwhile. Default 30. */
  readonly lullMs: number;
  /** How long a hand-over waits for admitted commands; what is late is the store's to refuse. Default 5,000. */
  readonly releaseMs: number;
  /** How long a drain may take; what is left then is taken over as from a dead node. Default 6,000. */
  readonly drainMs: number;
  /** An answer of the register that takes longer counts as none. Default 1,000. */
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
  lullMs: 30,
  releaseMs: 5_000,
  drainMs: 6_000,
  answerMs: 1_000,
};

/** The defaults with the given ones in their place. Throws a `RangeError` that names the offender. */
export function timingOf(given: Partial<Timing> = {}): Timing {
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
