/** A kind of actor as a node holds it: checked, with its types erased and its commands in a map. */
import type { AnyActorKind, Task } from './actor.ts';
import type { Decide } from './command.ts';
import type { Limits } from './limits.ts';
import type { KindCounters, Metrics } from './metrics.ts';
import { shardOf } from './shards.ts';

const defaultIdleMs = 600_000;
const defaultTasksAtOnce = 256;

export class Kind {
  readonly name: string;
  readonly blank: (id: string) => unknown;
  /** Its actors have rows in the store. */
  readonly stored: boolean;
  readonly decide: ReadonlyMap<string, Decide>;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly tasksAtOnce: number;
  readonly onActivate: { readonly name: string; readonly decide: Decide } | undefined;
  /** Idle time before passivation, in sweeps. */
  readonly idleTicks: number;
  readonly counters: KindCounters;
  readonly #shards: number;
  readonly #shardKey: ((id: string) => string) | undefined;

  /** Throws a `TypeError` that names what is wrong with the declaration. */
  constructor(kind: AnyActorKind, shards: number, limits: Limits, counters: KindCounters) {
    this.name = kind.kind;
    this.blank = kind.blank;
    this.stored = kind.snapshot !== 'none';
    this.decide = new Map(Object.entries(kind.decide) as [string, Decide][]);
    this.tasks = new Map(Object.entries(kind.tasks ?? {}));
    this.tasksAtOnce = positive(kind, 'tasksAtOnce', kind.tasksAtOnce ?? defaultTasksAtOnce);
    this.idleTicks = Math.ceil(positive(kind, 'idleMs', kind.idleMs ?? defaultIdleMs) / limits.sweepMs);
    this.onActivate = this.#commandOnActivation(kind);
    this.counters = counters;
    this.#shards = shards;
    this.#shardKey = kind.shardKey;
  }

  /** The shard of the actor with that id: by the kind's `shardKey` where it has one. */
  shardOf(id: string): number {
    return shardOf(this.#shardKey === undefined ? id : this.#shardKey(id), this.#shards);
  }

  #commandOnActivation({ kind, onActivate }: AnyActorKind): Kind['onActivate'] {
    if (onActivate === undefined) return undefined;
    const decide = this.decide.get(onActivate);
    if (decide === undefined)
      throw new TypeError(`${kind}: onActivate names the unknown command ${onActivate}`);
    return { name: onActivate, decide };
  }
}

function positive({ kind }: AnyActorKind, option: string, value: number): number {
  if (!(value > 0)) throw new TypeError(`${kind}: ${option} must be positive, not ${value}`);
  return value;
}

/** The kinds by name. */
export function kindsOf(
  declared: readonly AnyActorKind[],
  shards: number,
  limits: Limits,
  metrics: Metrics,
): ReadonlyMap<string, Kind> {
  const kinds = new Map<string, Kind>();
  for (const kind of declared) {
    if (kinds.has(kind.kind)) throw new TypeError(`two kinds are named ${kind.kind}`);
    kinds.set(kind.kind, new Kind(kind, shards, limits, metrics.kind(kind.kind)));
  }
  return kinds;
}
