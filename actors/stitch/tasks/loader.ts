/** The task `load`: looks for deliveries, for all stitches that ask in one turn of the event loop with one statement. */
import type { TaskContext } from '../../../runtime/actor.ts';
import {
  dueDeliveries,
  failedHeads,
  nextDueAt,
  pendingDeliveries,
  type PendingPage,
  type PendingRequest,
} from '../../../storage/reads/open-deliveries.ts';
import type { StitchCommands } from '../commands.ts';
import { mostHeld, type LoadRequest } from '../load.ts';
import { holdMs } from '../schedule.ts';
import type { Bodies } from './bodies.ts';
import type { Patience } from '../../patience.ts';
import type { StitchServices } from './services.ts';

/** Bodies that one statement may bring along, in bytes. */
const bodyBytes = 1_048_576;
/** Most stitches in one statement. */
const mostAtOnce = 64;

interface Asker {
  readonly request: PendingRequest;
  readonly resolve: (page: PendingPage) => void;
  readonly reject: (error: unknown) => void;
}

type Loaded = StitchCommands['loaded']['payload'];

export class Loader {
  readonly #db: StitchServices['db'];
  readonly #bodies: Bodies;
  readonly #patience: Patience;
  #askers: Asker[] = [];

  constructor(db: StitchServices['db'], bodies: Bodies, patience: Patience) {
    this.#db = db;
    this.#bodies = bodies;
    this.#patience = patience;
  }

  readonly load = async (request: LoadRequest, context: TaskContext): Promise<void> => {
    const loaded = await this.#patience.until('deliveries could not be loaded', () =>
      this.#find(context.self.id, request, context.now()),
    );
    await this.#patience.until('a stitch did not take its deliveries', () =>
      context.ask(context.self, 'loaded', loaded),
    );
  };

  async #find(stitchId: string, request: LoadRequest, now: number): Promise<Loaded> {
    const { from, blocked, pending, due, holds } = request;
    const wantsDue = due > 0;
    const [page, dueNow, next, heads] = await Promise.all([
      pending > 0 ? this.#pending({ stitchId, from, blocked, limit: pending }) : undefined,
      wantsDue ? dueDeliveries(this.#db, stitchId, now, due) : [],
      wantsDue ? nextDueAt(this.#db, stitchId, now) : null,
      holds ? failedHeads(this.#db, stitchId, now - holdMs, mostHeld) : [],
    ]);
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

  #pending(request: PendingRequest): Promise<PendingPage> {
    return new Promise((resolve, reject) => {
      if (this.#askers.length === 0) setImmediate(() => this.#flush());
      this.#askers.push({ request, resolve, reject });
    });
  }

  #flush(): void {
    const askers = this.#askers;
    this.#askers = [];
    for (let i = 0; i < askers.length; i += mostAtOnce) void this.#ask(askers.slice(i, i + mostAtOnce));
  }

  async #ask(askers: readonly Asker[]): Promise<void> {
    try {
      const requests = askers.map(({ request }) => request);
      const pages = await pendingDeliveries(this.#db, requests, bodyBytes);
      pages.forEach((page, index) => askers[index]?.resolve(page));
    } catch (error) {
      for (const { reject } of askers) reject(error);
    }
  }
}
