/** Has the words of new messages taken up for searches, by one node of a cluster for all. */
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { followEvents } from '../../storage/search/index.ts';

/** So late a message is found, where the follower keeps up. */
const intervalMs = 2_000;
/** While it is behind: so many times as long as a call took it rests, so that the messages that come meanwhile keep the database. 3,400 events a second. */
const restRatio = 1;

export interface SearchFollowerOptions {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'isLeader'>;
  readonly log: Log;
}

/** @returns stops it; resolves when a running call has ended */
export function startSearchFollower(options: SearchFollowerOptions): () => Promise<void> {
  let isStopped = false;
  let following = Promise.resolve();
  let timer: NodeJS.Timeout;
  const callIn = (waitMs: number): void => {
    timer = setTimeout(() => void (following = call()), waitMs);
  };
  const call = async (): Promise<void> => {
    const waitMs = await follow(options);
    if (!isStopped) callIn(waitMs);
  };
  callIn(intervalMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
    return following;
  };
}

/** Gives the milliseconds until the next call. */
async function follow({ database, node, log }: SearchFollowerOptions): Promise<number> {
  if (!node.isLeader) return intervalMs;
  const start = performance.now();
  try {
    const isBehind = await followEvents(database);
    return isBehind ? restRatio * (performance.now() - start) : intervalMs;
  } catch (err) {
    log.warn({ err }, 'the search is behind the messages; will retry');
    return intervalMs;
  }
}
