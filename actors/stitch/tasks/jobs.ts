/**
 * The tasks that a stitch's row stands for until they are done: cancel the open deliveries of a stitch that was stopped, mail its owner,
 * replay a span of time. Each tells the stitch when it is done, or asks for its next page; after a crash the stitch starts it again.
 */
import type { TaskContext } from '../../../runtime/actor/index.ts';
import { cancelDeliveries, readDeadLetters, replayEvents } from '../../../storage/deliveries/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { CancelRequest, ReplayPage } from '../commands.ts';
import type { StitchServices } from '../services.ts';
import type { OwnerNotification, ReplayJob } from '../state.ts';
import type { DeliverySender } from './sender.ts';

/** Deliveries that are cancelled in one statement. */
const cancelPageSize = 1_000;
/** Deliveries that a replay adds in one commit. */
const replayPageSize = 200;

/**
 * The task `cancel`. What has begun and is not out yet is not sent any more. Ends with the command `cancelled`, which says until when
 * everything is cancelled.
 */
export function createCancelTask(
  db: StitchServices['db'],
  retryPolicy: RetryPolicy,
  sender: Pick<DeliverySender, 'withdraw'>,
) {
  return async ({ until, except, stops }: CancelRequest, context: TaskContext): Promise<void> => {
    const stitchId = context.self.id;
    sender.withdraw(stitchId, stops);
    const cancelPage = (): Promise<number> =>
      cancelDeliveries(db, { stitchId, until, except, limit: cancelPageSize, now: context.now() });
    for (;;) {
      const count = await retryPolicy.retry('deliveries could not be cancelled', cancelPage);
      if (count < cancelPageSize) break;
    }
    await retryPolicy.retry('a stitch could not be told that its deliveries are cancelled', () =>
      context.ask(context.self, 'cancelled', { until, ...(except.length > 0 && { partly: true }) }),
    );
  };
}

/** The task `notifyOwner`. Ends with the command `ownerTold`. */
export function createNotifyTask(services: Pick<StitchServices, 'notifyOwner'>, retryPolicy: RetryPolicy) {
  /** Every sweep starts what is not done yet: one task at a time is enough. */
  const inFlight = new Set<string>();
  return async (notification: OwnerNotification, context: TaskContext): Promise<void> => {
    const { eventId } = notification;
    if (inFlight.has(eventId)) return;
    inFlight.add(eventId);
    try {
      await retryPolicy.retry('the owner of a stitch could not be notified', () =>
        services.notifyOwner(notification),
      );
      await retryPolicy.retry('a stitch could not be told that its owner is notified', () =>
        context.ask(context.self, 'ownerTold', { eventId }),
      );
    } finally {
      inFlight.delete(eventId);
    }
  };
}

/** The task `replay`. Ends with the command `replayPage`, from which the stitch starts the next page. */
export function createReplayTask(db: StitchServices['db'], retryPolicy: RetryPolicy) {
  return async (job: ReplayJob, context: TaskContext): Promise<void> => {
    const { id: jobId, after, onlyFailed } = job;
    const read = onlyFailed === true ? readDeadLetters : replayEvents;
    const { events, next } = await retryPolicy.retry('a page of a replay could not be read', () =>
      read(db, job, replayPageSize),
    );
    const page: ReplayPage = { jobId, after, events, next };
    await retryPolicy.retry('a stitch could not take a page of a replay', () =>
      context.ask(context.self, 'replayPage', page),
    );
  };
}
