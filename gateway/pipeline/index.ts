/**
 * The way of every request from its credential to its handler, for REST and gRPC alike. pipeline.ts lists the stages in their order;
 * an {@link OperationCall} carries a request through them, and each transport subclasses it. `Call`, `Answer` and `Handler` are what
 * handlers see (handler.ts). The stages ask `Authority` who may do what, `PartsReader` for what the request says, `RateLimiter`
 * (gateway/quota) for quota, and `Idempotency` for what was answered before.
 */
export {
  admits,
  Authority,
  getShownEnvironment,
  mayAnswer,
  type AccessRules,
  type Tenancy,
} from './authorise.ts';
export {
  chain,
  getAuthor,
  OperationCall,
  type Endpoint,
  type Maybe,
  type Source,
  type StorageRoom,
} from './call.ts';
export type {
  Answer,
  Call,
  Caller,
  Handler,
  Handlers,
  KeyCaller,
  OperationTable,
  ProjectScope,
  ServiceCaller,
  UserCaller,
} from './handler.ts';
export { type EventView, getEventView } from './event-view.ts';
export { canBeKey, commitKey, Idempotency, parseKey } from './idempotency.ts';
export { PartsReader, refuseEncoding, refusePrototypes, type Parts } from './parts.ts';
export { replayed, runPipeline } from './pipeline.ts';
export { AnonymousCharge, quotaExceeded, type Quota, type RateLimiter } from './rate-limiter.ts';
export { isDatabaseRead, ReadAdmission } from './read-admission.ts';
export { toRefusal } from './refusal.ts';
