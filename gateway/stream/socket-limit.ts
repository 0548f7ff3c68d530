/**
 * How many sockets a user, or an API key, may have open in the whole cluster.
 *
 * Nodes tell each other when they have opened each of theirs (shared-map.ts). A socket is refused where its holder is known to have as many as
 * are allowed. Where several were opened at once, all nodes come to the same order by their times, and each closes those of its own that
 * are behind the limit: the newest. Nodes that cannot hear each other count what they know of.
 */
import type { Admission } from './admission.ts';
import { closeCodes } from './frames.ts';
import { SharedMap, type SharedMapOptions } from './shared-map.ts';

/** An open socket, as far as its place in the order is concerned. */
export interface LimitedSocket {
  readonly admission: Pick<Admission, 'userId' | 'apiKeyId'>;
  end(code: number, reason: string): void;
}

/** Epoch milliseconds at which each socket was opened, with the node, which settles a tie. */
type Opened = readonly (readonly [at: number, node: string])[];

export interface SocketLimitOptions extends Omit<SharedMapOptions, 'topic' | 'changed'> {
  /** Sockets of one holder. */
  readonly most: number;
}

export class SocketLimit {
  readonly #options: SocketLimitOptions;
  /** This node's sockets of each holder, in the order in which they were opened. */
  readonly #sockets = new Map<string, { readonly socket: LimitedSocket; readonly at: number }[]>();
  readonly #opened: SharedMap<Opened>;

  constructor(options: SocketLimitOptions) {
    this.#options = options;
    this.#opened = new SharedMap({
      ...options,
      topic: 'sockets',
      changed: holder => this.#enforce(holder),
    });
  }

  /** Whether the holder may open one more, as far as this node knows. */
  hasRoom(admission: LimitedSocket['admission']): boolean {
    return this.#list(getHolder(admission)).length < this.#options.most;
  }

  /** @param at epoch milliseconds */
  add(socket: LimitedSocket, at: number): void {
    const holder = getHolder(socket.admission);
    const sockets = this.#sockets.get(holder) ?? [];
    this.#sockets.set(holder, sockets);
    sockets.push({ socket, at });
    this.#announce(holder);
  }

  remove(socket: LimitedSocket): void {
    const holder = getHolder(socket.admission);
    const left = (this.#sockets.get(holder) ?? []).filter(each => each.socket !== socket);
    if (left.length > 0) this.#sockets.set(holder, left);
    else this.#sockets.delete(holder);
    this.#announce(holder);
  }

  close(): void {
    this.#opened.close();
  }

  #announce(holder: string): void {
    const own = this.#sockets.get(holder);
    this.#opened.set(
      holder,
      own?.map(({ at }) => [at, this.#options.node] as const),
    );
  }

  #list(holder: string): Opened {
    return this.#opened.get(holder).flat();
  }

  /** Closes those of this node that are behind the limit. */
  #enforce(holder: string): void {
    const { most, node } = this.#options;
    const all = this.#list(holder);
    if (all.length <= most) return;
    const ranked = all.toSorted(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
    const allowed = ranked.slice(0, most).filter(([, owner]) => owner === node).length;
    for (const { socket } of (this.#sockets.get(holder) ?? []).slice(allowed)) {
      socket.end(closeCodes.tryLater, `at most ${most} streams at once`);
    }
  }
}

function getHolder({ userId, apiKeyId }: LimitedSocket['admission']): string {
  return userId ?? apiKeyId ?? '';
}
