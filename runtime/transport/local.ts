/**
 * The transport of nodes that share a process: of a standalone node, and of several in tests. Text crosses, as between machines, so
 * that nothing works here that would not work there.
 */
import { NoOwner, unavailable } from '../actor/index.ts';
import { withTimeout, type Clock } from '../time/index.ts';
import type { Log } from '../observability/index.ts';
import type { Envelope, Release, EnvelopeHandler, Transport } from './transport.ts';
import { decodeAnswer, decodeEnvelope, encodeEnvelope, encodeFailure, encodeReply } from './wire.ts';

/** A shard as one node serves it. */
interface Serving {
  readonly handler: EnvelopeHandler;
  readonly answering: Set<Promise<string>>;
}

type Listener = (message: string) => void;

/** What the nodes share. */
export class LocalBus {
  readonly owners = new Map<number, Serving>();
  readonly listeners = new Map<string, Set<Listener>>();
}

export interface LocalTransportOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Default: one of its own. */
  readonly bus?: LocalBus;
}

export class LocalTransport implements Transport {
  readonly #bus: LocalBus;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #releases = new Set<Release>();
  readonly #unsubscribes = new Set<() => void>();
  #drained = false;

  constructor({ clock, log, bus = new LocalBus() }: LocalTransportOptions) {
    this.#bus = bus;
    this.#clock = clock;
    this.#log = log;
  }

  serve(shard: number, handler: EnvelopeHandler): Promise<Release> {
    if (this.#drained) return Promise.reject(new Error('the transport is drained'));
    const serving: Serving = { handler, answering: new Set() };
    this.#bus.owners.set(shard, serving);
    const release = async (): Promise<void> => {
      this.#releases.delete(release);
      if (this.#bus.owners.get(shard) === serving) this.#bus.owners.delete(shard);
      await Promise.all(serving.answering);
    };
    this.#releases.add(release);
    return Promise.resolve(release);
  }

  async ask(shard: number, envelope: Envelope): Promise<unknown> {
    const serving = this.#drained ? undefined : this.#bus.owners.get(shard);
    if (serving === undefined) throw new NoOwner();
    return decodeAnswer(
      await withTimeout(
        this.#clock,
        envelope.deadline - this.#clock.monotonic(),
        this.#answer(serving, envelope),
        () => {
          throw unavailable('deadline');
        },
      ),
    );
  }

  tell(shard: number, envelope: Envelope): void {
    const serving = this.#drained ? undefined : this.#bus.owners.get(shard);
    if (serving !== undefined) void this.#answer(serving, envelope);
  }

  publish(topic: string, message: string): void {
    if (this.#drained) return;
    queueMicrotask(() => {
      for (const listener of this.#bus.listeners.get(topic) ?? []) {
        try {
          listener(message);
        } catch (error) {
          this.#log.error({ err: error, topic }, 'a listener failed');
        }
      }
    });
  }

  subscribe(topic: string, listener: Listener): () => void {
    const { listeners } = this.#bus;
    const own: Listener = message => listener(message);
    let all = listeners.get(topic);
    if (all === undefined) listeners.set(topic, (all = new Set<Listener>()));
    all.add(own);
    const unsubscribe = (): void => {
      this.#unsubscribes.delete(unsubscribe);
      all.delete(own);
      if (all.size === 0 && listeners.get(topic) === all) listeners.delete(topic);
    };
    this.#unsubscribes.add(unsubscribe);
    return unsubscribe;
  }

  isHeard(topic: string): Promise<boolean> {
    return Promise.resolve(this.#bus.listeners.has(topic));
  }

  async drain(): Promise<void> {
    this.#drained = true;
    for (const unsubscribe of this.#unsubscribes) unsubscribe();
    await Promise.all([...this.#releases].map(release => release()));
  }

  /** Never rejects. The handler runs in a microtask at the earliest, as on another machine. */
  #answer(serving: Serving, envelope: Envelope): Promise<string> {
    const clock = this.#clock;
    const answering = Promise.resolve(encodeEnvelope(envelope, clock.monotonic()))
      .then(text => serving.handler(decodeEnvelope(text, clock.monotonic())))
      .then(encodeReply)
      .catch(encodeFailure);
    serving.answering.add(answering);
    void answering.then(() => serving.answering.delete(answering));
    return answering;
  }
}
