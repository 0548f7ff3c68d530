/** The task `load`: looks for deliveries, with one statement for all stitches that ask in one turn of the event loop. */
import { BatchLoader } from '../../../runtime/time/index.ts';
import type { TaskContext } from '../../../runtime/actor/index.ts';
import {
  dueDeliveries,
  failedHeads,
  nextDueAt,
  pendingDeliveries,
  type PendingPage,
  type PendingRequest,
} from '../../../storage/deliveries/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { StitchCommands } from '../commands.ts';
import { maxHeld, type LoadRequest } from '../queue-load.ts';
import { holdMs } from '../schedule.ts';
import type { StitchServices } from '../services.ts';
import type { BodyCache } from './caches.ts';

/** The most bytes of bodies that one statement brings along. */
const bodyBytes = 1_048_576;
/** The most stitches in one statement. */
const maxConcurrent = 64;

type Loaded = StitchCommands['loaded']['payload'];

export class DeliveryLoader {
  readonly #db: StitchServices['db'];
  readonly #bodies: BodyCache;
  readonly #retryPolicy: RetryPolicy;
  readonly #pendingPages: BatchLoader<PendingRequest, PendingPage>;

  constructor(db: StitchServices['db'], bodies: BodyCache, retryPolicy: RetryPolicy) {
    this.#db = db;
    this.#bodies = bodies;
    this.#retryPolicy = retryPolicy;
    this.#pendingPages = new BatchLoader(
      requests => pendingDeliveries(this.#db, requests, bodyBytes),
      maxConcurrent,
    );
  }

  readonly load = async (request: LoadRequest, context: TaskContext): Promise<void> => {
    const loaded = await this.#retryPolicy.retry('deliveries could not be loaded', () =>
      this.#find(context.self.id, request, context.now()),
    );
    await this.#retryPolicy.retry('a stitch could not take its deliveries', () =>
      context.ask(context.self, 'loaded', loaded),
    );
  };

  async #find(stitchId: string, request: LoadRequest, now: number): Promise<Loaded> {
    const { from, blocked, pending, due, holds } = request;
    const wantsDue = due > 0;
    const [page, dueNow, next] = await Promise.all([
      pending > 0 ? this.#pendingPages.load({ stitchId, from, blocked, limit: pending }) : undefined,
      wantsDue ? dueDeliveries(this.#db, stitchId, now, due) : [],
      wantsDue ? nextDueAt(this.#db, stitchId, now) : null,
    ]);
    // Not at once with the page: the node that had the stitch before may still commit that a delivery failed. A page from after that commit
    // has only what is behind that delivery in its thread, and holds from before it would let that overtake.
    const heads = holds ? await failedHeads(this.#db, stitchId, now - holdMs, maxHeld) : [];
    for (const [deliveryId, body] of page?.bodies ?? []) this.#bodies.put(deliveryId, body);
    return {
      request,
      nextDueAt: next,
      page: {
        pending: page?.deliveries ?? [],
        end: page?.end ?? from,
        more: page?.more ?? false,
        due: dueNow,
        moreDue: dueNow.length > 0 && dueNow.length >= due,
        holds: heads.map(({ threadId, seq, firstAttemptAt }) => ({
          threadId,
          seq,
          until: firstAttemptAt + holdMs,
        })),
      },
    };
  }
}
