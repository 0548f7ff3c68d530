/** Placements of several nodes on one register in virtual time, over shards that only remember what they were told. */
import assert from 'node:assert/strict';
import type { Clock, Random } from '../../../runtime/time/clock.ts';
import { LeasedPlacement, type LeasedPlacementOptions } from '../../../runtime/cluster/leased-placement.ts';
import { pickOwner } from '../../../runtime/cluster/rendezvous.ts';
import { decodeMember, decodeShard, parseKey } from '../../../runtime/cluster/records.ts';
import { defaultTiming } from '../../../runtime/cluster/timing.ts';
import { Metrics } from '../../../runtime/observability/metrics.ts';
import { pause } from '../../../runtime/time/pause.ts';
import type { NodeShards } from '../../../runtime/placement/placement.ts';
import { MemoryPeers, PeersBus } from '../../support/memory-peers.ts';
import { MemoryRegister, RegisterBus } from '../../support/memory-register.ts';
import { ProcessClock } from '../../support/process-clock.ts';
import { UnreliableRegister } from '../../support/unreliable-register.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { seeded } from '../../support/seeded.ts';
import { recordingLog, type LogLine } from '../node-fixture.ts';

/** Remembers what is served here; finishing a shard takes `finishMs`. `changed` is told when more may be served than before. */
export class FakeShards implements NodeShards {
  readonly count: number;
  readonly owned = new Set<number>();
  readonly #leaving = new Set<number>();
  readonly #clock: Clock;
  readonly #finishMs: () => number;
  readonly #changed: () => void;
  #until = Infinity;
  #writtenAt = -Infinity;
  takes = 0;
  /** Whether the store takes writes of this node. */
  canWrite = true;

  constructor(count: number, clock: Clock, finishMs: () => number, changed: () => void) {
    this.count = count;
    this.#clock = clock;
    this.#finishMs = finishMs;
    this.#changed = changed;
  }

  get writtenAt(): number {
    return this.#writtenAt;
  }

  probe(): void {
    const sentAt = this.#clock.monotonic();
    this.#clock.after(2, () => {
      if (this.canWrite) this.#writtenAt = sentAt;
    });
  }

  serves(shard: number): boolean {
    return this.owned.has(shard) && this.#clock.monotonic() < this.#until;
  }

  serveUntil(monotonicMs: number): void {
    this.#until = monotonicMs;
    this.#changed();
  }

  async take(shard: number): Promise<void> {
    assert.ok(!this.owned.has(shard) && !this.#leaving.has(shard), `calls for shard ${shard} overlap`);
    this.owned.add(shard);
    this.takes++;
    this.#changed();
  }

  async waitUntilIdle(): Promise<void> {
    const ms = this.#finishMs();
    if (ms > 0) await pause(this.#clock, Math.min(ms, defaultTiming.handoverIdleMs));
  }

  async release(shards: readonly number[]): Promise<void> {
    for (const shard of shards) {
      assert.ok(this.owned.delete(shard), `shard ${shard} is released that was not owned`);
      this.#leaving.add(shard);
    }
    const ms = this.#finishMs();
    if (ms > 0) await pause(this.#clock, ms);
    for (const shard of shards) this.#leaving.delete(shard);
  }
}

export interface MemoryClusterOptions {
  readonly shards?: number;
  /** One way to the register, and to a peer. */
  readonly latencyMs?: () => number;
  /** How long a released shard takes to finish. */
  readonly finishMs?: () => number;
  readonly timing?: LeasedPlacementOptions['timing'];
  /** The part of the writes to the register whose outcome is unknown, and of the changes that are not heard. Default 0. */
  readonly unsure?: number;
  readonly seed?: number;
}

/** A process that runs a placement. */
export class Process {
  readonly id: string;
  readonly clock: ProcessClock;
  readonly shards: FakeShards;
  readonly metrics = new Metrics();
  readonly log: LogLine[] = [];
  readonly register: MemoryRegister;
  readonly unsure: UnreliableRegister;
  readonly peers: MemoryPeers;
  readonly placement: LeasedPlacement;
  #isDead = false;

  constructor(cluster: MemoryCluster, id: string, options: Partial<LeasedPlacementOptions>) {
    const { clock, latencyMs, finishMs, count, random, timing } = cluster;
    this.id = id;
    this.clock = new ProcessClock(clock);
    this.shards = new FakeShards(count, this.clock, finishMs, () => cluster.check());
    this.register = new MemoryRegister({ bus: cluster.register, clock: this.clock, latencyMs });
    this.unsure = new UnreliableRegister({
      register: this.register,
      clock,
      random,
      latestMs: 4_000,
      unsure: () => cluster.unsure,
    });
    this.peers = new MemoryPeers({ bus: cluster.peers, clock: this.clock, latencyMs });
    this.placement = new LeasedPlacement({
      id,
      release: '1.0.0',
      register: this.unsure,
      peers: this.peers,
      clock: this.clock,
      random,
      log: recordingLog(this.log),
      metrics: this.metrics,
      timing,
      ...options,
    });
  }

  start(): Promise<void> {
    return this.placement.start(this.shards);
  }

  /** The connection is lost, or back. */
  set connected(connected: boolean) {
    if (this.#isDead) return;
    this.register.connected = connected;
    this.peers.connected = connected;
  }

  /** As by `kill -9`. */
  kill(): void {
    this.clock.kill();
    this.shards.serveUntil(0);
    this.connected = false;
    this.#isDead = true;
  }

  /** As by SIGSTOP. */
  stop(): void {
    this.clock.stop();
    this.peers.hung = true;
  }

  /** As by SIGCONT. */
  resume(): void {
    this.peers.hung = false;
    this.clock.resume();
  }
}

export class MemoryCluster {
  readonly clock = new VirtualClock();
  readonly register = new RegisterBus();
  readonly peers = new PeersBus();
  readonly count: number;
  readonly latencyMs: () => number;
  readonly finishMs: () => number;
  readonly timing: NonNullable<LeasedPlacementOptions['timing']>;
  readonly random: Random;
  unsure: number;
  readonly processes: Process[] = [];
  /** Moments in which a shard was served twice. */
  readonly offences: string[] = [];

  constructor({
    shards = 16,
    latencyMs = () => 0,
    finishMs = () => 0,
    timing = {},
    unsure = 0,
    seed = 1,
  }: MemoryClusterOptions = {}) {
    this.count = shards;
    this.latencyMs = latencyMs;
    this.finishMs = finishMs;
    this.timing = timing;
    this.unsure = unsure;
    this.random = seeded(seed);
  }

  process(id: string, options: Partial<LeasedPlacementOptions> = {}): Process {
    const made = new Process(this, id, options);
    this.processes.push(made);
    return made;
  }

  /** A process that has started. */
  async started(id: string, options: Partial<LeasedPlacementOptions> = {}): Promise<Process> {
    const made = this.process(id, options);
    await this.clock.until(made.start());
    return made;
  }

  /** The ids of those who serve the shard. */
  servers(shard: number): string[] {
    return this.processes.filter(({ shards }) => shards.serves(shard)).map(({ id }) => id);
  }

  /** What no moment may show: a shard that is served twice. */
  check(): void {
    for (let shard = 0; shard < this.count; shard++) {
      const servers = this.servers(shard);
      if (servers.length > 1) this.offences.push(`shard ${shard} is served by ${servers.join(' and ')}`);
    }
  }

  /** Milliseconds until every shard is served; throws when that takes more than `maxMs`. */
  async untilServed(maxMs = 10_000): Promise<number> {
    for (let ms = 0; ms <= maxMs; ms++) {
      const served = Array.from({ length: this.count }, (_, shard) => this.servers(shard).length === 1);
      if (served.every(Boolean)) return ms;
      await this.clock.advance(1);
    }
    throw new Error(`not every shard is served after ${maxMs} ms`);
  }

  /** The members by the register, with their states. */
  members(): Record<string, string> {
    const members = this.register.entries.flatMap(({ key, value }) => {
      const subject = parseKey(key);
      return subject?.of === 'member' ? [[subject.id, decodeMember(value).state]] : [];
    });
    return Object.fromEntries(members) as Record<string, string>;
  }

  /** The owners of the shards by the register; whether they are members is another question. */
  owners(): (string | undefined)[] {
    const owners: (string | undefined)[] = Array.from({ length: this.count }, () => undefined);
    for (const { key, value } of this.register.entries) {
      const subject = parseKey(key);
      if (subject?.of === 'shard') owners[subject.shard] = decodeShard(value).owner;
    }
    return owners;
  }
}

/** A millisecond each way. */
export const latencyMs = (): number => 1;

export interface Trio {
  readonly cluster: MemoryCluster;
  readonly one: Process;
  readonly two: Process;
  readonly three: Process;
}

/** Three settled nodes, each of which serves its share. */
export async function trio(options: MemoryClusterOptions = {}): Promise<Trio> {
  const cluster = new MemoryCluster({ latencyMs, ...options });
  const [one, two, three] = [cluster.process('one'), cluster.process('two'), cluster.process('three')];
  await cluster.clock.until(Promise.all([one.start(), two.start(), three.start()]));
  await cluster.clock.advance(4_000);
  return { cluster, one, two, three };
}

/** The owners that the shards should have. */
export function share(cluster: MemoryCluster, ...ids: string[]): (string | undefined)[] {
  const members = ids.map(id => ({ id, state: 'settled' as const }));
  return Array.from({ length: cluster.count }, (_, shard) => pickOwner(members, shard));
}

/** The shards that the process serves. */
export function served(cluster: MemoryCluster, { shards }: Process): number[] {
  return [...Array(cluster.count).keys()].filter(shard => shards.serves(shard));
}

export function total(processes: readonly Process[], counter: keyof Process['metrics']['counters']): number {
  return processes.reduce((sum, { metrics }) => sum + metrics.counters[counter], 0);
}
