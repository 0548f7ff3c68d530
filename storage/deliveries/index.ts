/** Webhook deliveries: what stitches have to send, and what users read and replay. */
export { StitchesBehind } from './behind.ts';
export { type DeadLetterFilter, findFailingStitches, readDeadLetters } from './dead-letters.ts';
export {
  attemptPage,
  deliveryColumns,
  type DeliveryFilter,
  type DeliveryPage,
  deliveryPage,
  type DeliveryPosition,
  type DeliveryRecord,
  findDelivery,
  findDeliveryTenant,
  type FoundDelivery,
  toDelivery,
} from './delivery-log.ts';
export {
  FollowedLog,
  type ThreadPage,
  type ThreadRequest,
  type WantedPage,
  type WantingLists,
} from './followed-log.ts';
export {
  dueDeliveries,
  type EventBody,
  eventBodies,
  failedHeads,
  hasScheduledRows,
  nextDueAt,
  type OpenDelivery,
  pendingDeliveries,
  type PendingPage,
  type PendingRequest,
} from './outbox.ts';
export { replayEvents, type ReplaySource } from './replays.ts';
export {
  cancelDeliveries,
  type StartedAttempt,
  stitchesWithRetries,
  stitchesWithRows,
  unfinishedStitches,
} from './unfinished.ts';
export { groupHours, readBacklog, readHours, summarise } from './stitch-stats.ts';
export { deriveDeliveryId } from './subscriptions.ts';
export { hasUndelivered } from './undelivered.ts';
export { type Unrecorded, unrecordedOfEvents } from './unrecorded.ts';
export { findOldestOpen } from './oldest-open.ts';
