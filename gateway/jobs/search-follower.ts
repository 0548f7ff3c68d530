/** Has the words of new messages taken up for searches, by one node of a cluster for all. */
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { followEvents } from '../../storage/search/index.ts';

/** Milliseconds between two calls: so late a message is found. */
const followIntervalMs = 5_000;

export interface SearchFollowerOptions {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'isLeader'>;
  readonly log: Log;
}

/** @returns stops it; resolves when a running call has ended */
export function startSearchFollower({ database, node, log }: SearchFollowerOptions): () => Promise<void> {
  let following: Promise<void> | undefined;
  const timer = setInterval(() => {
    if (following !== undefined || !node.isLeader) return;
    following = followEvents(database)
      .catch((err: unknown) => log.warn({ err }, 'the search is behind the messages; will retry'))
      .finally(() => (following = undefined));
  }, followIntervalMs);
  return () => {
    clearInterval(timer);
    return following ?? Promise.resolve();
  };
}
