/**
 * The connections of the gRPC server.
 *
 *   unproven   no call with a service token yet: few of them, for each address and in all
 *   proven     a service has called
 *
 * One that has made no permitted call (health probes make some) within ten seconds is closed.
 */
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/time/index.ts';
import { AddressCounts } from '../http/index.ts';

const maxConnections = 1_000;
const maxUnproven = 256;
const maxUnprovenPerAddress = 32;
const firstCallMs = 10_000;

interface Connection {
  readonly firstCall: { cancel(): void };
  isProven: boolean;
  readonly countOut: () => void;
}

export class Connections {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #open = new Map<string, Connection>();
  readonly #unproven = new AddressCounts(maxUnprovenPerAddress, maxUnproven);

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  /** Counts a new connection; false: there are too many, and it is closed. */
  accept(socket: Socket): boolean {
    const { remoteAddress: address = '' } = socket;
    if (this.#open.size >= maxConnections || !this.#unproven.enter(address)) {
      socket.destroy();
      return false;
    }
    const peer = toPeer(socket);
    const connection: Connection = {
      firstCall: this.#clock.after(firstCallMs, () => socket.destroy()),
      isProven: false,
      countOut: () => this.#unproven.leave(address),
    };
    this.#open.set(peer, connection);
    socket.once('close', () => {
      connection.firstCall.cancel();
      if (!connection.isProven) connection.countOut();
      this.#open.delete(peer);
    });
    return true;
  }

  /** A call was permitted. */
  permitted(from: Peer, withToken: boolean): void {
    const connection = this.#open.get(toPeer(from));
    connection?.firstCall.cancel();
    if (connection === undefined || connection.isProven || !withToken) return;
    connection.isProven = true;
    connection.countOut();
  }
}

/** The other end of a connection. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

function toPeer({ remoteAddress, remotePort }: Peer): string {
  return `${remoteAddress} ${remotePort}`;
}
