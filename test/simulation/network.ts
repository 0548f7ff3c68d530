/**
 * The broker of a simulated cluster and each node's connection to it, as NATS over TCP:
 *
 *   machine ==up==> broker ==down==> machine
 *
 * On one connection nothing overtakes anything; messages of different machines cross. A connection has two ends, and either may
 * learn late, or never, what the other knows:
 *
 *   open      both ends believe in it
 *   stalled   so too, but nothing passes one way or both: what is sent waits, as TCP waits for its acknowledgement
 *   closed    an end that gave up, or was told, sends and hears no more; what was under way is lost
 *
 *   open -> stalled -> open      the way is repaired in time: everything comes late, at once
 *   stalled -> closed            at each end by itself, after its own timeout
 *   closed -> open               a new connection, once the way is whole and the broker is there
 */
import type { Random } from '../../runtime/time/clock.ts';
import type { Faults } from './faults.ts';
import type { Machine } from './machine.ts';
import type { Schedule } from './schedule.ts';

/** How long a client tries between two attempts to connect again. */
const reconnectMs = 100;

export type Direction = 'up' | 'down';

type Subscriber = (message: unknown) => void;

/** What the broker knows of one subscription. */
export interface Subscription {
  readonly subject: string;
  readonly connection: Connection;
  readonly hear: Subscriber;
}

export interface NetworkOptions {
  readonly schedule: Schedule;
  readonly random: Random;
  readonly faults: Faults;
}

export class Broker {
  readonly options: NetworkOptions;
  readonly #subscriptions = new Map<string, Subscription[]>();
  readonly #connections: Connection[] = [];
  /** False while it is being restarted. */
  isUp = true;

  constructor(options: NetworkOptions) {
    this.options = options;
  }

  connect(machine: Machine): Connection {
    const connection = new Connection(machine, this);
    this.#connections.push(connection);
    return connection;
  }

  /** Who listens to the subject, or to all of its kind by a `*` in its last place, as the broker knows. */
  listeners(subject: string): readonly Subscription[] {
    const exact = this.#subscriptions.get(subject);
    const wild = this.#subscriptions.get(`${subject.slice(0, subject.lastIndexOf('.'))}.*`);
    if (exact === undefined || wild === undefined) return exact ?? wild ?? [];
    return [...exact, ...wild];
  }

  add(subscription: Subscription): void {
    const { subject } = subscription;
    const all = this.#subscriptions.get(subject) ?? [];
    if (!all.includes(subscription)) this.#subscriptions.set(subject, [...all, subscription]);
  }

  remove(subscription: Subscription): void {
    const { subject } = subscription;
    const left = (this.#subscriptions.get(subject) ?? []).filter(each => each !== subscription);
    if (left.length > 0) this.#subscriptions.set(subject, left);
    else this.#subscriptions.delete(subject);
  }

  /** The connection is closed at this end: nobody hears through it any more. */
  forget(connection: Connection): void {
    for (const all of [...this.#subscriptions.values()]) {
      for (const subscription of all) if (subscription.connection === connection) this.remove(subscription);
    }
  }

  /** Goes down with every connection, and is back after a while. What the register holds is on its disk. */
  restart(ms: number): void {
    this.isUp = false;
    for (const connection of this.#connections) {
      if (connection.isHeard) this.options.faults.fired('broker restart');
      connection.closeHere();
      connection.closeThere();
    }
    this.options.schedule.after(ms, () => (this.isUp = true));
  }
}

/** A way on which nothing overtakes anything. */
class Way {
  readonly #schedule: Schedule;
  #last = 0;
  isStalled = false;
  #stuck: (() => void)[] = [];

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
  }

  /** What is stuck. */
  get waiting(): number {
    return this.#stuck.length;
  }

  send(ms: number, arrive: () => void): void {
    const schedule = this.#schedule;
    this.#last = Math.max(this.#last, schedule.now + ms);
    schedule.after(this.#last - schedule.now, () => this.#pass(arrive));
  }

  repair(): void {
    this.isStalled = false;
    const stuck = this.#stuck;
    this.#stuck = [];
    for (const arrive of stuck) this.#schedule.after(0, () => this.#pass(arrive));
  }

  /** What is stuck is lost. */
  clear(): void {
    this.#stuck = [];
  }

  #pass(arrive: () => void): void {
    if (this.isStalled) this.#stuck.push(arrive);
    else arrive();
  }
}

/** One machine's connection, through all its losses. */
export class Connection {
  readonly machine: Machine;
  readonly broker: Broker;
  readonly #ways: Readonly<Record<Direction, Way>>;
  readonly #listeners = new Set<(connected: boolean) => void>();
  readonly #subscriptions = new Set<Subscription>();
  /** What to do for those who wait for an answer, when the connection is lost. */
  readonly #waiting = new Set<() => void>();
  /** The machine's end. */
  #isOpenHere = true;
  /** The broker's end. */
  #isOpenThere = true;
  /** Counts connections: what was under way on one is not heard on the next. */
  #count = 0;
  #stalls = 0;
  /** A connection that is made over and over, because nothing gets through. */
  #reconnecting = false;

  constructor(machine: Machine, broker: Broker) {
    this.machine = machine;
    this.broker = broker;
    this.#ways = { up: new Way(broker.options.schedule), down: new Way(broker.options.schedule) };
  }

  /** Whether the machine believes to be connected. */
  get isConnected(): boolean {
    return this.#isOpenHere;
  }

  /** Whether the broker believes the machine to be connected. */
  get isHeard(): boolean {
    return this.#isOpenThere;
  }

  get isStalled(): boolean {
    return this.#ways.up.isStalled || this.#ways.down.isStalled;
  }

  /** Told of each change of `isConnected`, in the machine. */
  onChange(listener: (connected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called in the machine when the connection is lost; until the returned function is called. */
  onLoss(lost: () => void): () => void {
    this.#waiting.add(lost);
    return () => this.#waiting.delete(lost);
  }

  /** To the broker. Nothing happens when the connection is lost first. */
  up(arrive: () => void): void {
    if (!this.#isOpenHere) return;
    this.#travel('up', () => {
      if (this.#isOpenThere) arrive();
    });
  }

  /** To the machine. Nothing happens when the connection is lost first. */
  down(arrive: () => void): void {
    if (!this.#isOpenThere) return;
    const count = this.#count;
    this.#travel('down', () =>
      this.machine.run(() => {
        if (this.#isOpenHere && count === this.#count) arrive();
      }),
    );
  }

  /** Listens to a subject, on this connection and on each that follows it. */
  subscribe(subject: string, hear: Subscriber): Subscription {
    const subscription: Subscription = { subject, connection: this, hear };
    this.#subscriptions.add(subscription);
    this.up(() => this.broker.add(subscription));
    return subscription;
  }

  /** `whenDone` is called in the machine when nothing more will be heard. */
  unsubscribe(subscription: Subscription, whenDone: () => void): void {
    this.#subscriptions.delete(subscription);
    this.roundTrip(() => this.broker.remove(subscription), whenDone);
  }

  /** Does something at the broker; then, or when the connection is lost, the rest in the machine. */
  roundTrip(there: () => void, back: () => void): void {
    if (!this.#isOpenHere) return back();
    const settled = this.onLoss(() => {
      settled();
      back();
    });
    this.up(() => {
      there();
      this.down(() => {
        settled();
        back();
      });
    });
  }

  /** Nothing passes that way, or either way, until `repair`; both ends give up after a while. */
  stall(
    directions: readonly Direction[],
    timeoutsMs: { readonly here: number; readonly there: number },
  ): void {
    for (const direction of directions) this.#ways[direction].isStalled = true;
    const stall = ++this.#stalls;
    const { schedule } = this.broker.options;
    schedule.after(timeoutsMs.there, () => {
      if (stall === this.#stalls && this.isStalled) this.closeThere();
    });
    schedule.after(timeoutsMs.here, () => {
      if (stall === this.#stalls && this.isStalled) this.closeHere();
    });
  }

  /** Messages that the stall holds up. */
  get held(): number {
    return this.#ways.up.waiting + this.#ways.down.waiting;
  }

  repair(): void {
    if (!this.isStalled) return;
    this.#stalls++;
    // An end that has given up refuses what the other one sends, which so learns of it.
    if (!this.#isOpenThere) this.closeHere();
    if (!this.#isOpenHere) this.closeThere();
    this.#ways.up.repair();
    this.#ways.down.repair();
  }

  /** The broker's end closes. */
  closeThere(): void {
    if (!this.#isOpenThere) return;
    this.#isOpenThere = false;
    this.#ways.up.clear();
    this.broker.forget(this);
  }

  /** The machine's end closes, and begins to look for a new connection. */
  closeHere(): void {
    if (!this.#isOpenHere) return;
    this.#isOpenHere = false;
    this.#count++;
    this.#ways.down.clear();
    this.machine.run(() => {
      for (const lost of [...this.#waiting]) lost();
      this.#waiting.clear();
      for (const listener of [...this.#listeners]) listener(false);
      this.#reconnectLater();
    });
  }

  #reconnectLater(): void {
    if (this.#reconnecting) return;
    this.#reconnecting = true;
    this.machine.after(reconnectMs, () => {
      this.#reconnecting = false;
      if (this.broker.isUp && !this.isStalled) this.#reconnect();
      else this.#reconnectLater();
    });
  }

  #reconnect(): void {
    // The broker knows a dead connection at the latest by the new one.
    this.closeThere();
    this.#isOpenThere = true;
    this.#isOpenHere = true;
    for (const subscription of this.#subscriptions) this.up(() => this.broker.add(subscription));
    for (const listener of [...this.#listeners]) listener(true);
  }

  #travel(direction: Direction, arrive: () => void): void {
    const { random, faults } = this.broker.options;
    let ms = 0.1 + random.next() * 0.9;
    if (faults.strikes('delay', 0.01)) {
      ms += 100 + random.next() * 1_400;
      faults.fired('delay');
    }
    const count = this.#count;
    this.#ways[direction].send(ms, () => {
      if (count === this.#count) arrive();
    });
  }
}
