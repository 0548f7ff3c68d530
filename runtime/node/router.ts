/**
 * Asks for actors that live on other nodes. There is no routing table: the owner of a shard is the node that answers its subject, and
 * while no node does (a hand-over, a takeover) the shard's asks are parked (parked-requests.ts) until their deadlines.
 */
import { ServiceError } from '../../protocol/errors.ts';
import { internalError, NoOwner, toServiceError, unavailable, type Limits } from '../actor/index.ts';
import type { Counters, Log, Span, Tracer } from '../observability/index.ts';
import type { Clock, Random } from '../time/index.ts';
import type { Envelope, Transport } from '../transport/index.ts';
import { ParkedRequests, type RoutedAsk } from './parked-requests.ts';

export interface RouterOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly random: Random;
  readonly limits: Limits;
  readonly log: Log;
  readonly counters: Counters;
  readonly tracer: Tracer;
  /** Asks the actor on this node, if this node owns the shard by now. */
  readonly askLocally: (envelope: Envelope) => Promise<unknown> | undefined;
  /** Called for each ask that is sent to another node. */
  readonly onForward: (envelope: Envelope) => void;
  /** Called for each ask that found no owner of the shard. */
  readonly onNoOwner: (shard: number) => void;
}

export class Router {
  /** The parked asks by shard: later ones of the shard go behind them, even if this node owns the shard by now. */
  readonly parked: ReadonlyMap<number, ParkedRequests>;
  readonly #options: RouterOptions;
  readonly #parked = new Map<number, ParkedRequests>();
  #nextSerial = 0;
  #outgoing = 0;
  #closed = false;
  readonly #whenIdle: (() => void)[] = [];

  constructor(options: RouterOptions) {
    this.#options = options;
    this.parked = this.#parked;
  }

  /** Asks on their way. */
  get outgoing(): number {
    return this.#outgoing;
  }

  /** Rejects only with a `ServiceError`. */
  async ask(shard: number, envelope: Envelope): Promise<unknown> {
    const { limits, counters, log } = this.#options;
    if (this.#outgoing >= limits.admitted) {
      counters.overloaded++;
      throw unavailable('overloaded');
    }
    this.#outgoing++;
    try {
      return await new Promise((resolve, reject) => {
        this.#route(shard, { serial: this.#nextSerial++, envelope, resolve, reject });
      });
    } catch (error) {
      const known = toServiceError(error);
      if (known !== undefined) throw known;
      const { kind, id, command, requestId } = envelope;
      log.error({ err: error, kind, id, command, requestId }, 'an ask failed on its way');
      throw internalError();
    } finally {
      this.#outgoing--;
      if (this.#outgoing === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
    }
  }

  /** Resolves when no ask is on its way. */
  whenIdle(): Promise<void> {
    if (this.#outgoing === 0) return Promise.resolve();
    return new Promise(resolve => this.#whenIdle.push(resolve));
  }

  /** From now on asks that find no owner fail at once. */
  close(): void {
    this.#closed = true;
  }

  /** This node has come to own the shard (all of its shards when absent): parked asks go before new ones. */
  onOwned(shard?: number): void {
    if (shard !== undefined) this.#parked.get(shard)?.onOwned();
    else for (const parked of [...this.#parked.values()]) parked.onOwned();
  }

  #route(shard: number, ask: RoutedAsk): void {
    const parked = this.#parked.get(shard);
    if (parked !== undefined) parked.add(ask);
    else void this.#send(shard, ask).then(accepted => accepted || this.#park(shard, ask));
  }

  /** Resolves to whether a node accepted the ask; then its sender has been answered. */
  async #send(shard: number, { envelope, resolve, reject }: RoutedAsk): Promise<boolean> {
    const { transport, askLocally, counters, onForward, onNoOwner } = this.#options;
    let span: Span | undefined;
    try {
      let answer = askLocally(envelope);
      if (answer === undefined) {
        onForward(envelope);
        if (envelope.traceparent !== undefined) span = this.#trace(shard, envelope);
        const sent = span === undefined ? envelope : { ...envelope, traceparent: span.traceparent };
        answer = transport.ask(shard, sent);
      }
      const reply = await answer;
      span?.end();
      resolve(reply);
    } catch (error) {
      span?.end(error instanceof ServiceError ? error.code : (error as Error).name);
      if (error instanceof NoOwner) {
        counters.noOwner++;
        onNoOwner(shard);
        if (!this.#closed) return false;
        reject(unavailable('draining'));
      } else {
        reject(error);
      }
    }
    return true;
  }

  /** Opens the span of a crossing to another node. */
  #trace(shard: number, { kind, id, command, traceparent }: Envelope): Span | undefined {
    return this.#options.tracer.start(`forward ${kind}.${command}`, traceparent, {
      kind: 'client',
      attributes: { 'skein.actor.kind': kind, [`skein.${kind}.id`]: id, 'skein.shard': shard },
    });
  }

  #park(shard: number, ask: RoutedAsk): void {
    let parked = this.#parked.get(shard);
    if (parked === undefined) this.#parked.set(shard, (parked = this.#createParked(shard)));
    parked.add(ask);
  }

  #createParked(shard: number): ParkedRequests {
    const { clock, random } = this.#options;
    return new ParkedRequests({
      clock,
      random,
      send: ask => this.#send(shard, ask),
      resend: ask => this.#route(shard, ask),
      onExpired: ({ reject }) => reject(unavailable('no_owner')),
      onReleased: rest => {
        this.#parked.delete(shard);
        for (const ask of rest) this.#route(shard, ask);
      },
    });
  }
}
