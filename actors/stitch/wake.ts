/**
 * Wakes stitches when there is something for them in the log.
 *
 * Right after a commit the `CommitNotifier` of that node says what was appended, and each stitch that wants some of it is told `wake`
 * wherever it lives (decide-delivery.ts): once for many events, since it reads the log as far as it goes. It is told the number of the
 * newest, because a node that did not commit it may have a part of the log in memory that ends before.
 *
 * If the answer of a commit was lost, it is not known what was appended: then `scan` finds the stitches that are behind. A `wake` may be
 * lost too, with a node or in transit: the recovery scanner (gateway/jobs) finds such stitches later, and tells them `sweep`.
 *
 * `wakeStitches` is called once per node, where its actors are created (gateway/composition/actors.ts).
 */
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { FollowedLog, WantingLists } from '../../storage/deliveries/index.ts';
import type { AppendedEvents, CommitNotifier } from '../../storage/events/index.ts';

export interface WakeServices {
  readonly notifier: Pick<CommitNotifier, 'addListener'>;
  readonly followedLog: Pick<FollowedLog, 'add' | 'findWanting'>;
  readonly tell: (to: ActorRef, command: string, payload: unknown) => void;
  /** Looks for all stitches that are behind the log. */
  readonly scan: () => void;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Waker {
  /** Wakes nobody any more. */
  stop(): void;
}

/** What this node spends on waking: with more stitches each of them is woken less often. */
const wakesPerMs = 2;
/** The shortest and the longest time between two wakes of a stitch, in milliseconds. */
const shortestMs = 2;
const longestMs = 1_000;

export function wakeStitches({ notifier, followedLog, tell, scan, clock, log }: WakeServices): Waker {
  const rounds = new WakeRounds(clock, (id, newest) => tell({ kind: 'stitch', id }, 'wake', { newest }));

  const wakeWanting = (appended: AppendedEvents): void => {
    followedLog.add(appended);
    const wanting = followedLog.findWanting(appended);
    if (!(wanting instanceof Promise)) return rounds.wakeAll(wanting, appended);
    wanting.then(
      found => rounds.wakeAll(found, appended),
      (err: unknown) => {
        log.warn(
          { err },
          'it could not be read which stitches want new events; all that are behind will be found',
        );
        scan();
      },
    );
  };

  notifier.addListener({
    onAppended(stretches) {
      for (const appended of stretches) wakeWanting(appended);
    },
    onTested(stitchIds) {
      for (const id of stitchIds) tell({ kind: 'stitch', id }, 'wake', { from: 0 });
    },
    onUncertain: scan,
  });
  return rounds;
}

/** The newest event of a project in this round. */
interface Head {
  newest: number;
}

/**
 * Wakes each stitch at once the first time, and again at the end of a round if it was to be woken meanwhile. A round lasts as long as its
 * wakes may cost.
 */
class WakeRounds implements Waker {
  readonly #clock: Clock;
  readonly #wake: (stitchId: string, newest: number) => void;
  #woken = new Set<string>();
  #again = new Map<string, Head>();
  /** By project. */
  readonly #heads = new Map<string, Head>();
  /** Lists that are part of `#again`: with many stitches each commit has the same ones. */
  readonly #noted = new Set<readonly string[]>();
  #timer: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock, wake: (stitchId: string, newest: number) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  wakeAll(lists: WantingLists, { projectId, first, events }: AppendedEvents): void {
    if (this.#stopped) return;
    const newest = first + events.length - 1;
    const known = this.#heads.get(projectId);
    const head = known ?? { newest };
    head.newest = Math.max(head.newest, newest);
    for (const list of lists) if (!this.#noted.has(list)) this.#wakeList(list, head);
    // Until the round ends, of which there is none where nobody is woken.
    if (known === undefined && this.#woken.size > 0) this.#heads.set(projectId, head);
    if (this.#timer === undefined && this.#woken.size > 0) this.#startRound();
  }

  #wakeList(stitchIds: readonly string[], head: Head): void {
    let isNoted = true;
    for (const id of stitchIds) {
      if (this.#woken.has(id)) {
        this.#again.set(id, head);
        continue;
      }
      isNoted = false;
      this.#woken.add(id);
      this.#wake(id, head.newest);
    }
    if (isNoted) this.#noted.add(stitchIds);
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #startRound(): void {
    const ms = Math.min(longestMs, Math.max(shortestMs, this.#woken.size / wakesPerMs));
    this.#timer = this.#clock.after(ms, () => {
      this.#timer = undefined;
      const again = this.#again;
      this.#woken = new Set(again.keys());
      this.#again = new Map();
      this.#noted.clear();
      this.#heads.clear();
      for (const [id, { newest }] of again) this.#wake(id, newest);
      if (this.#woken.size > 0) this.#startRound();
    });
  }
}
