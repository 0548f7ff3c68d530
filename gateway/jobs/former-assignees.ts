/**
 * Unassigns threads from users who may no longer answer in them, because they left the workspace or lost their role in the project
 * or its Console. The request that removed them unassigns most of their threads itself; this job finds the rest, and acts as the
 * system.
 */
import { access } from '../../protocol/operations/index.ts';
import { systemActor } from '../../actors/base/index.ts';
import type { Node } from '../../runtime/node/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { type Assignee, listAssignedThreads, listAssignees } from '../../storage/reads/index.ts';
import { unassign } from './unassign.ts';

/** Assignees in one page, and pages in one round. The next round continues from the last one. */
const assigneePageSize = 1_000;
const pagesPerRound = 10;
/** Threads that are changed concurrently, and in one round. */
const threadPageSize = 50;
const threadsPerRound = 2_000;

const beginning: Assignee = { projectId: '', environmentId: '', userId: '' };

export interface FormerAssigneesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'ask'>;
}

export class FormerAssignees {
  readonly #database: Pick<Database, 'query'>;
  readonly #node: Pick<Node, 'ask'>;
  #after = beginning;

  constructor({ database, node }: FormerAssigneesOptions) {
    this.#database = database;
    this.#node = node;
  }

  /** One round. A thread that fails does not stop the others: rejects with all errors at the end of the round. */
  async sweep(): Promise<void> {
    const errors: unknown[] = [];
    let left = threadsPerRound;
    for (let page = 0; page < pagesPerRound && left > 0; page++) {
      const assignees = await listAssignees(
        this.#database,
        this.#after,
        access.writeThreads,
        assigneePageSize,
      );
      for (const assignee of assignees) {
        if (left <= 0) break;
        if (assignee.hasLostAccess) left -= await this.#unassignThreads(assignee, left, errors);
        this.#after = assignee;
      }
      if (left > 0 && assignees.length < assigneePageSize) {
        this.#after = beginning;
        break;
      }
    }
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} threads were not unassigned`);
  }

  /** Unassigns `limit` threads, or up to a page more, and returns how many. The rest is left to a later round. */
  async #unassignThreads(assignee: Assignee, limit: number, errors: unknown[]): Promise<number> {
    for (let count = 0, after = ''; ;) {
      const threads = await listAssignedThreads(this.#database, assignee, after, threadPageSize);
      errors.push(...(await unassign(this.#node, threads, assignee.userId, systemActor)));
      count += threads.length;
      if (threads.length < threadPageSize || count >= limit) return count;
      after = threads.at(-1)?.threadId ?? '';
    }
  }
}
