/**
 * The store under the actors. One conformance suite (test/runtime/actor/store.conformance.ts) tests every implementation: memory for
 * simulation and unit tests, PostgreSQL for the product (storage/commit).
 *
 * Rules:
 * 1. `commit` resolves once all of it is durable, or rejects with nothing of it applied. It always settles. The one exception is
 *    {@link OutcomeUnknown}, see rule 5.
 * 2. A commit applies only to the version `base`, with a snapshot or without; otherwise it rejects with `Fenced`.
 * 3. Commits of one actor apply in the order of the calls.
 * 4. A commit that breaks a constraint of its own fails alone: commits of other actors in its batch are not touched.
 * 5. When the outcome is unknown (connection lost), the store reads it back before `commit` settles; it never guesses. A store that has
 *    to close before the database is back rejects with `OutcomeUnknown`.
 * 6. What was decided on top of a refused commit is refused. The store breaks the chain the moment it refuses a commit that is
 *    `Fenced` or has a snapshot, and rejects with `Fenced` whatever follows on a broken chain. Versions alone are not enough: when
 *    another node wrote version 6 and our 6 was refused, our waiting 7 would seem to fit.
 * 7. Within a commit, `forget` applies before `remind`: a handled reminder may set its own key again.
 */
import type { ActorRef, Reminder } from './actor.ts';

/** A snapshot as loaded. */
export interface Loaded {
  readonly version: number;
  readonly state: unknown;
}

/** A reminder as stored: its receiver, and how often its delivery failed. */
export interface DueReminder extends Reminder {
  readonly to: ActorRef;
  /** Failed deliveries so far. */
  readonly attempts: number;
}

/** A reminder with the shard of its receiver. The owner of that shard delivers it. */
export interface PlacedReminder extends DueReminder {
  readonly shard: number;
}

/** Shared by the commits that were decided on top of each other since the same load. */
export interface Chain {
  /** Set by the store (rule 6) and never reset: a reload begins a new chain. */
  broken: boolean;
}

/** Everything that one decision writes, atomically. */
export interface Commit<Write = unknown> {
  readonly actor: ActorRef;
  /** The version that the decision was made from; 0 when there is no row. */
  readonly base: number;
  readonly chain: Chain;
  /** Absent when the decision leaves the state alone: then the version stays `base`. */
  readonly snapshot?:
    | {
        /** Always `base + 1`. */
        readonly version: number;
        /** The whole state; the store encodes it when it flushes the commit, once per actor and batch. */
        readonly state: unknown;
      }
    | undefined;
  readonly writes: readonly Write[];
  readonly remind: readonly PlacedReminder[];
  /** W3C Trace Context of the turn; absent where its trace is not kept. */
  readonly traceparent?: string | undefined;
  /** Reminders of this actor to delete; `at` given deletes only the one that was set for that instant. */
  readonly forget: readonly { readonly key: string; readonly at?: number }[];
}

/** Work that failed for good, kept for a person to look at. */
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
  /** See the rules above. Rejects with {@link Fenced}, {@link Duplicate}, {@link StoreUnavailable}, {@link OutcomeUnknown}, or a plain error. */
  commit(commit: Commit<Write>): Promise<void>;
  /** Reminders due at `now` on the given shards (all when absent), earliest first, and when the next one after them is due. */
  dueReminders(
    now: number,
    limit: number,
    shards?: readonly number[],
  ): Promise<{ readonly reminders: readonly DueReminder[]; readonly nextAt: number | undefined }>;
  /** Postpones a failed reminder and counts the attempt, unless it was deleted or set for another time meanwhile. */
  postponeReminder(reminder: DueReminder, at: number, error: string): Promise<void>;
  /** Keeps the dead letter and, in the same transaction, deletes the reminder, if one is given and it is still as given. */
  addDeadLetter(letter: DeadLetter, reminder?: DueReminder): Promise<void>;
  /** When the last commit that has succeeded was sent, by the monotonic clock; -Infinity before the first. */
  readonly writtenAt: number;
  /** Tries to commit a row of its own, unless a try is under way: `writtenAt` tells the result. Never throws. */
  probe(): void;
}

/** The actor's row has another version: the decision was made from an old state. Reload and decide again. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
  readonly actor: ActorRef;
  constructor(actor: ActorRef) {
    super(`commit of ${actor.kind} ${actor.id} refused: its row has another version`);
    this.actor = actor;
  }
}

/** A row with a unique key was there already. `scope` names the constraint. */
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

/** The commit would have added one more of something than its owner may have; nothing of it was applied. */
export class LimitReached extends Error {
  override readonly name = 'LimitReached';
  /** The name of the limit. */
  readonly limit: string;
  readonly most: number;
  constructor(limit: string, most: number) {
    super(`the limit ${limit} is ${most}`);
    this.limit = limit;
    this.most = most;
  }
}

/** The store cannot take the commit now; nothing of it was applied. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The store closed while the outcome of the commit was in doubt: all of it was applied, or nothing. */
export class OutcomeUnknown extends Error {
  override readonly name = 'OutcomeUnknown';
}
