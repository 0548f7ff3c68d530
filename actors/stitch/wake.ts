/**
 * Wakes stitches when a commit has given them deliveries.
 *
 * The commit of an event adds a delivery for each stitch whose filter matches. Right after the commit the `CommitNotifier` of that node
 * calls `onDeliveries` with those stitches, and each is told `wake` wherever it lives (decide-delivery.ts). If the answer of a commit was
 * lost, it is not known which stitches have got deliveries: then `scan` searches the table for them. A `wake` may be lost too, with a
 * node or in transit: the recovery scanner (gateway/jobs) finds such stitches later, and tells them `sweep`.
 *
 * `wakeStitches` is called once per node, where its actors are created (gateway/composition/actors.ts).
 */
import type { ActorRef } from '../../runtime/actor/index.ts';
import type { CommitNotifier } from '../../storage/events/index.ts';

export interface WakeServices {
  readonly notifier: Pick<CommitNotifier, 'addListener'>;
  readonly tell: (to: ActorRef, command: string, payload: unknown) => void;
  /** Looks for all stitches that have open deliveries. */
  readonly scan: () => void;
}

export function wakeStitches({ notifier, tell, scan }: WakeServices): void {
  notifier.addListener({
    onDeliveries(stitchIds) {
      if (stitchIds === undefined) scan();
      else for (const id of stitchIds) tell({ kind: 'stitch', id }, 'wake', {});
    },
  });
}
