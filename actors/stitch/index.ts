/**
 * Stitches: signed webhooks. The actor kind `stitch` (`createStitches`, stored by `stitchSnapshot`) delivers each event that matches its
 * filter, in order per thread. `wakeStitches` tells it of new deliveries; its queue (queue.ts, queue-load.ts) takes them from the table;
 * tasks/ sends them; decide-results.ts writes the results and schedules retries (schedule.ts).
 */
export type { HostRates } from './services.ts';
export { type StitchLag, StitchMetrics } from './metrics.ts';
export type {
  ArchiveStitch,
  CreateStitch,
  ReplayEvent,
  ReplaySpan,
  RotateSecret,
  Sample,
  SealedStitch,
  StartedReplay,
  TestStitch,
  UpdateStitch,
} from './commands.ts';
export { toStitch } from './events.ts';
export { createStitches, type Stitches } from './kind.ts';
export { getSecretContext } from './services.ts';
export { decodeStitch, type StitchRow, stitchSnapshot } from './snapshot.ts';
export type { OwnerNotification, ReplayJob } from './state.ts';
export { wakeStitches } from './wake.ts';
