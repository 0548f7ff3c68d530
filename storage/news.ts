/**
 * News: what became true, told to this node's listeners right after the commit that made it so. News may be lost with the
 * process; whoever listens heals from the tables (a gap in `seq`, a stitch with pending deliveries).
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

export class News {
  readonly #listeners: NewsListener[] = [];

  /** For good: listeners live as long as the node. */
  listen(listener: NewsListener): void {
    this.#listeners.push(listener);
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
    for (const listener of this.#listeners) {
      listener.events(numbered);
      if (result.stitches.length > 0) listener.deliveries(result.stitches);
    }
  }

  /** For a commit whose answer was lost: what it appended is known, its numbers and deliveries are not. */
  unnumbered(events: readonly Announced[]): void {
    const projects = [...new Set(events.map(event => event.projectId))];
    for (const listener of this.#listeners) {
      listener.behind(projects);
      listener.deliveries(undefined);
    }
  }
}
