/**
 * What this node has committed itself of the logs of projects, so that it need not read that to find who is behind. It rests on commits whose
 * answers have come: they gave the numbers. Of what lies between them, be it another node's or of a commit whose answer was lost, it says
 * nothing, and whoever asks reads the log.
 */
import { LRUCache } from 'lru-cache';
import type { AppendedEvents } from '../events/index.ts';

/** Projects that are known; the logs of others are read. */
const maxProjects = 10_000;
/** Ranges of numbers of a project. There are some while lanes commit at once, and many where nodes take turns: then the log is read. */
const maxRanges = 16;

/** Events of one name. */
export interface NamedEvents {
  readonly environmentId: string;
  readonly eventName: string;
  /** The number of the last of them. */
  readonly newest: number;
}

/** Numbers of events, both inclusive. */
interface SeqRange {
  from: number;
  to: number;
}

interface OwnLog {
  /** In their order; no two of them touch. */
  ranges: SeqRange[];
  /** By environment and name, the number of the last event. */
  readonly newest: Map<string, Map<string, number>>;
}

export class OwnEvents {
  readonly #logs = new LRUCache<string, OwnLog>({ max: maxProjects });

  /** This node has committed these events. */
  add({ projectId, first, events }: AppendedEvents): void {
    const last = first + events.length - 1;
    let log = this.#logs.get(projectId);
    // Numbers that were given before: the log is another, since a backup was restored.
    if (log === undefined || log.ranges.some(({ from, to }) => first <= to && last >= from)) {
      log = { ranges: [], newest: new Map() };
      this.#logs.set(projectId, log);
    }
    addRange(log.ranges, { from: first, to: last });
    if (log.ranges.length > maxRanges) log.ranges.shift();
    let seq = first;
    for (const { environmentId, eventName } of events) note(log.newest, environmentId, eventName, seq++);
  }

  /** What came after that number, if this node has committed every event from there to `head`; it may name newer ones. */
  find(projectId: string, after: number, head: number): readonly NamedEvents[] | undefined {
    const log = this.#logs.get(projectId);
    if (!log?.ranges.some(({ from, to }) => from <= after + 1 && to >= head)) return undefined;
    return [...log.newest].flatMap(([environmentId, byName]) =>
      [...byName].flatMap(([eventName, newest]) =>
        newest > after ? { environmentId, eventName, newest } : [],
      ),
    );
  }

  forget(projectId: string): void {
    this.#logs.delete(projectId);
  }

  /** Forgets all projects. */
  reset(): void {
    this.#logs.clear();
  }
}

function addRange(ranges: SeqRange[], added: SeqRange): void {
  const at = ranges.findIndex(({ from }) => from > added.to);
  const next = at < 0 ? ranges.length : at;
  const before = ranges[next - 1];
  const after = ranges[next];
  const joinsAfter = after?.from === added.to + 1;
  if (before?.to === added.from - 1) {
    before.to = joinsAfter ? after.to : added.to;
    if (joinsAfter) ranges.splice(next, 1);
  } else if (joinsAfter) after.from = added.from;
  else ranges.splice(next, 0, added);
}

function note(newest: OwnLog['newest'], environmentId: string, eventName: string, seq: number): void {
  let byName = newest.get(environmentId);
  if (byName === undefined) newest.set(environmentId, (byName = new Map()));
  // Two lanes may tell of their commits in another order than they were numbered.
  if ((byName.get(eventName) ?? 0) < seq) byName.set(eventName, seq);
}
