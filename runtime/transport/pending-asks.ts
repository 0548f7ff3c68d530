/**
 * Asks that wait for the answer of another node. Each has a token, under which the answer comes.
 *
 *   waiting -> settled    the answer came
 *   waiting -> settled    no node got it: NoOwner
 *   waiting -> doubtful   a node says that it is not the owner: NoOwner for the caller, but another node may have got it, too
 *   doubtful -> waiting   the caller tries again, under the same token: a node that has accepted it does not accept it twice
 *   doubtful -> settled   the answer came after all; it is kept for the next try
 *   any -> failed         the deadline has passed, the connection is lost, or the only node that got it is gone: outcome unknown
 */
import type { Clock, Timer } from '../time/index.ts';
import { NoOwner, unavailable } from '../actor/index.ts';
import type { Envelope } from './transport.ts';
import { noOwnerText } from './wire.ts';

interface PendingAsk {
  readonly token: string;
  readonly shard: number;
  readonly envelope: Envelope;
  /** The message that carries it together with others, if one does. */
  bundle: string | undefined;
  timer: Timer;
  /** The caller's promise; undefined while doubtful. */
  settle:
    | { readonly resolve: (answer: string) => void; readonly reject: (reason: Error) => void }
    | undefined;
  /** A node answered NoOwner. */
  isDoubtful: boolean;
  /** The answer, if it came while doubtful. */
  answer: string | undefined;
}

export class PendingAsks {
  readonly #clock: Clock;
  readonly #asks = new Map<string, PendingAsk>();
  readonly #doubtful = new WeakMap<Envelope, PendingAsk>();
  readonly #whenIdle: (() => void)[] = [];
  #waiting = 0;
  #nextToken = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** How many are waiting or doubtful. */
  get size(): number {
    return this.#asks.size;
  }

  /** The shard that was asked; undefined when nothing waits under the token. */
  getShard(token: string): number | undefined {
    return this.#asks.get(token)?.shard;
  }

  /** Whether another node may have got this very envelope. */
  isDoubtful(envelope: Envelope): boolean {
    return this.#doubtful.has(envelope);
  }

  /** The token for sending the envelope; the same as before when this very envelope is in doubt. */
  getToken(envelope: Envelope): string {
    return this.#doubtful.get(envelope)?.token ?? (this.#nextToken++).toString(36);
  }

  /** The answer to this very envelope that came while it was in doubt, if one did. */
  getLateAnswer(envelope: Envelope): string | undefined {
    return this.#doubtful.get(envelope)?.answer;
  }

  /** The text of the answer. Rejects with `NoOwner`, or with `svc/runtime/unavailable` when the outcome is unknown. */
  wait(token: string, shard: number, envelope: Envelope, bundle?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const doubtful = this.#asks.get(token);
      this.#waiting++;
      if (doubtful !== undefined) {
        doubtful.settle = { resolve, reject };
        return;
      }
      const ask: PendingAsk = {
        token,
        shard,
        envelope,
        bundle,
        settle: { resolve, reject },
        isDoubtful: false,
        answer: undefined,
        timer: this.#clock.after(Math.max(0, envelope.deadline - this.#clock.monotonic()), () =>
          this.#fail(ask, 'deadline'),
        ),
      };
      this.#asks.set(token, ask);
    });
  }

  /** A node has answered. */
  onAnswer(token: string, answer: string): void {
    const ask = this.#asks.get(token);
    if (ask === undefined) return;
    if (answer === noOwnerText) {
      ask.isDoubtful = true;
      this.#doubtful.set(ask.envelope, ask);
      this.#takeSettle(ask)?.reject(new NoOwner());
      return;
    }
    this.#drop(ask);
    const settle = this.#takeSettle(ask);
    if (settle === undefined) ask.answer = answer;
    else settle.resolve(answer);
  }

  /** No node got the ask, or it was not sent. */
  onUndelivered(token: string): void {
    const ask = this.#asks.get(token);
    if (ask === undefined) return;
    if (!ask.isDoubtful) this.#drop(ask);
    this.#takeSettle(ask)?.reject(new NoOwner());
  }

  /** No node got the message that carried these asks. Rare, so that they are looked for among all. */
  onBundleUndelivered(bundle: string): void {
    const asks = [...this.#asks.values()].filter(ask => ask.bundle === bundle);
    for (const { token } of asks) this.onUndelivered(token);
  }

  /** The connection is lost, and no answers will come. */
  failAll(): void {
    for (const ask of [...this.#asks.values()]) this.#fail(ask, 'connection');
  }

  /** The owner of these shards is gone. Doubtful asks stay: another node may be at work on them. */
  failShards(shards: ReadonlySet<number>): void {
    for (const ask of [...this.#asks.values()]) {
      if (!ask.isDoubtful && shards.has(ask.shard)) this.#fail(ask, 'connection');
    }
  }

  /** Resolves when nobody waits. */
  whenIdle(): Promise<void> {
    return this.#waiting === 0 ? Promise.resolve() : new Promise(resolve => this.#whenIdle.push(resolve));
  }

  #fail(ask: PendingAsk, reason: 'deadline' | 'connection'): void {
    this.#drop(ask);
    this.#takeSettle(ask)?.reject(unavailable(reason));
  }

  #drop(ask: PendingAsk): void {
    ask.timer.cancel();
    this.#asks.delete(ask.token);
  }

  /** The caller's promise, which is settled once. */
  #takeSettle(ask: PendingAsk): PendingAsk['settle'] {
    const { settle } = ask;
    if (settle === undefined) return undefined;
    ask.settle = undefined;
    this.#waiting--;
    if (this.#waiting === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    return settle;
  }
}
