/** A kind of actor as a node holds it: validated, with its types erased and its commands in a map. */
import type { AnyActorKind, Decision, Task, Turn } from './actor.ts';
import type { Limits } from './node-context.ts';
import type { KindCounters, Metrics } from '../observability/index.ts';
import { getShard } from '../placement/index.ts';

const defaultIdleMs = 600_000;
const defaultTasksAtOnce = 256;

/** A decision with its types erased. */
export type AnyDecide = (state: unknown, payload: unknown, turn: Turn) => Decision<unknown>;

export class Kind {
  readonly name: string;
  readonly initialState: (id: string) => unknown;
  /** Its actors have rows in the store. */
  readonly stored: boolean;
  readonly decide: ReadonlyMap<string, AnyDecide>;
  readonly tasks: ReadonlyMap<string, Task>;
  readonly tasksAtOnce: number;
  readonly onActivate: { readonly name: string; readonly decide: AnyDecide } | undefined;
  /** Idle time before passivation, in sweeps. */
  readonly idleSweeps: number;
  readonly counters: KindCounters;
  readonly #shards: number;
  readonly #shardKey: ((id: string) => string) | undefined;

  /** Throws a `TypeError` that names what is wrong with the declaration. */
  constructor(kind: AnyActorKind, shards: number, limits: Limits, counters: KindCounters) {
    this.name = kind.kind;
    this.initialState = kind.initialState;
    this.stored = kind.snapshot !== 'none';
    this.tasks = new Map(Object.entries(kind.tasks ?? {}));
    this.decide = new Map([
      ...(Object.entries(kind.decide) as [string, AnyDecide][]),
      ...Array.from(this.tasks.keys(), task => [getTaskCommand(task), createPerform(task)] as const),
    ]);
    this.tasksAtOnce = requirePositive(kind, 'tasksAtOnce', kind.tasksAtOnce ?? defaultTasksAtOnce);
    this.idleSweeps = Math.ceil(
      requirePositive(kind, 'idleMs', kind.idleMs ?? defaultIdleMs) / limits.sweepMs,
    );
    this.onActivate = this.#findOnActivate(kind);
    this.counters = counters;
    this.#shards = shards;
    this.#shardKey = kind.shardKey;
  }

  /** The shard of the actor with that id. */
  getShard(id: string): number {
    return getShard(this.#shardKey === undefined ? id : this.#shardKey(id), this.#shards);
  }

  #findOnActivate({ kind, onActivate }: AnyActorKind): Kind['onActivate'] {
    if (onActivate === undefined) return undefined;
    const decide = this.decide.get(onActivate);
    if (decide === undefined)
      throw new TypeError(`${kind}: onActivate names the unknown command ${onActivate}`);
    return { name: onActivate, decide };
  }
}

/** Name of the command that starts a task of the kind: dead letters of tasks carry it, so that they can be run again. */
export function getTaskCommand(task: string): string {
  return `perform:${task}`;
}

function createPerform(task: string): AnyDecide {
  return (_state, payload) => ({ effects: [{ do: 'perform', task, payload }], reply: null });
}

function requirePositive({ kind }: AnyActorKind, option: string, value: number): number {
  if (!(value > 0)) throw new TypeError(`${kind}: ${option} must be positive, not ${value}`);
  return value;
}

/** The kinds by name. */
export function createKinds(
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
