/** What all parts of a simulation share, and the story that it tells. */
import type { ActorRef } from '../../runtime/actor/actor.ts';
import type { Random } from '../../runtime/time/clock.ts';
import { RegisterBus } from '../support/memory-register.ts';
import { seeded } from '../support/seeded.ts';
import { SimulatedDatabase } from './database.ts';
import { Faults } from './faults.ts';
import { Verdict } from './invariants.ts';
import { type Load, type LoadName, loads, pickLoad } from './load.ts';
import { Machine } from './machine.ts';
import { Broker, type Connection } from './network.ts';
import { Receiver } from './receiver.ts';
import { Schedule } from './schedule.ts';
import { WebhookEndpoints } from './webhook-endpoint.ts';

export const cluster = 'simulated';
/** Few, so that every move matters. */
export const shardCount = 8;
const maxSkewMs = 300_000;

/** What a node shows to the others' checks. */
export interface Neighbour {
  readonly name: string;
  readonly machine: Machine;
  readonly connection: Connection;
  readonly shards: ReadonlySet<number>;
  readonly isLeased: boolean;
}

/** Errors that production may log here; any other is a defect. */
const expectedErrors: ReadonlySet<string> = new Set([
  'a commit failed',
  'a task failed for good',
  'a dead letter could not be stored',
  'an actor could not be loaded',
  'a reminder failed for good',
]);

export class Simulation {
  readonly seed: number;
  readonly schedule = new Schedule();
  readonly load: Load;
  readonly faults: Faults;
  readonly verdict: Verdict;
  readonly broker: Broker;
  readonly register = new RegisterBus();
  readonly database: SimulatedDatabase;
  readonly receiver: Receiver;
  /** The receivers of stitches. */
  readonly endpoints: WebhookEndpoints;
  /** All nodes that there ever were. */
  readonly members: Neighbour[] = [];
  readonly #story: string[] | undefined;
  readonly #storyHash = { value: 0 };
  readonly #streams = new Map<string, Random>();

  /** `isTold` keeps the story. `load`: that of the seed when absent. */
  constructor(seed: number, isTold: boolean, load?: LoadName) {
    this.seed = seed;
    this.#story = isTold ? [] : undefined;
    const { schedule } = this;
    this.faults = new Faults(this.random('faults'));
    // Where no request may fail, no mailbox may be full.
    this.load = loads[this.faults.isPlanned ? 'usual' : (load ?? pickLoad(this.random('load')))];
    this.verdict = new Verdict(() => schedule.now);
    const { faults, verdict } = this;
    this.broker = new Broker({ schedule, faults, random: this.random('network') });
    this.database = new SimulatedDatabase({
      schedule,
      faults,
      random: this.random('database'),
      verdict,
      applied: commit => this.#count(commit.actor.id, commit.base),
    });
    const { database } = this;
    this.receiver = new Receiver({ schedule, faults, database, verdict, random: this.random('receiver') });
    const { owed: deliveries } = database;
    this.endpoints = new WebhookEndpoints({ schedule, faults, deliveries, random: this.random('endpoints') });
  }

  /** A source of randomness of that name: drawing from one does not move the others. */
  random(name: string): Random {
    let found = this.#streams.get(name);
    if (found === undefined) this.#streams.set(name, (found = seeded(hash(name, this.seed))));
    return found;
  }

  machine(name: string): Machine {
    const random = this.random('machines');
    const skew = this.faults.isPlanned ? 0 : (random.next() * 2 - 1) * maxSkewMs;
    return new Machine(name, this.schedule, skew, 1_000 + Math.floor(random.next() * 1_000_000));
  }

  /** A line of the story; made only when it is wanted. */
  tell(line: () => string): void {
    this.#story?.push(`${this.schedule.now.toFixed(1).padStart(9)}  ${line()}`);
  }

  get story(): readonly string[] {
    return this.#story ?? [];
  }

  /** A number that stands for all that was committed, in its order: two runs of a seed have the same. */
  get fingerprint(): number {
    return hash(`${this.schedule.steps}`, this.#storyHash.value);
  }

  logged(node: string, level: 'debug' | 'info' | 'warn' | 'error', fields: object, message: string): void {
    if (level === 'error' && !expectedErrors.has(message)) {
      this.verdict.broken('nothing fails that nobody broke', `${node}: ${message}: ${inspected(fields)}`);
    }
    this.tell(() => `${node} ${level}: ${message} ${inspected(fields)}`);
  }

  /** A conversation was told of another's post, which must have been committed by then. */
  checkNudge(self: ActorRef, mark: string): void {
    const post = mark.slice(0, mark.lastIndexOf(':'));
    if (this.database.committed.has(post)) return;
    this.verdict.broken(
      'only what is committed leaves',
      `${self.id} was told of ${post}, which is not committed`,
    );
  }

  #count(id: string, base: number): void {
    this.#storyHash.value = hash(`${id}/${base}/${this.schedule.now}`, this.#storyHash.value);
  }
}

function hash(text: string, seed: number): number {
  let value = seed ^ 0x9e3779b9;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value ^= value >>> 15;
  return Math.imul(value, 0x85ebca6b) ^ (value >>> 13);
}

function inspected(fields: object): string {
  return JSON.stringify(fields, (_, value: unknown) => (value instanceof Error ? String(value) : value));
}
