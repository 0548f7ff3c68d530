/** Replays of spans of time: which deliveries each has to make again, and whether it has. */
import { matchesEventNames } from '../../protocol/events.ts';
import type { ReplayJob } from '../../actors/stitch/state.ts';
import type { DeliveryRow, StoredStitch } from './delivery-tables.ts';
import type { Verdict } from './invariants.ts';

/** A delivery that the stitch owes. */
export interface Expected {
  readonly stitchId: string;
  readonly deliveryId: string;
  readonly seq: number;
  readonly projectId: string;
  readonly eventName: string;
  readonly occurredAt: Date;
  readonly threadId: string | null;
  /** When the stitch stopped while it was open, in virtual milliseconds: it need not be made any more. */
  cancelledAt: number | undefined;
  /** Its event was dropped: so old that nobody waits for it. */
  isDropped: boolean;
  /** The receiver has it. */
  isTaken: boolean;
  /** The receiver has the event by a replay. */
  hasReplay: boolean;
}

interface Replay {
  readonly stitchId: string;
  readonly job: ReplayJob;
  /** What was certain when it began, of all statuses, and is in its span. */
  readonly owed: readonly Expected[];
  /** Cut off: the stitch was stopped. */
  state: 'under way' | 'done' | 'cut off';
  /** A failover has interrupted it. */
  mayRepeat: boolean;
}

export class Replays {
  readonly #verdict: Verdict;
  readonly #replays: Replay[] = [];

  constructor(verdict: Verdict) {
    this.#verdict = verdict;
  }

  /** Keeps everything as it is now. Call the returned function to go back to it. */
  snapshot(): () => void {
    const kept = this.#replays.map(replay => [replay, replay.state] as const);
    return () => {
      for (const [replay, state] of kept) {
        // A page that was under way may be made again from where the row of the stitch has gone back to.
        replay.mayRepeat ||= state === 'under way';
        replay.state = state;
      }
      // One that is lost may have a page under way. Its number is given again.
      const lost = this.#replays.splice(kept.length);
      for (const { job, ...replay } of lost)
        this.#replays.push({ ...replay, job: { ...job, id: `lost ${job.id}` }, state: 'cut off' });
    };
  }

  /**
   * A commit has written the row of the stitch.
   *
   * @param listReplayable what a stitch has made, or was to make
   */
  wrote(
    stitchId: string,
    row: StoredStitch,
    isLive: boolean,
    listReplayable: (source: string) => readonly Expected[],
  ): void {
    const { replays: jobs } = row['state'] as { readonly replays: readonly ReplayJob[] };
    const own = this.#replays.filter(replay => replay.stitchId === stitchId);
    for (const replay of own) {
      if (replay.state !== 'under way' || jobs.some(({ id }) => id === replay.job.id)) continue;
      replay.state = isLive ? 'done' : 'cut off';
    }
    for (const job of jobs) {
      if (own.some(replay => replay.job.id === job.id)) continue;
      const owed = listReplayable(job.sourceStitchId).filter(each => isInSpan(job, each));
      this.#replays.push({ stitchId, job, owed, state: 'under way', mayRepeat: false });
    }
  }

  /** Those that are still to end. */
  listOpen(): string[] {
    return this.#replays
      .filter(({ state }) => state === 'under way')
      .map(({ stitchId, job }) => `replay ${job.id} of ${stitchId} does not end`);
  }

  /** Each event was replayed by each replay that had to, and by no replay twice. */
  check(rows: readonly DeliveryRow[]): void {
    const made = new Map<string, number>();
    const toKey = (stitchId: string, seq: number): string => `${stitchId} ${seq}`;
    for (const { trigger, stitchId, eventSeq } of rows) {
      const key = toKey(stitchId, eventSeq);
      if (trigger === 'replay') made.set(key, (made.get(key) ?? 0) + 1);
    }
    const owed = new Map<string, number>();
    for (const replay of this.#replays) {
      const { stitchId, job, state } = replay;
      if (state !== 'done' || job.statuses.length > 0) continue;
      for (const each of replay.owed) {
        const key = toKey(stitchId, each.seq);
        if (!each.isDropped) owed.set(key, (owed.get(key) ?? 0) + 1);
      }
    }
    for (const [key, count] of owed) {
      if ((made.get(key) ?? 0) >= count) continue;
      this.#verdict.broken(
        'a replay is whole, and comes once',
        `${key} was replayed ${made.get(key) ?? 0} times of ${count}`,
      );
    }
    for (const [key, count] of made) {
      const [stitchId] = key.split(' ');
      const own = this.#replays.filter(replay => replay.stitchId === stitchId);
      const most = own.length;
      if (count <= most || own.some(({ mayRepeat }) => mayRepeat)) continue;
      this.#verdict.broken(
        'a replay is whole, and comes once',
        `${key} was replayed ${count} times by ${most}`,
      );
    }
  }
}

function isInSpan({ since, until, eventNames }: ReplayJob, { occurredAt, eventName }: Expected): boolean {
  const at = occurredAt.getTime();
  return at >= Date.parse(since) && at < Date.parse(until) && matchesEventNames(eventNames, eventName);
}
