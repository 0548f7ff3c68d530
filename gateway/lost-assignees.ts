/**
 * Threads do not wait for somebody who may not answer in them any more: who has left the workspace, or lost what they were in the
 * project or in its Console. Whatever the request that ended that has not done itself is found here, and done as the system's.
 */
import { system } from '../actors/system-actor.ts';
import type { Node } from '../runtime/node.ts';
import type { Database } from '../storage/database.ts';
import { seatsAfter, threadsOfSeat, type Seat } from '../storage/reads/assignees.ts';
import { unassign } from './unassign.ts';

/** Seats of one statement, and statements of one round: the next round goes on from there. */
const seatsAtOnce = 1_000;
const pages = 10;
/** Threads that are changed at once, and in one round. */
const threadsAtOnce = 50;
const mostThreads = 2_000;

const first: Seat = { projectId: '', environmentId: '', userId: '' };

export interface LostAssigneesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
}

export class LostAssignees {
  readonly #database: Pick<Database, 'query'>;
  readonly #node: Pick<Node, 'ask'>;
  #after = first;

  constructor({ database, node }: LostAssigneesOptions) {
    this.#database = database;
    this.#node = node;
  }

  /** One round. A thread that fails keeps no other waiting: rejects when all have had their turn. */
  async sweep(): Promise<void> {
    const errors: unknown[] = [];
    let left = mostThreads;
    for (let done = 0; done < pages && left > 0; done++) {
      const seats = await seatsAfter(this.#database, this.#after, seatsAtOnce);
      for (const seat of seats) {
        if (left <= 0) break;
        if (seat.isLost) left -= await this.#vacate(seat, left, errors);
        this.#after = seat;
      }
      if (left > 0 && seats.length < seatsAtOnce) {
        this.#after = first;
        break;
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} threads were not unassigned`);
  }

  /** Unassigns `most` threads, or a few more; gives how many. What is left over waits until the rounds come by again. */
  async #vacate(seat: Seat, most: number, errors: unknown[]): Promise<number> {
    for (let count = 0, after = ''; ;) {
      const threads = await threadsOfSeat(this.#database, seat, after, threadsAtOnce);
      errors.push(...(await unassign(this.#node, threads, seat.userId, system)));
      count += threads.length;
      if (threads.length < threadsAtOnce || count >= most) return count;
      after = threads.at(-1)?.threadId ?? '';
    }
  }
}
