/**
 * Actors: what one is, and what runs one.
 *
 * An `ActorKind` declares a state and pure decisions over it (actor.ts). A node holds it as a `Kind`. A `Command` for an actor goes to
 * its `Activation`, which loads the actor from the `Store`, gives the command its turn (turn.ts), commits what was decided, and then
 * answers the caller and starts the `Effects`. Failures reach the caller as a `ServiceError` (failures.ts).
 */
export { Activation } from './activation.ts';
export {
  actor,
  type ActorKind,
  type ActorRef,
  type AnyActorKind,
  type Decision,
  type Effect,
  type Reminder,
  type TaskContext,
  type Turn,
} from './actor.ts';
export { Effects } from './effects.ts';
export {
  describeError,
  internalError,
  isRefusal,
  NoOwner,
  toServiceError,
  unavailable,
  type UnavailableReason,
} from './failures.ts';
export { createKinds, type Kind } from './kind.ts';
export { type Limits, type NodeContext, parseLimits } from './node-context.ts';
export {
  type Chain,
  type Commit,
  type DeadLetter,
  type DueReminder,
  Duplicate,
  LimitReached,
  Fenced,
  type Loaded,
  OutcomeUnknown,
  type PlacedReminder,
  type Store,
  StoreUnavailable,
} from './store.ts';
export { Command, type RequestContext } from './turn.ts';
