/**
 * The turns of the work of a node's channels, fair to projects. After a start or a takeover the recovery scanner tells all channels that have
 * rows to work, so that thousands of tasks begin at once: their statements would time out in the queue for a connection, and all other reads
 * of the node with them, and their webhooks would fill its memory.
 */
import { FairSemaphore } from '../../runtime/admission/index.ts';
import type { Database } from '../../storage/database/index.ts';

/** Statements that have a connection or wait for one, of one project half of them at most: several times the connections for reads. */
const maxStatements = 64;
/**
 * Channels that work through webhooks, of one project half of them at most. Each holds a page that it brings to threads, which is parsed and
 * so several times its text, and the text of the next one, of 2 MiB each at most: some 16 MiB, and 1 GiB for all, if all pages are full.
 */
const maxWebhooks = 64;
/**
 * Files from the provider that lie in the temporary folder, of one project half of them at most: at 100 MiB each they fit into the 1 GiB
 * that a pod has there (deploy).
 */
export const maxFiles = 8;

export class ChannelTurns {
  // Channels have one task at work of each sort, or for a while two: the channels in memory bound how many wait.
  readonly statements = new FairSemaphore(maxStatements, Infinity);
  readonly webhooks = new FairSemaphore(maxWebhooks, Infinity);
  readonly files = new FairSemaphore(maxFiles, Infinity);

  /** The same database, of which each statement of `query` waits for its turn. */
  share(db: Pick<Database, 'query' | 'em'>, projectId: string): Pick<Database, 'query' | 'em'> {
    return {
      em: () => db.em(),
      query: <T extends object>(...statement: Parameters<Database['query']>): Promise<T[]> =>
        this.statements.run(projectId, undefined, () => db.query<T>(...statement)),
    };
  }
}
