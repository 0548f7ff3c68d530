/**
 * Wakes stitches when there is something for them in the log.
 *
 * Right after a commit the `CommitNotifier` of that node says what was appended, and each stitch that wants some of it is told `wake`
 * wherever it lives (decide-delivery.ts): once for many events, since it reads the log as far as it goes. If the answer of a commit was
 * lost, it is not known what was appended: then `scan` finds the stitches that are behind. A `wake` may be lost too, with a node or in
 * transit: the recovery scanner (gateway/jobs) finds such stitches later, and tells them `sweep`.
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
  const rounds = new WakeRounds(clock, id => tell({ kind: 'stitch', id }, 'wake', {}));

  const wakeWanting = (appended: AppendedEvents): void => {
    followedLog.add(appended);
    const wanting = followedLog.findWanting(appended);
    if (!(wanting instanceof Promise)) return rounds.wakeAll(wanting);
    wanting.then(
      found => rounds.wakeAll(found),
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

/**
 * Wakes each stitch at once the first time, and again at the end of a round if it was to be woken meanwhile. A round lasts as long as its
 * wakes may cost.
 */
class WakeRounds implements Waker {
  readonly #clock: Clock;
  readonly #wake: (stitchId: string) => void;
  #woken = new Set<string>();
  #again = new Set<string>();
  /** Lists that are part of `#again`: with many stitches each commit has the same ones. */
  readonly #noted = new Set<readonly string[]>();
  #timer: Timer | undefined;
  #stopped = false;

  constructor(clock: Clock, wake: (stitchId: string) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  wakeAll(lists: WantingLists): void {
    if (this.#stopped) return;
    for (const list of lists) if (!this.#noted.has(list)) this.#wakeList(list);
    if (this.#timer === undefined && this.#woken.size > 0) this.#startRound();
  }

  #wakeList(stitchIds: readonly string[]): void {
    let isNoted = true;
    for (const id of stitchIds) {
      if (this.#woken.has(id)) {
        this.#again.add(id);
        continue;
      }
      isNoted = false;
      this.#woken.add(id);
      this.#wake(id);
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
      this.#woken = this.#again;
      this.#again = new Set();
      this.#noted.clear();
      for (const id of this.#woken) this.#wake(id);
      if (this.#woken.size > 0) this.#startRound();
    });
  }
}
