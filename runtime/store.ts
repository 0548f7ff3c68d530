/**
 * The store under the actors: where a commit becomes true. One conformance suite (test/runtime/store.conformance.ts)
 * holds every implementation: memory for simulation and unit tests, PostgreSQL for the product.
 *
 * Laws:
 * 1. `commit` resolves only after the whole of it is durable, or rejects with nothing of it applied. It always settles.
 * 2. A commit applies only on `base`, with a snapshot or without: otherwise it rejects with `Fenced`.
 * 3. Commits of one actor apply in the order of the calls.
 * 4. A commit that breaks a constraint of its own fails alone: commits of other actors in its batch are not touched.
 * 5. An outcome that is unknown (connection lost) is settled before `commit` settles; it never guesses.
 * 6. What was decided on top of a refused commit is refused. The store breaks the chain in the moment when it refuses a
 *    commit that is `Fenced` or has a snapshot, and rejects with `Fenced` whatever comes on a broken chain. Versions alone do
 *    not say this: when another node wrote version 6, our refused 6 must not make our waiting 7 look welcome.
 * 7. Within a commit, `forget` applies before `remind`: a handled reminder may set its own key again.
 */
import type { ActorRef, Reminder } from './actor.ts';

/** A snapshot as loaded. */
export interface Loaded {
  readonly version: number;
  readonly state: unknown;
}

/** A reminder as stored: where it goes, and how often it was tried. */
export interface DueReminder extends Reminder {
  readonly to: ActorRef;
  /** Failed deliveries so far. */
  readonly attempts: number;
}

/** A reminder as a commit sets it: on the shard of its receiver, whose owner looks for it. */
export interface PlacedReminder extends DueReminder {
  readonly shard: number;
}

/** Commits that were decided one on top of the other since the same load share it. */
export interface Chain {
  /** Written by the store (law 6), never mended: after the reload comes a new chain. */
  broken: boolean;
}

/** Everything that one decision wants to be true, atomically. */
export interface Commit<Write = unknown> {
  readonly actor: ActorRef;
  /** The version that was decided from; 0 when there is no row. */
  readonly base: number;
  readonly chain: Chain;
  /** Absent when the decision leaves the state alone: then the version stays `base`. */
  readonly snapshot?:
    | {
        /** Always `base + 1`. */
        readonly version: number;
        /** The whole state; the store encodes it when the commit is flushed, once per actor and batch. */
        readonly state: unknown;
      }
    | undefined;
  readonly writes: readonly Write[];
  readonly remind: readonly PlacedReminder[];
  /** Reminders of this actor to delete; `at` given deletes only the one that was set for that instant. */
  readonly forget: readonly { readonly key: string; readonly at?: number }[];
}

/** Work that failed for good, kept for a human. */
export interface DeadLetter {
  readonly actor: ActorRef;
  /** The command or task that failed. */
  readonly name: string;
  readonly payload: unknown;
  readonly error: string;
  readonly attempts: number;
}

export interface Store<Write = unknown> {
  /** The snapshot, or undefined when the actor has none. Concurrent loads are batched by the implementation. */
  load(actor: ActorRef): Promise<Loaded | undefined>;
  /** See the laws above. Rejects with {@link Fenced}, {@link Duplicate}, {@link Unavailable}, or a plain error. */
  commit(commit: Commit<Write>): Promise<void>;
  /** Reminders due at `now` on the given shards (all when absent), earliest first, and the instant of the next one after. */
  due(
    now: number,
    limit: number,
    shards?: readonly number[],
  ): Promise<{ readonly reminders: readonly DueReminder[]; readonly nextAt: number | undefined }>;
  /** Puts a failed reminder off and counts the attempt, unless it was deleted or set for another instant meanwhile. */
  postpone(reminder: DueReminder, at: number, error: string): Promise<void>;
  /** Deletes the reminder, if it is one and stands as given, and keeps the dead letter, in one transaction. */
  bury(letter: DeadLetter, reminder?: DueReminder): Promise<void>;
}

/** The actor's row has moved on: the decision was made from an old state. Reload and decide again. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly actor: ActorRef;
  constructor(actor: ActorRef) {
    super(`commit of ${actor.kind} ${actor.id} refused: its row has moved on`);
    this.actor = actor;
  }
}

/** A row that must be the first with its key was not: `scope` names the law, `key` the offender. */
export class Duplicate extends Error {
  override readonly name = 'Duplicate';
  readonly scope: string;
  readonly key: string;
  constructor(scope: string, key: string) {
    super(`duplicate ${scope}`);
    this.scope = scope;
    this.key = key;
  }
}

/** The store cannot take the commit now; nothing of it was applied. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}
