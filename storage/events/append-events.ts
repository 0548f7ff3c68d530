/** Appends events inside a transaction of the unit of work: for the resources that are no actors. */
import type { EntityManager, EventSubscriber, TransactionEventArgs } from '@mikro-orm/postgresql';
import { formatEvent, type EventName } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import { executeBound, selectNow } from '../database/index.ts';
import type { CommitNotifier } from './commit-notifier.ts';
import { append, appendEvent, appendParameters } from '../writes/index.ts';
import type { AppendedEvent } from '../statements/index.ts';

/** An event of a resource that is no actor. */
export interface NewEvent {
  readonly projectId: string;
  readonly environmentId: string;
  readonly eventName: EventName;
  /** Without environmentId, which is added. */
  readonly data: Readonly<Record<string, unknown>>;
}

interface Appended {
  readonly events: readonly AppendedEvent[];
  readonly rows: readonly Record<string, unknown>[];
}

const appended = new WeakMap<object, Appended[]>();

/**
 * Appends the events with the numbers of their projects; stitches find them in the log. Call it inside `em.transactional`
 * with its entity manager, last, because from here on it holds the project's row in `project_streams`.
 */
export async function appendEvents(em: EntityManager, events: readonly NewEvent[]): Promise<void> {
  // An event that were dated by this machine could be older than what is kept.
  const [clock] = await executeBound<{ now: number }>(em, selectNow, []);
  const now = Number(clock?.now);
  const at = new Date(now).toISOString();
  const writes = events.map(({ projectId, environmentId, eventName, data }) => {
    const eventId = newId('event', now);
    const text = JSON.stringify({ environmentId, ...data });
    const body = formatEvent({ eventId, eventName, occurredAt: at, projectId, data: text });
    return appendEvent({ projectId, environmentId, eventId, eventName, occurredAt: at, body });
  });
  const rows = await executeBound<Record<string, unknown>>(em, append.text, appendParameters(writes));
  const done = appended.get(em) ?? [];
  done.push({ events: writes.flatMap(write => (write.event === undefined ? [] : [write.event])), rows });
  appended.set(em, done);
}

/** Announces what `appendEvents` wrote, once its transaction has committed; registered with the ORM. */
export class AppendedEventsSubscriber implements EventSubscriber {
  readonly #notifier: CommitNotifier;

  constructor(notifier: CommitNotifier) {
    this.#notifier = notifier;
  }

  afterTransactionCommit({ em }: TransactionEventArgs): void {
    for (const { events, rows } of appended.get(em) ?? []) this.#notifier.notifyCommitted(events, rows);
    appended.delete(em);
  }
}
