/** Has the words of new messages taken up for searches, by one node of a cluster for all. */
import type { Node } from '../../runtime/node/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Database } from '../../storage/database/index.ts';
import { followEvents } from '../../storage/search/index.ts';

/** So late a message is found, where the follower keeps up. */
const intervalMs = 2_000;
/**
 * While it is behind it rests so many times as long as a call took, which leaves it some 3,400 events a second; while commits wait for the
 * database, so many times that they keep it: on two processors it cost them a tenth to an eighth of their rate (11,100 instead of 9,500 to
 * 10,000 messages a second, 60 instead of 95 microseconds of PostgreSQL for each).
 */
const restRatio = 1;
const restRatioUnderLoad = 12;
/** Commits of this node that wait or are in flight. */
const loadedDepth = 32;

export interface SearchFollowerOptions {
  readonly database: Pick<Database, 'query'>;
  readonly node: Pick<Node, 'isLeader'>;
  /** How many commits of this node wait or are in flight. */
  readonly countCommits: () => number;
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
async function follow({ database, node, countCommits, log }: SearchFollowerOptions): Promise<number> {
  if (!node.isLeader) return intervalMs;
  const start = performance.now();
  try {
    const isBehind = await followEvents(database);
    if (!isBehind) return intervalMs;
    const ratio = countCommits() >= loadedDepth ? restRatioUnderLoad : restRatio;
    return ratio * (performance.now() - start);
  } catch (err) {
    log.warn({ err }, 'the search is behind the messages; will retry');
    return intervalMs;
  }
}
