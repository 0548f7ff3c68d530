/** Operators' Consoles: one that goes to another node when its own sends it away or dies, and resumes there. */
import WebSocket from 'ws';
import type { Tenant } from '../../node/tenant.ts';
import type { Ending, NodeProcess } from '../../support/node-process.ts';
import { withTimeLimit } from '../../support/time-limit.ts';

type Frame =
  | { readonly type: 'resumed' | 'reset'; readonly epoch: string; readonly seq: number }
  | { readonly type: 'event'; readonly seq: number }
  | { readonly type: 'ping' | 'pong' | 'ephemeral' };

export class Watcher {
  /** The number of the last event. */
  seq = -1;
  events = 0;
  /** What may not happen: an event out of order, missing or repeated, a reset. */
  readonly faults: string[] = [];
  /** Codes with which its sockets were closed. */
  readonly codes: number[] = [];
  readonly #tenant: Tenant;
  readonly #nodes: () => readonly NodeProcess[];
  #at: number;
  #epoch: string | undefined;
  #socket: WebSocket | undefined;
  #stopped = false;
  #waits: (() => void)[] = [];

  private constructor(tenant: Tenant, nodes: () => readonly NodeProcess[], at: number) {
    this.#tenant = tenant;
    this.#nodes = nodes;
    this.#at = at;
  }

  /** Resolves when it is live. It begins on the node of that index. `nodes`: those to choose from, whenever there is a choice. */
  static async open(
    t: Ending,
    tenant: Tenant,
    nodes: () => readonly NodeProcess[],
    at = 0,
  ): Promise<Watcher> {
    const watcher = new Watcher(tenant, nodes, at);
    t.teardown(() => {
      watcher.stop();
      return Promise.resolve();
    });
    watcher.#connect();
    await watcher.#until(() => watcher.#epoch !== undefined, 'Console stream');
    return watcher;
  }

  /** Resolves when it has seen the event of that number. */
  seen(seq: number): Promise<void> {
    return this.#until(() => this.seq >= seq, `event ${seq} on the Console stream`);
  }

  stop(): void {
    this.#stopped = true;
    this.#socket?.terminate();
  }

  #connect(): void {
    if (this.#stopped) return;
    const nodes = this.#nodes();
    const node = nodes[this.#at++ % nodes.length];
    // Between the end of all nodes and its own, there is none.
    if (node === undefined) return this.#connectAgain();
    const { projectId, person } = this.#tenant;
    const url = `${node.url.replace('http', 'ws')}/v1/console/projects/${projectId}/events/stream`;
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${person.bearer ?? ''}` } });
    this.#socket = socket;
    socket.on('open', () => {
      const cursor = this.#epoch === undefined ? {} : { epoch: this.#epoch, seq: this.seq };
      socket.send(JSON.stringify({ type: 'resume', ...cursor }));
    });
    socket.on('message', text => this.#take(JSON.parse((text as Buffer).toString()) as Frame, socket));
    // Refused, or broken: the close follows.
    socket.on('error', () => undefined);
    socket.on('close', code => {
      this.codes.push(code);
      this.#connectAgain();
    });
  }

  #connectAgain(): void {
    setTimeout(() => this.#connect(), 50);
  }

  #take(frame: Frame, socket: WebSocket): void {
    if (frame.type === 'ping') socket.send('{"type":"pong"}');
    if (frame.type === 'reset') this.faults.push(`reset to ${frame.seq}`);
    if (frame.type === 'resumed' || frame.type === 'reset') {
      this.#epoch = frame.epoch;
      if (this.seq < 0 || frame.type === 'reset') this.seq = frame.seq;
    }
    if (frame.type === 'event') {
      if (frame.seq !== this.seq + 1) this.faults.push(`${frame.seq} after ${this.seq}`);
      this.seq = frame.seq;
      this.events++;
    }
    for (const look of this.#waits.splice(0)) look();
  }

  async #until(isSo: () => boolean, what: string): Promise<void> {
    const wait = async (): Promise<void> => {
      while (!isSo()) await new Promise<void>(resolve => this.#waits.push(resolve));
    };
    await withTimeLimit(wait(), what);
  }
}
