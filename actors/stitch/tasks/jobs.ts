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
 * What is under way, by name. Every scan and every activation of a stitch starts what its row stands for (`resume`), and such a task tries for
 * as long as the node lives: without this, each would have one loop more on the node's few connections.
 */
class SingleFlight {
  readonly #names = new Set<string>();

  /** Does the work, unless that of the same name is under way, which then does it. */
  async run(name: string, work: () => Promise<void>): Promise<void> {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    try {
      await work();
    } finally {
      this.#names.delete(name);
    }
  }
}

/**
 * The task `cancel`. What has begun and is not out yet is not sent any more. Ends with the command `cancelled`, which says until when
 * everything is cancelled.
 */
export function createCancelTask(
  db: StitchServices['db'],
  retryPolicy: RetryPolicy,
  sender: Pick<DeliverySender, 'withdraw'>,
) {
  const singleFlight = new SingleFlight();
  return async ({ until, except, stops }: CancelRequest, context: TaskContext): Promise<void> => {
    const stitchId = context.self.id;
    const isPartial = except.length > 0;
    sender.withdraw(stitchId, stops);
    const cancelPage = (): Promise<number> =>
      cancelDeliveries(db, { stitchId, until, except, limit: cancelPageSize, now: context.now() });
    // One that leaves out what is in flight ends no stop: the one that does so need not wait for it.
    await singleFlight.run(`${stitchId} ${until} ${stops} ${isPartial}`, async () => {
      for (;;) {
        const count = await retryPolicy.retry('deliveries could not be cancelled', cancelPage);
        if (count < cancelPageSize) break;
      }
      await retryPolicy.retry('a stitch could not be told that its deliveries are cancelled', () =>
        context.ask(context.self, 'cancelled', { until, ...(isPartial && { partly: true }) }),
      );
    });
  };
}

/** The task `notifyOwner`. Ends with the command `ownerTold`. */
export function createNotifyTask(services: Pick<StitchServices, 'notifyOwner'>, retryPolicy: RetryPolicy) {
  const singleFlight = new SingleFlight();
  return async (notification: OwnerNotification, context: TaskContext): Promise<void> => {
    const { eventId } = notification;
    await singleFlight.run(eventId, async () => {
      await retryPolicy.retry('the owner of a stitch could not be notified', () =>
        services.notifyOwner(notification),
      );
      await retryPolicy.retry('a stitch could not be told that its owner is notified', () =>
        context.ask(context.self, 'ownerTold', { eventId }),
      );
    });
  };
}

/** The task `replay`. Ends with the command `replayPage`, from which the stitch starts the next page. */
export function createReplayTask(db: StitchServices['db'], retryPolicy: RetryPolicy) {
  const singleFlight = new SingleFlight();
  return async (job: ReplayJob, context: TaskContext): Promise<void> => {
    const { id: jobId, after, onlyFailed } = job;
    const read = onlyFailed === true ? readDeadLetters : replayEvents;
    // Page by page: the stitch starts the next one before it answers.
    await singleFlight.run(`${context.self.id} ${jobId} ${JSON.stringify(after)}`, async () => {
      const { events, next } = await retryPolicy.retry('a page of a replay could not be read', () =>
        read(db, job, replayPageSize),
      );
      const page: ReplayPage = { jobId, after, events, next };
      await retryPolicy.retry('a stitch could not take a page of a replay', () =>
        context.ask(context.self, 'replayPage', page),
      );
    });
  };
}
