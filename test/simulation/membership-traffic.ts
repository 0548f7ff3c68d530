/**
 * Counts what membership sends, and says what is to be expected of it. A message is one that NATS takes from a node or gives to one. Its bytes are
 * its subject and its content, without what NATS frames it with.
 */
import type { PingResult } from '../../runtime/cluster/cluster-context.ts';
import type { Change, Entry, Register } from '../../runtime/cluster/register.ts';
import { defaultTiming } from '../../runtime/cluster/timing.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import { defaultShardCount } from '../../runtime/placement/shards.ts';
import { MemoryPeers, type PeersBus } from '../support/memory-peers.ts';
import type { MemoryRegister } from '../support/memory-register.ts';

/**
 *   changes   of the register, to each node that watches it, which all do
 *   writes    of the register, and their answers
 *   reads     of the whole register, an entry each
 *   pings     and their answers, which pass NATS twice each
 */
export type Kind = 'changes' | 'writes' | 'reads' | 'pings';
export type Rates = Readonly<Record<Kind, number>>;

/** One way to the register and to a peer. */
export const latencyMs = 1;
const toSubject = (key: string): string => `$KV.skein_main.${key}`;
const pingSubject = 'skein.main.node.';
/** The subject of an answer to one client, and what JetStream answers to a write. */
const inboxBytes = 47;
const acknowledgementBytes = 60;

/** What is to be expected of the steady state, by the times of `runtime/cluster/timing.ts`. */
export function expectedRates(nodes: number, shards: number = defaultShardCount): Rates {
  const { heartbeatMs, pingMs, refreshMs } = defaultTiming;
  const beats = 1_000 / heartbeatMs;
  return {
    changes: beats * nodes ** 2,
    writes: beats * 2 * nodes,
    // Looked at with each round of pings: the first after it is due. All entries: nodes, shards, and the cluster's own.
    reads: (1_000 / (refreshMs + pingMs)) * nodes * (nodes + shards + 1),
    pings: (1_000 / pingMs) * nodes * Math.min(2, nodes - 1) * 4,
  };
}

export const sum = ({ changes, writes, reads, pings }: Rates): number => changes + writes + reads + pings;

export class Traffic {
  readonly messages = { changes: 0, writes: 0, reads: 0, pings: 0 };
  bytes = 0;

  count(kind: Kind, messages: number, bytes: number): void {
    this.messages[kind] += messages;
    this.bytes += bytes;
  }

  get all(): number {
    return sum(this.messages);
  }
}

/** The register as one node sees it, counted. */
export class CountedRegister implements Register {
  readonly #register: MemoryRegister;
  readonly #traffic: Traffic;

  constructor(register: MemoryRegister, traffic: Traffic) {
    this.#register = register;
    this.#traffic = traffic;
  }

  async entries(): Promise<readonly Entry[]> {
    const entries = await this.#register.entries();
    let bytes = 0;
    for (const { key, value } of entries) bytes += toSubject(key).length + value.length;
    this.#traffic.count('reads', entries.length, bytes);
    return entries;
  }

  create(key: string, value: string): Promise<number | undefined> {
    this.#countWrite(key, value);
    return this.#register.create(key, value);
  }

  update(key: string, value: string, revision: number): Promise<number | undefined> {
    this.#countWrite(key, value);
    return this.#register.update(key, value, revision);
  }

  remove(key: string, revision: number): Promise<boolean> {
    this.#countWrite(key, '');
    return this.#register.remove(key, revision);
  }

  watch(listener: (change: Change) => void): Promise<() => void> {
    return this.#register.watch(change => {
      this.#traffic.count('changes', 1, toSubject(change.key).length + (change.value?.length ?? 0));
      listener(change);
    });
  }

  #countWrite(key: string, value: string): void {
    const request = toSubject(key).length + inboxBytes + value.length;
    this.#traffic.count('writes', 2, request + inboxBytes + acknowledgementBytes);
  }
}

export class CountedPeers extends MemoryPeers {
  readonly #traffic: Traffic;

  constructor(bus: PeersBus, clock: Clock, traffic: Traffic) {
    super({ bus, clock, latencyMs: () => latencyMs });
    this.#traffic = traffic;
  }

  override async ping(name: string, timeoutMs: number): Promise<PingResult> {
    const result = await super.ping(name, timeoutMs);
    const request = pingSubject.length + name.length + inboxBytes;
    // Where nobody listens, NATS itself answers at once.
    if (result === 'here') this.#traffic.count('pings', 4, 2 * request + 2 * inboxBytes);
    else this.#traffic.count('pings', 2, request + inboxBytes);
    return result;
  }
}
