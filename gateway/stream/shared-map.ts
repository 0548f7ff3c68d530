/**
 * A map that nodes keep together, each its own part of it, without a lock and without a table: for what is true only as long as a socket is open.
 *
 * Every node publishes what changes in its part, and all of its part every `refreshMs`. What was not heard of for `leaseMs` is dropped, so that a
 * node that dies takes its part along. Whoever begins to listen asks the others for theirs. Nodes that cannot hear each other know their
 * own parts alone, and learn the others' again within `refreshMs` of being connected. A change is heard at most once, so every value stands
 * alone; one that got lost is mended by the next refresh.
 */
import type { Clock, Timer } from '../../runtime/time/index.ts';
import type { Transport } from '../../runtime/transport/index.ts';

const refreshMs = 5_000;
/** Looked at with each refresh: what a node had set is gone 25 s after its end, at the latest. */
const leaseMs = 20_000;
/** Entries of one message. */
const perMessage = 500;

export interface SharedMapOptions {
  readonly transport: Pick<Transport, 'publish' | 'subscribe'>;
  /** Part of the protocol between nodes: the name stays. */
  readonly topic: string;
  /** This node; unique in the cluster, and another one after each start. */
  readonly node: string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
  /** The values of a key have changed, here or on another node. */
  readonly changed: (key: string) => void;
}

/** What nodes say: `null` in the place of what is gone. */
interface Message<Value> {
  readonly from: string;
  readonly entries?: Readonly<Record<string, Value | null>>;
  /** Asks for all that the others have. */
  readonly asks?: true;
}

interface Heard<Value> {
  readonly value: Value;
  /** The value as text, by which a repetition is known. */
  readonly text: string;
  /** Monotonic milliseconds. */
  heardAt: number;
}

export class SharedMap<Value> {
  readonly #options: SharedMapOptions;
  readonly #own = new Map<string, Value>();
  /** By key, then by node. */
  readonly #others = new Map<string, Map<string, Heard<Value>>>();
  readonly #unsubscribe: () => void;
  #timer: Timer | undefined;
  #closed = false;

  constructor(options: SharedMapOptions) {
    this.#options = options;
    const { transport, topic } = options;
    this.#unsubscribe = transport.subscribe(topic, text => this.#receive(JSON.parse(text) as Message<Value>));
    this.#publish({ asks: true });
    this.#refreshLater();
  }

  /** The values of a key, this node's first. */
  get(key: string): Value[] {
    const own = this.#own.get(key);
    const heard = [...(this.#others.get(key)?.values() ?? [])].map(({ value }) => value);
    return own === undefined ? heard : [own, ...heard];
  }

  /** This node's value of a key; undefined: none. */
  set(key: string, value: Value | undefined): void {
    if (value === undefined) this.#own.delete(key);
    else this.#own.set(key, value);
    this.#publish({ entries: { [key]: value ?? null } });
    this.#options.changed(key);
  }

  keys(): Set<string> {
    return new Set([...this.#own.keys(), ...this.#others.keys()]);
  }

  /** Idempotent. What this node has set and not unset, others drop in time. */
  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#unsubscribe();
  }

  #receive({ from, entries = {}, asks }: Message<Value>): void {
    if (from === this.#options.node || this.#closed) return;
    if (asks === true) this.#publishAll();
    for (const [key, value] of Object.entries(entries)) this.#hear(from, key, value);
  }

  #hear(from: string, key: string, value: Value | null): void {
    const values = this.#others.get(key) ?? new Map<string, Heard<Value>>();
    const text = JSON.stringify(value);
    const before = values.get(from);
    if (value === null) {
      if (before !== undefined) this.#drop(key, values, from);
      return;
    }
    const heardAt = this.#options.clock.monotonic();
    if (before?.text === text) {
      before.heardAt = heardAt;
      return;
    }
    values.set(from, { value, text, heardAt });
    this.#others.set(key, values);
    this.#options.changed(key);
  }

  #drop(key: string, values: Map<string, Heard<Value>>, from: string): void {
    values.delete(from);
    if (values.size === 0) this.#others.delete(key);
    this.#options.changed(key);
  }

  #refreshLater(): void {
    this.#timer = this.#options.clock.after(refreshMs, () => {
      this.#publishAll();
      this.#dropSilent();
      this.#refreshLater();
    });
  }

  #dropSilent(): void {
    const oldest = this.#options.clock.monotonic() - leaseMs;
    for (const [key, values] of this.#others) {
      for (const [from, { heardAt }] of values) if (heardAt < oldest) this.#drop(key, values, from);
    }
  }

  #publishAll(): void {
    const own = [...this.#own];
    for (let i = 0; i < own.length; i += perMessage) {
      this.#publish({ entries: Object.fromEntries(own.slice(i, i + perMessage)) });
    }
  }

  #publish(message: Omit<Message<Value>, 'from'>): void {
    const { transport, topic, node } = this.#options;
    transport.publish(topic, JSON.stringify({ from: node, ...message }));
  }
}
