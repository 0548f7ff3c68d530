/**
 * News: what became true, told to this node's listeners right after the commit that made it so, and to other nodes by a relay
 * (news-relay.ts), whose listeners are told the same. News may be lost, with a process or on its way; whoever listens heals from
 * the tables (a gap in `seq`, a stitch with pending deliveries).
 */
import type { Announced } from './statement.ts';

/** An event whose commit is certain. */
export interface CommittedEvent {
  readonly projectId: string;
  /** The project's dense number of the event. */
  readonly seq: number;
  readonly eventName: string;
  /** The envelope's exact text. */
  readonly body: string;
}

/** Called in the stack of the commit: what takes long has to be put off. */
export interface NewsListener {
  /** Events in the order of their numbers within each project. */
  events(events: readonly CommittedEvent[]): void;
  /** Projects that have events whose numbers are not known: read them from the table. */
  behind(projectIds: readonly string[]): void;
  /** Stitches that were given deliveries; undefined when it is not known which. */
  deliveries(stitchIds: readonly string[] | undefined): void;
}

/** Carries news between nodes. Called in the stack of the commit. */
export interface Relay {
  /** This node has committed these events. */
  events(events: readonly CommittedEvent[]): void;
  /** This node has committed events of these projects whose numbers it does not know. */
  behind(projectIds: readonly string[]): void;
  /** From now on the other nodes' news of the project is wanted here. */
  follow(projectId: string): void;
  unfollow(projectId: string): void;
}

export class News {
  readonly #listeners: NewsListener[] = [];
  /** How many follow a project on this node. */
  readonly #followed = new Map<string, number>();
  #relay: Relay | undefined;

  /** For good: listeners live as long as the node. */
  listen(listener: NewsListener): void {
    this.#listeners.push(listener);
  }

  /** In a cluster, before anybody follows. */
  relayBy(relay: Relay): void {
    this.#relay = relay;
  }

  /** Wants the news of a project from every node, until the returned function is called; without it, only this node's come. */
  follow(projectId: string): () => void {
    const count = this.#followed.get(projectId) ?? 0;
    this.#followed.set(projectId, count + 1);
    if (count === 0) this.#relay?.follow(projectId);
    let over = false;
    return () => {
      if (over) return;
      over = true;
      const left = (this.#followed.get(projectId) ?? 0) - 1;
      if (left > 0) this.#followed.set(projectId, left);
      else this.#followed.delete(projectId);
      if (left <= 0) this.#relay?.unfollow(projectId);
    };
  }

  /** @param rows what the statement `event.append` returned for these events, in their order. */
  committed(events: readonly Announced[], rows: readonly Record<string, unknown>[]): void {
    const result = rows[0] as { heads: Record<string, number>; stitches: string[] } | undefined;
    if (result === undefined) return this.unnumbered(events);
    const next = result.heads;
    const numbered: CommittedEvent[] = [];
    for (const { projectId, eventName, body } of events) {
      const seq = (next[projectId] ?? 0) + 1;
      next[projectId] = seq;
      numbered.push({ projectId, seq, eventName, body });
    }
    this.#relay?.events(numbered);
    for (const listener of this.#listeners) {
      listener.events(numbered);
      // The stitches' owners are told by the listener, wherever they live: it is not for the other nodes to tell them again.
      if (result.stitches.length > 0) listener.deliveries(result.stitches);
    }
  }

  /** For a commit whose answer was lost: what it appended is known, its numbers and deliveries are not. */
  unnumbered(events: readonly Announced[]): void {
    const projects = [...new Set(events.map(event => event.projectId))];
    this.#relay?.behind(projects);
    for (const listener of this.#listeners) {
      listener.behind(projects);
      listener.deliveries(undefined);
    }
  }

  /** From another node: as `committed` there. */
  heard(events: readonly CommittedEvent[]): void {
    for (const listener of this.#listeners) listener.events(events);
  }

  /** From another node: as `unnumbered` there. */
  heardBehind(projectIds: readonly string[]): void {
    for (const listener of this.#listeners) listener.behind(projectIds);
  }

  /** Other nodes could not be heard for a while: all that is followed may be behind, and wakes of stitches may be lost. */
  missed(): void {
    const projects = [...this.#followed.keys()];
    for (const listener of this.#listeners) {
      if (projects.length > 0) listener.behind(projects);
      listener.deliveries(undefined);
    }
  }
}
