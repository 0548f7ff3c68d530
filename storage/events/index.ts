/**
 * The event log. Events are appended by the commits of actors (storage/writes) or, for plain resources, by `appendEvents`; once
 * their commit is certain the `CommitNotifier` tells this node's listeners, and the `ClusterRelay` the other nodes. Readers take
 * pages of the log by `seq`.
 */
export { AppendedEventsSubscriber, appendEvents, type NewEvent } from './append-events.ts';
export { ClusterRelay } from './cluster-relay.ts';
export {
  type AppendedEvents,
  type CommitListener,
  CommitNotifier,
  type CommittedEvent,
} from './commit-notifier.ts';
export {
  eventLog,
  eventPage,
  type EventRange,
  findEventBody,
  findEventTenant,
  type LoggedEvent,
  type PagedEvent,
  pollPage,
  type StreamHead,
  streamHeads,
} from './event-log.ts';
export { keptMs, LogTail, tailColumns, type TailEvent, type TailPage, toTailEvent } from './log-tail.ts';
