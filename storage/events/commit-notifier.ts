/**
 * Tells listeners what was committed: those of this node right after the commit, those of other nodes through a relay (cluster-relay.ts).
 * Listeners get only the events of projects that are followed on their node, so events of other projects cost nothing. A notification may
 * be lost, with a process or in transit. Listeners recover from the tables: by a gap in `seq`, or by a scan for stitches that are behind
 * the log.
 */
import type { AppendedEvent } from '../statements/index.ts';

/** An event whose commit is certain. */
export interface CommittedEvent {
  readonly projectId: string;
  /** The project's dense number of the event. */
  readonly seq: number;
  readonly eventName: string;
  /** The exact text of the envelope. */
  readonly body: string;
}

/** Events that this node has committed in one project, one after another in its log. */
export interface AppendedEvents {
  readonly projectId: string;
  /** The number of the first. */
  readonly first: number;
  readonly events: readonly AppendedEvent[];
  /** The version of what the project's stitches followed then. */
  readonly subscriptions: number;
}

/** Called in the stack of the commit: long work must be deferred. A listener leaves out what it does not need. */
export interface CommitListener {
  /** Events of projects that are followed on this node, in the order of their numbers within each project. */
  onEvents?(events: readonly CommittedEvent[]): void;
  /** Projects with events whose numbers are unknown: read them from the log. */
  onGap?(projectIds: readonly string[]): void;
  /** Events of any project that this node has committed. */
  onAppended?(appended: readonly AppendedEvents[]): void;
  /** Stitches that have a row to deliver, of a test event. */
  onTested?(stitchIds: readonly string[]): void;
  /** There may be events that no listener on any node was told of. */
  onUncertain?(): void;
}

/** Carries notifications between nodes. Called in the stack of the commit. */
export interface CommitRelay {
  /** This node has committed these events. */
  publishEvents(events: readonly CommittedEvent[]): void;
  /** This node has committed events of these projects and does not know their numbers. */
  publishGap(projectIds: readonly string[]): void;
  /** From now on the events that other nodes commit in the project are wanted here. */
  subscribe(projectId: string): void;
  unsubscribe(projectId: string): void;
}

/** The row of the statement `event.append`. */
interface AppendResult {
  readonly heads: Readonly<Record<string, number>>;
  readonly subscriptions: Readonly<Record<string, number>>;
  readonly tested: readonly string[];
}

export class CommitNotifier {
  readonly #listeners: CommitListener[] = [];
  /** How many followers each project has on this node. */
  readonly #followers = new Map<string, number>();
  #relay: CommitRelay | undefined;

  /** For good: a listener lives as long as the node. */
  addListener(listener: CommitListener): void {
    this.#listeners.push(listener);
  }

  /** In a cluster, before anybody follows a project. */
  setRelay(relay: CommitRelay): void {
    this.#relay = relay;
  }

  /** Asks for the events of a project, whichever node commits them, until the returned function is called. */
  follow(projectId: string): () => void {
    const count = this.#followers.get(projectId) ?? 0;
    this.#followers.set(projectId, count + 1);
    if (count === 0) this.#relay?.subscribe(projectId);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      const left = (this.#followers.get(projectId) ?? 0) - 1;
      if (left > 0) this.#followers.set(projectId, left);
      else this.#followers.delete(projectId);
      if (left <= 0) this.#relay?.unsubscribe(projectId);
    };
  }

  /** @param rows what the statement `event.append` returned for these events, in their order */
  notifyCommitted(events: readonly AppendedEvent[], rows: readonly Record<string, unknown>[]): void {
    const result = rows[0] as AppendResult | undefined;
    if (result === undefined) return this.notifyUnnumbered(events);
    const { heads, subscriptions, tested } = result;
    const numbered: CommittedEvent[] = [];
    const appended = new Map<string, AppendedEvents & { readonly events: AppendedEvent[] }>();
    for (const event of events) {
      const { projectId, eventName, body } = event;
      let stretch = appended.get(projectId);
      if (stretch === undefined) {
        const first = (heads[projectId] ?? 0) + 1;
        stretch = { projectId, first, events: [], subscriptions: subscriptions[projectId] ?? 0 };
        appended.set(projectId, stretch);
      }
      numbered.push({ projectId, seq: stretch.first + stretch.events.length, eventName, body });
      stretch.events.push(event);
    }
    this.#relay?.publishEvents(numbered);
    const followed = numbered.filter(({ projectId }) => this.#followers.has(projectId));
    const stretches = [...appended.values()];
    for (const listener of this.#listeners) {
      if (followed.length > 0) listener.onEvents?.(followed);
      // The listener wakes the stitches wherever they live, so other nodes need not be told.
      listener.onAppended?.(stretches);
      if (tested.length > 0) listener.onTested?.(tested);
    }
  }

  /** For a commit whose answer was lost: its events are known, their numbers and deliveries are not. */
  notifyUnnumbered(events: readonly AppendedEvent[]): void {
    const projectIds = [...new Set(events.map(event => event.projectId))];
    this.#relay?.publishGap(projectIds);
    for (const listener of this.#listeners) {
      listener.onGap?.(projectIds);
      listener.onUncertain?.();
    }
  }

  /** Another node has notified its listeners of these events. */
  onRemote(events: readonly CommittedEvent[]): void {
    for (const listener of this.#listeners) listener.onEvents?.(events);
  }

  /** Another node has committed events of these projects and does not know their numbers. */
  onRemoteGap(projectIds: readonly string[]): void {
    for (const listener of this.#listeners) listener.onGap?.(projectIds);
  }

  /** The connection to other nodes was lost for a while: every followed project may have a gap, and wake-ups may be lost. */
  onOutage(): void {
    const projectIds = [...this.#followers.keys()];
    for (const listener of this.#listeners) {
      if (projectIds.length > 0) listener.onGap?.(projectIds);
      listener.onUncertain?.();
    }
  }
}
