/**
 * The shards that a node owns and the actors that live on them.
 *
 * A shard:
 *
 *   foreign -> owned     `take`: the transport hands its commands to this node
 *   owned -> leaving     `release`: new commands find no owner here; what was admitted is finished
 *   leaving -> foreign   its actors are quiet and out of memory
 */
import { Activation } from './activation.ts';
import type { Timer } from './clock.ts';
import type { Host } from './host.ts';
import type { Kind } from './kind.ts';
import { Passivation } from './passivation.ts';
import { doneWithin } from './pause.ts';
import type { Shards } from './placement.ts';
import { Residents } from './residents.ts';
import type { Release, Serve, Transport } from './transport/transport.ts';

export interface TerritoryOptions {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly count: number;
  readonly transport: Transport;
  readonly host: Host;
  /** Answers what the transport brings. */
  readonly serve: Serve;
  /** Called when a shard begins to be served here, or all that are owned again, before any new command for it. */
  readonly taking: (shard?: number) => void;
  /** Called when a shard was taken. */
  readonly taken: () => void;
}

interface Resident {
  readonly residents: Residents;
  readonly activation: Activation;
}

export class Territory implements Shards {
  readonly count: number;
  readonly #options: TerritoryOptions;
  readonly #tables: ReadonlyMap<string, Residents>;
  readonly #passivation: Passivation;
  /** 1 for a shard that is owned. */
  readonly #owned: Uint8Array;
  readonly #releases = new Map<number, Release>();
  #ownedCount = 0;
  /** The lease: monotonic milliseconds. */
  #until = Infinity;
  #sweep: Timer | undefined;

  constructor(options: TerritoryOptions) {
    this.#options = options;
    this.count = options.count;
    this.#owned = new Uint8Array(options.count);
    this.#tables = new Map([...options.kinds].map(([name, kind]) => [name, new Residents(kind)]));
    this.#passivation = new Passivation([...this.#tables.values()], options.host.limits.residents);
  }

  /** Actors in memory. */
  get residents(): number {
    return this.#passivation.residents;
  }

  /** Shards that are owned now. */
  get ownedCount(): number {
    return this.#ownedCount;
  }

  /** The owned shards; undefined when they are all. */
  owned(): readonly number[] | undefined {
    if (this.#ownedCount === this.count) return undefined;
    const shards: number[] = [];
    this.#owned.forEach((owned, shard) => {
      if (owned === 1) shards.push(shard);
    });
    return shards;
  }

  /** Whether new commands for the shard are taken here: it is owned, and the lease holds. */
  owns(shard: number): boolean {
    return this.#owned[shard] === 1 && this.#leased();
  }

  serveUntil(monotonicMs: number): void {
    const wasLeased = this.#leased();
    this.#until = monotonicMs;
    if (wasLeased || !this.#leased()) return;
    this.#options.taking();
    // What was due meanwhile has been left alone.
    this.#options.taken();
  }

  /** The residents of a kind; undefined for an unknown one. */
  of(kind: string): Residents | undefined {
    return this.#tables.get(kind);
  }

  /** The actor, brought into memory if need be; undefined when it lives on another node. */
  find(residents: Residents, id: string): Activation | undefined {
    // A resident knows its shard, so the common path hashes nothing.
    const resident = residents.get(id);
    if (resident !== undefined) return this.owns(resident.shard) ? resident : undefined;
    const { kind } = residents;
    const shard = kind.shardOf(id);
    if (!this.owns(shard)) return undefined;
    this.#passivation.makeRoom();
    const activation = new Activation({ kind: kind.name, id }, shard, kind, this.#options.host);
    residents.add(activation);
    return activation;
  }

  async take(shard: number): Promise<void> {
    if (this.#owned[shard] !== 0) throw new RangeError(`shard ${shard} is owned already, or none`);
    this.#owned[shard] = 1;
    this.#ownedCount++;
    this.#options.taking(shard);
    try {
      this.#releases.set(shard, await this.#options.transport.serve(shard, this.#options.serve));
    } catch (error) {
      this.#disown(shard);
      throw error;
    }
    this.#options.taken();
  }

  async lull(shard: number, longestMs: number): Promise<void> {
    const { clock } = this.#options.host;
    const end = clock.monotonic() + longestMs;
    for (;;) {
      const busy = this.#residentsOf(new Set([shard])).filter(({ activation }) => !activation.quiet);
      const leftMs = end - clock.monotonic();
      if (busy.length === 0 || leftMs <= 0) return;
      await doneWithin(clock, leftMs, Promise.all(busy.map(({ activation }) => activation.whenQuiet())));
    }
  }

  async release(shards: readonly number[]): Promise<void> {
    const leaving = new Set(shards);
    for (const shard of leaving) {
      this.#disown(shard);
      // What still comes hears that the owner is not here; nobody waits until nothing comes any more.
      void this.#releases.get(shard)?.();
      this.#releases.delete(shard);
    }
    const left: Promise<void>[] = [];
    for (const { residents, activation } of this.#residentsOf(leaving)) {
      if (activation.quiet) this.#leave(residents, activation);
      else left.push(activation.whenQuiet().then(() => this.#leave(residents, activation)));
    }
    await Promise.all(left);
  }

  /** Begins to look for idle actors. */
  startSweeping(): void {
    const { host } = this.#options;
    this.#sweep = host.clock.after(host.limits.sweepMs, () => {
      host.tick++;
      this.#passivation.sweep(host.tick);
      this.startSweeping();
    });
  }

  stopSweeping(): void {
    this.#sweep?.cancel();
    this.#sweep = undefined;
  }

  /** The actors in memory that live on these shards. */
  #residentsOf(shards: ReadonlySet<number>): Resident[] {
    const found: Resident[] = [];
    for (const residents of this.#tables.values()) {
      for (const activation of residents.all()) {
        if (shards.has(activation.shard)) found.push({ residents, activation });
      }
    }
    return found;
  }

  /** Without a bound the clock is not asked: this is on the way of every command. */
  #leased(): boolean {
    return this.#until === Infinity || this.#options.host.clock.monotonic() < this.#until;
  }

  #disown(shard: number): void {
    if (this.#owned[shard] !== 1) return;
    this.#owned[shard] = 0;
    this.#ownedCount--;
  }

  #leave(residents: Residents, activation: Activation): void {
    // Taken back meanwhile, the shard keeps its actors.
    if (this.#owned[activation.shard] === 1 || !activation.quiet) return;
    activation.passivate();
    if (residents.get(activation.ref.id) === activation) residents.remove(activation.ref.id);
  }
}
