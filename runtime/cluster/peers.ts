/** How a node looks after the others: whether they answer, and whether it can itself be heard. */

/**
 *   here     it answered
 *   gone     nobody listens under that name: its connection is closed
 *   silent   no answer in time: it hangs, or the way is broken
 */
export type Sign = 'here' | 'gone' | 'silent';

export interface Peers {
  /** Answers pings for the given name, until the returned function is called. */
  answer(name: string): Promise<() => void>;
  /** Asks a node for a sign of life; never rejects. */
  ping(name: string, timeoutMs: number): Promise<Sign>;
  /** Whether this node can be heard: false from the moment in which its connection is known to be lost. */
  readonly connected: boolean;
  /** Calls back at each change of `connected`. After an outage, changes of the register and news may have been missed. */
  onConnection(listener: (connected: boolean) => void): () => void;
}
