/** The task `cancel`: ends the open deliveries of a stitch that was disabled or archived. */
import type { TaskContext } from '../../../runtime/actor.ts';
import { cancelDeliveries } from '../../../storage/cancel-deliveries.ts';
import type { CancelOrder } from '../commands.ts';
import type { Patience } from '../../patience.ts';
import type { StitchServices } from './services.ts';

/** Deliveries cancelled in one statement. */
const pageSize = 1_000;

/** Ends with the command `cancelled`, which says until when everything is cancelled. */
export function canceller(db: StitchServices['db'], patience: Patience) {
  return async ({ until, except }: CancelOrder, context: TaskContext): Promise<void> => {
    const order = { stitchId: context.self.id, until, except, limit: pageSize };
    const cancelPage = (): Promise<number> => cancelDeliveries(db, { ...order, now: context.now() });
    const what = 'deliveries could not be cancelled';
    while ((await patience.until(what, cancelPage)) === pageSize);
    await patience.until('a stitch did not hear that its deliveries are cancelled', () =>
      context.ask(context.self, 'cancelled', { until }),
    );
  };
}
