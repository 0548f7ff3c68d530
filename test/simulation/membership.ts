/**
 * What membership costs a cluster by the number of its nodes: production's placement, membership, failure detection and leases of so many nodes
 * in virtual time, on a register and a bus in memory that count what passes. Nothing fails but what is meant to, and no shard has work: what is
 * counted is what a cluster pays for being one.
 */
import { LeasedPlacement } from '../../runtime/cluster/leased-placement.ts';
import { decodeMember, decodeShard, parseKey } from '../../runtime/cluster/records.ts';
import { Assignment, type Candidate } from '../../runtime/cluster/rendezvous.ts';
import { silentLog } from '../../runtime/observability/log.ts';
import { Metrics } from '../../runtime/observability/metrics.ts';
import type { NodeShards } from '../../runtime/placement/placement.ts';
import { defaultShardCount } from '../../runtime/placement/shards.ts';
import { PeersBus } from '../support/memory-peers.ts';
import { MemoryRegister, RegisterBus } from '../support/memory-register.ts';
import { seeded } from '../support/seeded.ts';
import { Machine } from './machine.ts';
import {
  CountedPeers,
  CountedRegister,
  latencyMs,
  type Kind,
  type Rates,
  Traffic,
} from './membership-traffic.ts';
import { Schedule } from './schedule.ts';

export interface MembershipOptions {
  readonly nodes: number;
  /** Default 256. */
  readonly shards?: number;
  /** How long the steady state is counted, in virtual seconds. Default 62.4: every node reads the register twelve times in it. */
  readonly seconds?: number;
  readonly seed?: number;
}

export interface MembershipResult {
  /** Messages a second of the whole cluster while nothing happens, and their bytes. */
  readonly steady: Rates;
  readonly steadyBytes: number;
  /** Processor time of a node, in parts of one processor: with what simulates its clock and its bus, without a client of NATS. Differs by run. */
  readonly processor: number;
  /** Messages a second over the ten seconds that begin when one more node starts, and when one is killed. */
  readonly joins: number;
  readonly dies: number;
  /** Until every shard has the owner that it should have, in virtual milliseconds. */
  readonly joinedMs: number;
  readonly tookOverMs: number;
}

/** Nodes start within this time, each at an instant of its own: their heartbeats are as far apart as in life. */
const startWithinMs = 2_000;
const eventMs = 10_000;
const lookMs = 10;
const giveUpMs = 300_000;

/** Shards without any work. */
function idleShards(count: number): NodeShards {
  const done = (): Promise<void> => Promise.resolve();
  return {
    count,
    writtenAt: Infinity,
    probe: () => undefined,
    serveUntil: () => undefined,
    take: done,
    waitUntilIdle: done,
    release: done,
  };
}

class SimulatedCluster {
  readonly schedule = new Schedule();
  readonly traffic = new Traffic();
  readonly #register = new RegisterBus();
  readonly #peers = new PeersBus();
  readonly #shards: number;
  readonly #seed: number;
  readonly #running = new Map<string, () => void>();
  #started = 0;
  #assignment: Assignment | undefined;

  constructor(shards: number, seed: number) {
    this.#shards = shards;
    this.#seed = seed;
  }

  /** One more node. Rejects where it cannot join, which ends the simulation. */
  start(): Promise<void> {
    const id = `node-${this.#started++}`;
    const machine = new Machine(id, this.schedule, 0, 1_000);
    const register = new MemoryRegister({
      bus: this.#register,
      clock: machine,
      latencyMs: () => latencyMs,
    });
    const peers = new CountedPeers(this.#peers, machine, this.traffic);
    const placement = new LeasedPlacement({
      id,
      release: '1.0.0',
      register: new CountedRegister(register, this.traffic),
      peers,
      clock: machine,
      random: seeded(this.#seed * 1_000 + this.#started),
      log: silentLog,
      metrics: new Metrics(),
    });
    this.#running.set(id, () => {
      machine.die();
      register.connected = false;
      peers.connected = false;
    });
    return placement.start(idleShards(this.#shards));
  }

  /** As by `kill -9`: the first node that still runs. */
  kill(): void {
    const [[id, end] = ['', () => undefined]] = this.#running;
    this.#running.delete(id);
    end();
  }

  /** Exactly the nodes that run are members, all are settled, and every shard is owned by the one that should own it. */
  get isSettled(): boolean {
    const members: Candidate[] = [];
    const owners = new Map<number, string>();
    for (const { key, value } of this.#register.entries) {
      const subject = parseKey(key);
      if (subject?.of === 'member') members.push({ id: subject.id, state: decodeMember(value).state });
      else if (subject?.of === 'shard') owners.set(subject.shard, decodeShard(value).owner);
    }
    if (members.length !== this.#running.size) return false;
    if (!members.every(({ id, state }) => state === 'settled' && this.#running.has(id))) return false;
    const assignment = (this.#assignment = new Assignment(members, this.#assignment));
    for (let shard = 0; shard < this.#shards; shard++) {
      if (owners.get(shard) !== assignment.pickOwner(shard)) return false;
    }
    return true;
  }

  /** Virtual milliseconds until it is settled. */
  async untilSettled(): Promise<number> {
    const { schedule } = this;
    const from = schedule.now;
    while (!this.isSettled) {
      if (schedule.now - from > giveUpMs) throw new Error(`not settled in ${giveUpMs} ms of virtual time`);
      await schedule.sleep(lookMs);
    }
    return schedule.now - from;
  }

  /** Counts what happens in the ten seconds from `event` on: messages a second, and when the cluster has settled again. */
  async during(event: () => void): Promise<{ readonly perSecond: number; readonly settledMs: number }> {
    const { schedule, traffic } = this;
    const from = { at: schedule.now, all: traffic.all };
    event();
    const settledMs = await this.untilSettled();
    await schedule.sleep(from.at + eventMs - schedule.now);
    return { perSecond: ((traffic.all - from.all) * 1_000) / (schedule.now - from.at), settledMs };
  }
}

/** The same for every run with the same options, but for `processor`. */
export async function simulateMembership(options: MembershipOptions): Promise<MembershipResult> {
  const { nodes, shards = defaultShardCount, seconds = 62.4, seed = 1 } = options;
  const cluster = new SimulatedCluster(shards, seed);
  const { schedule, traffic } = cluster;
  let result: MembershipResult | undefined;
  let failure: Error | undefined;
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
  };
  const start = (): void => void cluster.start().catch(fail);

  async function act(): Promise<MembershipResult> {
    const random = seeded(seed);
    for (let i = 0; i < nodes; i++) schedule.after(random.next() * startWithinMs, start);
    await schedule.sleep(startWithinMs);
    await cluster.untilSettled();
    const before = { messages: { ...traffic.messages }, bytes: traffic.bytes, used: process.cpuUsage() };
    await schedule.sleep(seconds * 1_000);
    const { user, system } = process.cpuUsage(before.used);
    const rate = (kind: Kind): number => (traffic.messages[kind] - before.messages[kind]) / seconds;
    const steady = {
      changes: rate('changes'),
      writes: rate('writes'),
      reads: rate('reads'),
      pings: rate('pings'),
    };
    const steadyBytes = (traffic.bytes - before.bytes) / seconds;
    const join = await cluster.during(start);
    const death = await cluster.during(() => cluster.kill());
    return {
      steady,
      steadyBytes,
      processor: (user + system) / 1e6 / seconds / nodes,
      joins: join.perSecond,
      dies: death.perSecond,
      joinedMs: join.settledMs,
      tookOverMs: death.settledMs,
    };
  }

  act().then(given => (result = given), fail);
  await schedule.run(() => {
    if (failure !== undefined) throw failure;
    return result !== undefined;
  }, Infinity);
  if (result === undefined) throw new Error('the simulation has no result');
  return result;
}
