/**
 * The turns of the work of a node's channels, fair to projects. After an outage, a start or a takeover thousands of channels have work at
 * once. The work is rows, and the node takes what it can do: as many tasks as there are turns run, some wait in memory, and all others end
 * at once. The recovery scanner brings their channels again when there is room (gateway/jobs).
 *
 * A task that waits for its provider has no turn meanwhile, so a provider that does not answer for one channel holds back no other.
 */
import { FairSemaphore } from '../../runtime/admission/index.ts';
import type { Database } from '../../storage/database/index.ts';
import type { Work } from './state.ts';

/** Statements that have a connection or wait for one, of one project half of them at most: several times the connections for reads. */
const maxStatements = 64;
/**
 * Tasks at work, of one project half of them at most. A task for webhooks holds a page that it brings to threads, which is parsed and so
 * several times its text, and the text of the next one, of 2 MiB each at most: some 16 MiB, and 1 GiB for all, if all pages are full.
 */
const maxTasks: Readonly<Record<Work, number>> = { webhooks: 64, sends: 256, files: 64 };
/** Tasks of each sort that wait for their turn. */
const maxWaiting = 4_096;
/** The scanner brings no more channels while so many tasks wait: hints need room, too. */
const manyWaiting = 500;
/** Messages that are in flight to the provider, and files that are fetched or wait for the temporary folder. */
const maxMessages = 4_096;
const maxFetches = 1_024;
/**
 * Files from the provider that lie in the temporary folder, of one project half of them at most: at 100 MiB each they fit into the 1 GiB
 * that a pod has there (deploy).
 */
export const maxFiles = 8;
/** Other tasks: looks at tokens, mails to owners, parked receipts and marks. Their reminders come again if there is no room. */
const maxOthers = 256;

export class ChannelTurns {
  // The tasks at work bound how many wait.
  readonly statements = new FairSemaphore(maxStatements, Infinity);
  readonly tasks: Readonly<Record<Work, FairSemaphore>> = {
    webhooks: new FairSemaphore(maxTasks.webhooks, maxWaiting),
    sends: new FairSemaphore(maxTasks.sends, maxWaiting),
    files: new FairSemaphore(maxTasks.files, maxWaiting),
  };
  readonly messages = new FairSemaphore(maxMessages, 0);
  readonly fetches = new FairSemaphore(maxFetches, 0);
  // The fetches bound how many wait.
  readonly files = new FairSemaphore(maxFiles, Infinity);
  readonly others = new FairSemaphore(maxOthers, maxWaiting);

  /** Whether the scanner may bring more channels with work of that sort. */
  hasRoom(work: Work): boolean {
    if (work === 'sends' && this.messages.taken >= maxMessages) return false;
    if (work === 'files' && this.fetches.taken >= maxFetches) return false;
    return this.tasks[work].waiting < manyWaiting;
  }

  /** The same database, of which each statement of `query` waits for its turn. */
  share(db: Pick<Database, 'query' | 'em'>, projectId: string): Pick<Database, 'query' | 'em'> {
    return {
      em: () => db.em(),
      query: <T extends object>(...statement: Parameters<Database['query']>): Promise<T[]> =>
        this.statements.run(projectId, undefined, () => db.query<T>(...statement)),
    };
  }
}
