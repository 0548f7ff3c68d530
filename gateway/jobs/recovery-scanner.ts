/**
 * Finds actors whose wake-up was lost, with a node or in transit, and wakes them: stitches with deliveries to make, and channels with
 * work of one sort (webhooks of their provider, messages for it). Each has a scanner of its own.
 *
 *   idle -> due            a scan was requested; requests within a moment share one scan
 *   due -> scanning        a round: page by page, through all actors that have work
 *   scanning -> idle       and due again after a while, without a request
 *
 * A node of a cluster scans for the actors that it owns: when it takes over their shards, and every 30 s. Where it is not known
 * which of them have work (after a commit of unknown outcome, or notifications missed during an outage), it wakes all of them,
 * whichever node owns them.
 */
import { type Clock, pause, type Timer } from '../../runtime/time/index.ts';
import type { Log } from '../../runtime/observability/index.ts';

const scanIntervalMs = 30_000;
/** Shards are taken over in bursts: one scan serves all of them. */
const coalesceMs = 100;
const pageSize = 500;
/** After a page, before the next look whether there is room: woken actors take a moment to begin. */
const roomMs = 100;

/** The pages of one round. */
export type Pages = AsyncIterable<readonly string[]>;

/** A round whose pages are found one by one: the next actors with work, in the order of their ids, after the given one. */
export async function* findPages(
  find: (limit: number, after: string) => Promise<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  for (let after = ''; ;) {
    const found = await find(pageSize, after);
    yield found;
    if (found.length < pageSize) return;
    after = found.at(-1) ?? after;
  }
}

/** Which actors a scan wakes: those that this node owns, or all. */
export type ScanScope = 'owned' | 'all';

export interface RecoveryScannerOptions {
  /** Begins a round: the actors with work. It is read to its end unless the scanner is stopped or it rejects. */
  readonly find: () => Pages;
  /** Whether this node owns the actor. */
  readonly isOwned: (id: string) => boolean;
  /** Tells an actor to take its work up. */
  readonly wake: (id: string) => void;
  /** Whether this node has room for the work of more actors: each page waits until it has. Default: it always has. */
  readonly hasRoom?: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

export class RecoveryScanner {
  readonly #options: RecoveryScannerOptions;
  #timer: Timer | undefined;
  /** Undefined: no scan was requested. */
  #dueScope: ScanScope | undefined;
  #scanning = false;
  #stopped = false;

  constructor(options: RecoveryScannerOptions) {
    this.#options = options;
  }

  /** Requests a scan, which starts in a moment, or after the one that is running. */
  scanSoon(scope: ScanScope): void {
    if (this.#dueScope !== 'all') this.#dueScope = scope;
    if (!this.#scanning) this.#after(coalesceMs);
  }

  /** Starts no more scans. Idempotent. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  #after(ms: number): void {
    this.#timer?.cancel();
    if (!this.#stopped) this.#timer = this.#options.clock.after(ms, () => void this.#go());
  }

  async #go(): Promise<void> {
    const scope = this.#dueScope ?? 'owned';
    this.#dueScope = undefined;
    this.#scanning = true;
    try {
      await this.#scan(scope);
    } catch (err) {
      this.#options.log.warn({ err }, 'the scan for actors with work failed; will retry');
    }
    this.#scanning = false;
    this.#after(this.#dueScope === undefined ? scanIntervalMs : coalesceMs);
  }

  async #scan(scope: ScanScope): Promise<void> {
    const { find, isOwned, wake, hasRoom, clock } = this.#options;
    for await (const found of find()) {
      while (hasRoom?.() === false && !this.#stopped) await pause(clock, roomMs);
      if (this.#stopped) return;
      for (const id of found) if (scope === 'all' || isOwned(id)) wake(id);
      if (hasRoom !== undefined && found.length > 0) await pause(clock, roomMs);
    }
  }
}
