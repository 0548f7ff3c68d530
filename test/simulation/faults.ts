/**
 * What can go wrong, how often it does in one simulation, and how often it did. A fault counts when it had an effect: a drop
 * when a message was lost by it, a pause when something came meanwhile.
 */
import type { Random } from '../../runtime/time/clock.ts';

export const faultKinds = {
  drop: 'a message between nodes was lost',
  'lost reply': 'an ask was answered, and the answer was lost',
  delay: 'a message and all behind it came late',
  duplicate: 'a tell or a piece of news came twice',
  reorder: 'of two senders, the later message came first',
  'closed connection': 'a connection broke, and both ends knew',
  'silent partition': 'a way was broken, and neither end knew',
  'one-way partition': 'a node was heard and did not hear, or the reverse',
  'broker restart': 'the broker was away',
  'register request lost': 'a write to the register never came there',
  'register outcome unknown': 'a write to the register was done, and the answer was lost',
  'commit refused': 'the store could not take a commit',
  'commit lost': 'the connection broke over a commit, which was not applied',
  'commit doubtful': 'the connection broke over a commit, which was applied',
  'commit failed': 'a commit broke a constraint of its own',
  'slow commit': 'a commit took longer than a lease',
  'load failed': 'a snapshot could not be read',
  'database offline': 'the database was away, and refused something',
  failover: 'the database failed over to a standby that lagged behind, and lost commits',
  'lost database': 'a node could not reach the database, and others could',
  'clock jump': 'a wall clock jumped by minutes',
  'short pause': 'a process stood still for less than a lease',
  'long pause': 'a process stood still for more than a lease',
  crash: 'a process that owned shards was killed',
  'power loss': 'a machine that owned shards went off, and its connection seemed open',
  restart: 'a new node came in place of a dead one, and took shards',
  join: 'a node joined, and took shards',
  drain: 'a node that owned shards was told to go',
  'failing receiver': 'a receiver of deliveries failed, or its answer was lost',
  'lost wake-up': 'a stitch was not told of new events',
  'read failed': 'a stitch read the log or its deliveries, and the answer was lost',
  'unknown error':
    'a stitch read the log or its deliveries, and the database failed with an error that no code knows',
  'receiver down': 'a receiver of webhooks refused some for a while',
  'late answer': 'a receiver of webhooks answered when nobody waited any more',
  'receiver gone': 'a receiver of webhooks said that it is gone for good',
  'slow receiver': 'a receiver of webhooks took its time for a while',
  'events dropped': 'events were dropped as too old',
  'undelivered dropped': 'events were dropped that a stitch had yet to deliver',
  erasure: 'the texts of a conversation were erased',
  'pool overloaded': 'a node had no room for one more request to a receiver',
  'full queue': 'a request to a receiver waited for its turn',
  'rival writer': 'two nodes wrote to one actor, and the store refused one',
  storm: 'more commands came at once than a mailbox holds',
} as const;

export type FaultKind = keyof typeof faultKinds;

/** Firings of every kind. */
export type FaultCounts = Record<FaultKind, number>;

export function noFaults(): FaultCounts {
  return Object.fromEntries(Object.keys(faultKinds).map(kind => [kind, 0])) as FaultCounts;
}

/** Kinds that a rolling deployment brings: nothing is broken, so no request may fail. */
const planned: ReadonlySet<FaultKind> = new Set(['join', 'drain']);

/**
 * The faults of one simulation. Each seed has some of the kinds and not the others (swarm testing, Groce et al., ISSTA 2012): with
 * all of them all the time, some bugs never have the quiet that they need.
 */
export class Faults {
  readonly counts = noFaults();
  /** Nothing but joins and drains. */
  readonly isPlanned: boolean;
  readonly #enabled = new Set<FaultKind>();
  readonly #random: Random;
  readonly #rate: number;
  #healed = false;

  constructor(random: Random) {
    this.#random = random;
    this.isPlanned = random.next() < 0.1;
    // Some simulations are rough, most have one trouble at a time.
    this.#rate = 0.3 + random.next() * 1.7;
    const share = 0.15 + random.next() * 0.6;
    for (const kind of Object.keys(faultKinds) as FaultKind[]) {
      const drawn = random.next() < share;
      if (this.isPlanned ? planned.has(kind) : drawn) this.#enabled.add(kind);
    }
  }

  /** The kinds that this simulation has. */
  get enabled(): readonly FaultKind[] {
    return [...this.#enabled];
  }

  has(kind: FaultKind): boolean {
    return !this.#healed && this.#enabled.has(kind);
  }

  /** Whether the fault happens now, to one of many: `probability` is that of an ordinary simulation. */
  strikes(kind: FaultKind, probability: number): boolean {
    return this.has(kind) && this.#random.next() < probability * this.#rate;
  }

  /** The fault has had its effect. */
  fired(kind: FaultKind): void {
    this.counts[kind]++;
  }

  /** From now on nothing goes wrong. */
  heal(): void {
    this.#healed = true;
  }

  get healed(): boolean {
    return this.#healed;
  }
}
