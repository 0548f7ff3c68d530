/** Webhook deliveries: the outbox that stitches send from, and the log that users read and replay. */
export {
  attemptPage,
  deliveryColumns,
  type DeliveryFilter,
  deliveryPage,
  type DeliveryRecord,
  findDelivery,
  findDeliveryTenant,
  type FoundDelivery,
  toDelivery,
} from './delivery-log.ts';
export {
  dueDeliveries,
  eventBodies,
  failedHeads,
  nextDueAt,
  type OpenDelivery,
  pendingDeliveries,
  type PendingPage,
  type PendingRequest,
} from './outbox.ts';
export { cancelDeliveries, replayEvents, type ReplaySource, stitchesWithWork } from './replays.ts';
