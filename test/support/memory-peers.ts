/** Peers that share a process, in virtual time. */
import type { Clock } from '../../runtime/time/clock.ts';
import type { Peers, PingResult } from '../../runtime/cluster/cluster-context.ts';

/** What the nodes share: who answers under which name. */
export class PeersBus {
  readonly names = new Map<string, MemoryPeers>();
}

export interface MemoryPeersOptions {
  readonly bus: PeersBus;
  readonly clock: Clock;
  /** One way, in milliseconds; asked for each message. Default 0. */
  readonly latencyMs?: () => number;
}

/** The peers as one node sees them. */
export class MemoryPeers implements Peers {
  /** Its process is stopped: it answers nothing. */
  hung = false;
  readonly #bus: PeersBus;
  readonly #clock: Clock;
  readonly #latencyMs: () => number;
  readonly #listeners = new Set<(connected: boolean) => void>();
  #connected = true;

  constructor({ bus, clock, latencyMs = () => 0 }: MemoryPeersOptions) {
    this.#bus = bus;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  get connected(): boolean {
    return this.#connected;
  }

  set connected(connected: boolean) {
    if (connected === this.#connected) return;
    this.#connected = connected;
    for (const listener of this.#listeners) listener(connected);
  }

  answerPings(name: string): Promise<() => void> {
    this.#bus.names.set(name, this);
    return Promise.resolve(() => {
      if (this.#bus.names.get(name) === this) this.#bus.names.delete(name);
    });
  }

  async ping(name: string, timeoutMs: number): Promise<PingResult> {
    await this.#pause(this.#latencyMs());
    const peer = this.#bus.names.get(name);
    if (!this.#connected || peer?.hung === true) {
      await this.#pause(timeoutMs);
      return 'silent';
    }
    await this.#pause(this.#latencyMs());
    if (!this.#connected) return 'silent';
    return peer?.connected === true ? 'here' : 'gone';
  }

  onConnection(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #pause(ms: number): Promise<void> {
    return ms === 0 ? Promise.resolve() : new Promise(resolve => this.#clock.after(ms, resolve));
  }
}
