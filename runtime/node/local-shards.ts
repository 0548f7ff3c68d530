/**
 * The shards that a node owns, and the actors in memory that live on them.
 *
 * A shard:
 *
 *   foreign -> owned     `take`: the transport delivers its commands to this node
 *   owned -> leaving     `release`: new commands find no owner here; admitted ones are finished
 *   leaving -> foreign   its actors are idle and out of memory
 */
import { Activation, type ActorRef, type Kind, type NodeContext } from '../actor/index.ts';
import type { NodeShards } from '../placement/index.ts';
import { completesWithin, type Timer } from '../time/index.ts';
import type { EnvelopeHandler, Release, Transport } from '../transport/index.ts';
import { ActivationTable, Passivation } from './activation-table.ts';

export interface LocalShardsOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly count: number;
  readonly transport: Transport;
  readonly context: NodeContext;
  /** Handles the commands that the transport delivers. */
  readonly serve: EnvelopeHandler;
  /** Called before new commands are served for a shard that was taken, or again for all owned shards when `shard` is absent. */
  readonly onServing: (shard?: number) => void;
  /** Called when a shard was taken, or all owned shards are served again. */
  readonly onTaken: () => void;
}

/** An activation with its table. */
interface TableEntry {
  readonly table: ActivationTable;
  readonly activation: Activation;
}

/** An actor that has something to do. */
export interface BusyActor extends ActorRef {
  /** Commands that wait or are in flight. */
  readonly commands: number;
  /** For how long the oldest commit in flight has been under way, in milliseconds; null without one. */
  readonly committingMs: number | null;
}

export class LocalShards implements NodeShards {
  readonly count: number;
  readonly #options: LocalShardsOptions;
  readonly #tables: ReadonlyMap<string, ActivationTable>;
  readonly #passivation: Passivation;
  /** 1 for a shard that is owned. */
  readonly #owned: Uint8Array;
  readonly #releases = new Map<number, Release>();
  #ownedCount = 0;
  /** The end of the lease, in monotonic milliseconds. */
  #leasedUntil = Infinity;
  #sweepTimer: Timer | undefined;

  constructor(options: LocalShardsOptions) {
    this.#options = options;
    this.count = options.count;
    this.#owned = new Uint8Array(options.count);
    this.#tables = new Map([...options.kinds].map(([name, kind]) => [name, new ActivationTable(kind)]));
    this.#passivation = new Passivation([...this.#tables.values()], options.context.limits.activations);
  }

  get writtenAt(): number {
    return this.#options.context.store.writtenAt;
  }

  probe(): void {
    this.#options.context.store.probe();
  }

  /** Actors in memory. */
  get activations(): number {
    return this.#passivation.size;
  }

  /** The most commands of one actor that wait or are in flight: looks at every actor in memory, 0.1 s for a million of them. */
  get deepestMailbox(): number {
    let most = 0;
    for (const { byId } of this.#tables.values())
      for (const { depth } of byId.values()) if (depth > most) most = depth;
    return most;
  }

  /** Actors with commands that wait or are in flight, those with most first, and at most so many; as long as `deepestMailbox` takes. */
  listBusiest(limit: number): BusyActor[] {
    const busiest: Activation[] = [];
    for (const { byId } of this.#tables.values())
      for (const activation of byId.values()) insertByDepth(busiest, activation, limit);
    const now = this.#options.context.clock.monotonic();
    return busiest.map(({ ref, depth, committingSince }) => ({
      ...ref,
      commands: depth,
      committingMs: committingSince === undefined ? null : Math.max(0, Math.round(now - committingSince)),
    }));
  }

  /** How many shards are owned. */
  get ownedCount(): number {
    return this.#ownedCount;
  }

  /** The shards that are served: the owned ones, and none while the lease is not valid. Undefined when all of the cluster are. */
  listServed(): readonly number[] | undefined {
    if (!this.#isLeased()) return [];
    if (this.#ownedCount === this.count) return undefined;
    const shards: number[] = [];
    this.#owned.forEach((owned, shard) => {
      if (owned === 1) shards.push(shard);
    });
    return shards;
  }

  /** Whether new commands for the shard are served here: it is owned, and the lease is valid. */
  owns(shard: number): boolean {
    return this.#owned[shard] === 1 && this.#isLeased();
  }

  serveUntil(monotonicMs: number): void {
    const wasLeased = this.#isLeased();
    this.#leasedUntil = monotonicMs;
    if (wasLeased || !this.#isLeased()) return;
    this.#options.onServing();
    // Reminders that were due meanwhile have not been delivered.
    this.#options.onTaken();
  }

  /** The actors of a kind; undefined for an unknown kind. */
  getTable(kind: string): ActivationTable | undefined {
    return this.#tables.get(kind);
  }

  /** The actor, loaded into memory if need be; undefined when it lives on another node. */
  activate(table: ActivationTable, id: string): Activation | undefined {
    // An activation knows its shard, so the common path hashes nothing.
    const known = table.byId.get(id);
    if (known !== undefined) return this.owns(known.shard) ? known : undefined;
    const { kind } = table;
    const shard = kind.getShard(id);
    if (!this.owns(shard)) return undefined;
    this.#passivation.makeRoom();
    const activation = new Activation({ kind: kind.name, id }, shard, kind, this.#options.context);
    table.add(activation);
    return activation;
  }

  async take(shard: number): Promise<void> {
    if (this.#owned[shard] !== 0)
      throw new RangeError(`shard ${shard} cannot be taken: it is owned, or does not exist`);
    this.#owned[shard] = 1;
    this.#ownedCount++;
    this.#options.onServing(shard);
    try {
      this.#releases.set(shard, await this.#options.transport.serve(shard, this.#options.serve));
    } catch (error) {
      this.#disown(shard);
      throw error;
    }
    this.#options.onTaken();
  }

  async waitUntilIdle(shard: number, maxMs: number): Promise<void> {
    const { clock } = this.#options.context;
    const end = clock.monotonic() + maxMs;
    for (;;) {
      const busy = this.#listActivations(new Set([shard])).filter(({ activation }) => !activation.isIdle);
      const leftMs = end - clock.monotonic();
      if (busy.length === 0 || leftMs <= 0) return;
      await completesWithin(clock, leftMs, Promise.all(busy.map(({ activation }) => activation.whenIdle())));
    }
  }

  async release(shards: readonly number[]): Promise<void> {
    const leaving = new Set(shards);
    for (const shard of leaving) {
      this.#disown(shard);
      // Late commands are answered with NoOwner, so there is no need to wait for them.
      void this.#releases.get(shard)?.();
      this.#releases.delete(shard);
    }
    const finished: Promise<void>[] = [];
    for (const { table, activation } of this.#listActivations(leaving)) {
      if (activation.isIdle) this.#evict(table, activation);
      else finished.push(activation.whenIdle().then(() => this.#evict(table, activation)));
    }
    await Promise.all(finished);
  }

  /** The store may have gone back: idle actors leave memory, and the others load their snapshots before their next turn. */
  reload(): void {
    for (const table of this.#tables.values()) {
      if (!table.kind.stored) continue;
      for (const activation of table.byId.values()) {
        if (activation.isIdle) {
          activation.passivate();
          table.remove(activation.ref.id);
        } else activation.reload();
      }
    }
  }

  /** Starts the periodic check for idle actors. */
  startSweeping(): void {
    const { context } = this.#options;
    this.#sweepTimer = context.clock.after(context.limits.sweepMs, () => {
      context.sweeps++;
      this.#passivation.sweep(context.sweeps);
      this.startSweeping();
    });
  }

  stopSweeping(): void {
    this.#sweepTimer?.cancel();
    this.#sweepTimer = undefined;
  }

  /** The actors in memory that live on these shards. */
  #listActivations(shards: ReadonlySet<number>): TableEntry[] {
    const found: TableEntry[] = [];
    for (const table of this.#tables.values()) {
      for (const activation of table.byId.values()) {
        if (shards.has(activation.shard)) found.push({ table, activation });
      }
    }
    return found;
  }

  /** Every command passes here: without a bound the clock is not read. */
  #isLeased(): boolean {
    return this.#leasedUntil === Infinity || this.#options.context.clock.monotonic() < this.#leasedUntil;
  }

  #disown(shard: number): void {
    if (this.#owned[shard] !== 1) return;
    this.#owned[shard] = 0;
    this.#ownedCount--;
  }

  #evict(table: ActivationTable, activation: Activation): void {
    // A shard that was taken back meanwhile keeps its actors.
    if (this.#owned[activation.shard] === 1 || !activation.isIdle) return;
    activation.passivate();
    if (table.byId.get(activation.ref.id) === activation) table.remove(activation.ref.id);
  }
}

/** Keeps the list in the order of depth, deepest first, and no longer than `limit`. */
function insertByDepth(busiest: Activation[], activation: Activation, limit: number): void {
  const { depth } = activation;
  if (depth === 0 || (busiest.length >= limit && depth <= (busiest.at(-1)?.depth ?? 0))) return;
  const place = busiest.findIndex(other => other.depth < depth);
  busiest.splice(place < 0 ? busiest.length : place, 0, activation);
  if (busiest.length > limit) busiest.pop();
}
