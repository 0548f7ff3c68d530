/** The task `load`: looks for deliveries, in the log and in the table. */
import { FairSemaphore } from '../../../runtime/admission/index.ts';
import { BatchLoader } from '../../../runtime/time/index.ts';
import type { TaskContext } from '../../../runtime/actor/index.ts';
import {
  dueDeliveries,
  failedHeads,
  hasScheduledRows,
  nextDueAt,
  pendingDeliveries,
  type PendingPage,
  type PendingRequest,
} from '../../../storage/deliveries/index.ts';
import type { RetryPolicy } from '../../base/index.ts';
import type { LoadOrder, StitchCommands } from '../commands.ts';
import { maxHeads } from '../queue-load.ts';
import { holdMs, longestWaitOfHead } from '../schedule.ts';
import type { StitchServices } from '../services.ts';
import type { BodyCache } from './caches.ts';

/** The most bytes of bodies that one statement brings along. */
const bodyBytes = 1_048_576;
/** The most stitches in one statement. */
const maxConcurrent = 64;
/**
 * Loads at once, of one project half of them at most: more than the connections for reads are ever busy with. After a start or a takeover all
 * stitches load at once; the statements of thousands would time out in the queue for a connection.
 */
const maxLoads = 1_024;

type Loaded = StitchCommands['loaded']['payload'];

export class DeliveryLoader {
  readonly #db: StitchServices['db'];
  readonly #archived: StitchServices['archived'];
  readonly #followedLog: StitchServices['followedLog'];
  readonly #metrics: StitchServices['metrics'];
  readonly #bodies: BodyCache;
  readonly #retryPolicy: RetryPolicy;
  readonly #pendingPages: BatchLoader<PendingRequest, PendingPage>;
  // A stitch has one load, or after a reload a second one: the stitches in memory bound how many wait.
  readonly turns = new FairSemaphore(maxLoads, Infinity);

  constructor(
    {
      db,
      archived,
      followedLog,
      metrics,
      atTurnEnd,
    }: Pick<StitchServices, 'db' | 'archived' | 'followedLog' | 'metrics' | 'atTurnEnd'>,
    bodies: BodyCache,
    retryPolicy: RetryPolicy,
  ) {
    this.#db = db;
    this.#archived = archived;
    this.#followedLog = followedLog;
    this.#metrics = metrics;
    this.#bodies = bodies;
    this.#retryPolicy = retryPolicy;
    this.#pendingPages = new BatchLoader(
      requests => pendingDeliveries(this.#db, requests, bodyBytes),
      maxConcurrent,
      atTurnEnd,
    );
  }

  readonly load = async (order: LoadOrder, context: TaskContext): Promise<void> => {
    const { projectId } = order;
    const find = async (): Promise<Loaded | undefined> =>
      (await this.#archived.has(projectId)) ? undefined : this.#find(context.self.id, order, context.now());
    const loaded = await this.#retryPolicy.retry('deliveries could not be loaded', () =>
      this.turns.run(projectId, undefined, find),
    );
    if (loaded === undefined) {
      const { askedAt } = order.request;
      await this.#retryPolicy.retry('a stitch could not be postponed', () =>
        context.ask(context.self, 'postpone', { askedAt }),
      );
      return;
    }
    await this.#retryPolicy.retry('a stitch could not take its deliveries', () =>
      context.ask(context.self, 'loaded', loaded),
    );
  };

  async #find(stitchId: string, order: LoadOrder, now: number): Promise<Loaded> {
    const { request } = order;
    const { threads, before, rows, due, holds, oldRowsFirst } = request;
    const wantsDue = due > 0;
    // Not after the rows: those that are written meanwhile would be missed.
    const hasOldRows = oldRowsFirst && (await hasScheduledRows(this.#db, stitchId));
    const [events, ofThreads, pending, dueNow, next] = await Promise.all([
      request.events === null || hasOldRows
        ? undefined
        : this.#followedLog.readWanted({ ...order, stitchId, ...request.events }),
      this.#followedLog.readThreads({ ...order, stitchId }, threads, before),
      rows === null ? undefined : this.#pendingPages.load({ stitchId, ...rows }),
      wantsDue ? dueDeliveries(this.#db, stitchId, now, due) : [],
      wantsDue ? nextDueAt(this.#db, stitchId, now) : null,
    ]);
    if (events !== undefined) this.#metrics?.noteRead(stitchId, events.end, events.newest);
    // Not at once with the page: the node that had the stitch before may still commit that a delivery failed. A page from after that commit
    // has only what is behind that delivery in its thread, and holds from before it would let that overtake.
    const young = { since: now - holdMs, dueUntil: now + longestWaitOfHead };
    const heads = holds ? await failedHeads(this.#db, stitchId, young, maxHeads) : [];
    for (const page of [events, pending]) {
      for (const [deliveryId, body] of page?.bodies ?? []) this.#bodies.put(deliveryId, body);
    }
    return {
      request,
      nextDueAt: next,
      page: {
        events: events === undefined ? null : withoutBodies(events),
        threads: ofThreads,
        rows: pending === undefined ? null : withoutBodies(pending),
        hasOldRows,
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

/** The actor gets the deliveries; their bodies wait in the cache. */
function withoutBodies<T extends { readonly bodies: unknown; readonly newest?: number }>({
  bodies: _,
  newest: __,
  ...page
}: T): Omit<T, 'bodies' | 'newest'> {
  return page;
}
