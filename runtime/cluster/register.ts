/**
 * The register that all nodes of a cluster share: a small key-value store with compare-and-set, in which memberships and leases
 * are written. JetStream KV in production (nats-register.ts); one conformance suite (test/runtime/register.conformance.ts)
 * holds every implementation.
 */

export interface Entry {
  readonly key: string;
  readonly value: string;
  /** Grows with every change of any key; never given twice. */
  readonly revision: number;
}

/** What a watcher is told: the key's new value, or that it was removed. */
export type Change = Entry | { readonly key: string; readonly value: undefined; readonly revision: number };

/** All methods reject with {@link RegisterUnavailable} while the register cannot be reached. */
export interface Register {
  entries(): Promise<readonly Entry[]>;
  /** The new entry's revision; undefined when the key exists. A key that was removed can be created again. */
  create(key: string, value: string): Promise<number | undefined>;
  /** The new revision; undefined when the key stands at another revision than the given one, or does not exist. */
  update(key: string, value: string, revision: number): Promise<number | undefined>;
  /** False when the key stands at another revision than the given one, or does not exist. */
  remove(key: string, revision: number): Promise<boolean>;
  /**
   * Calls back with every change from now on, those of this node included, in the order of revisions. What happens while the
   * connection is lost may be missed: read `entries` again when it is back ({@link ../cluster/peers.ts}). The returned function ends it.
   */
  watch(listener: (change: Change) => void): Promise<() => void>;
}

/**
 * No answer: what was asked for may have happened, or may yet happen. Whoever wrote reads the key, and knows its own value
 * by what is in it.
 */
export class RegisterUnavailable extends Error {
  override readonly name = 'RegisterUnavailable';
}
