/** Counts the faults in acknowledged messages, by the checkers of the cluster's tests. */
import type { Client } from '../../test/node/client.ts';
import { inspectThreads } from '../../test/node/history.ts';
import type { Load } from '../../test/cluster/support/load.ts';

export interface Verdict {
  /** Messages and threads. */
  readonly acknowledged: number;
  readonly lost: number;
  /** Stored more than once, or stored although no answer acknowledged it. */
  readonly doubled: number;
  /** Against the order of the answers, or with a gap in the numbers of their thread. */
  readonly outOfOrder: number;
  /** The first of these, for the terminal. */
  readonly faults: readonly string[];
}

/** Reads every thread of the project. Stop the loads before. */
export async function createVerdict(
  key: Client,
  projectId: string,
  loads: readonly Load[],
): Promise<Verdict> {
  const messages = loads.flatMap(load => load.messages);
  const threads = loads.flatMap(load => load.threads);
  const {
    threads: found,
    messages: history,
    gaps,
  } = await inspectThreads({ key, projectId }, { messages, threads });
  const lost = [...history.lost, ...found.missing];
  const doubled = [...history.doubled, ...history.invented, ...found.unexpected];
  const outOfOrder = [...history.disordered, ...gaps];
  return {
    acknowledged: messages.length + threads.length,
    lost: lost.length,
    doubled: doubled.length + found.doubled,
    outOfOrder: outOfOrder.length,
    faults: [...lost, ...doubled, ...outOfOrder].slice(0, 5),
  };
}
