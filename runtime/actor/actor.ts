/**
 * What an actor is: a kind, a small state, and pure decisions over it (docs/decisions/0001-virtual-actors.md).
 *
 * A decision is data. It says what the state becomes, which rows go into the same transaction, what the caller is told and what
 * happens after the commit; the runtime does the rest. `decide` must not await, read a clock, or draw randomness: time comes in
 * `turn.now`, ids come in the command. So a decision can be made again when its commit is refused
 * (docs/decisions/0002-pure-decisions.md).
 */

/** The address of a virtual actor, which always exists and comes into memory with its first command. */
export interface ActorRef {
  readonly kind: string;
  readonly id: string;
}

/** What a decision knows beside state and command. */
export interface Turn {
  /** The time of the turn in epoch milliseconds: the same for everything that this turn decides. */
  readonly now: number;
  /** The actor's own id. */
  readonly id: string;
}

/** A durable timer: delivered to `to` as a command at or after `at`, at least once, deleted by the commit that handles it. */
export interface Reminder {
  /** Unique per receiving actor; setting the same key again replaces the older reminder. */
  readonly key: string;
  /** Epoch milliseconds; now or the past means at once after the commit, which makes it a durable tell. */
  readonly at: number;
  /** The receiver; the deciding actor itself when absent. */
  readonly to?: ActorRef;
  readonly command: string;
  /** JSON. */
  readonly payload: unknown;
}

/** Something to do once the decision is committed. A crash loses it: what must happen anyway is a row or a reminder. */
export type Effect =
  /** Sends a command to another actor without waiting: a hint, whose loss something else makes up for. */
  | { readonly do: 'tell'; readonly to: ActorRef; readonly command: string; readonly payload: unknown }
  /** Runs a task of the kind (`ActorKind.tasks`); retried with back-off; a dead letter once actors have refused it. */
  | { readonly do: 'perform'; readonly task: string; readonly payload: unknown };

/** The outcome of one turn. */
export interface Decision<State, Reply = unknown, Write = unknown> {
  /** The next state; when it is absent or identical, no snapshot is written. */
  readonly state?: State;
  /**
   * The new state differs only in what its snapshot leaves out (work in flight, caches): nothing is committed, and the reply and
   * the effects start at once, also ahead of turns whose commits are in flight. The effects may only do what an EARLIER committed
   * row asks for. A reload forgets such state. It is a defect for such a decision to have rows or reminders.
   */
  readonly transient?: boolean;
  /** Rows for the same transaction, in the vocabulary of the store. */
  readonly writes?: readonly Write[];
  readonly remind?: readonly Reminder[];
  /** Keys of the actor's own reminders to cancel. */
  readonly forget?: readonly string[];
  readonly effects?: readonly Effect[];
  readonly reply: Reply;
}

/** A command's payload and reply, both JSON, since the caller may be on another node. */
export interface CommandShape {
  readonly payload: unknown;
  readonly reply: unknown;
}

/** The commands of a kind by name. */
export type Commands = Record<string, CommandShape>;

/**
 * A pure decision. To refuse, it throws a `ServiceError`: the caller gets it, and the state stays as it was. Any other exception is
 * a defect and fails this command alone, as `svc/runtime/internal_error`.
 *
 * The state may not be committed yet. So a refusal, like a reply that changes nothing, waits for all earlier commits of the actor and
 * is decided again when one of them is refused: nobody learns of a state that never became true.
 */
export type Decide<State, Shape extends CommandShape, Write> = (
  state: State,
  payload: Shape['payload'],
  turn: Turn,
) => Decision<State, Shape['reply'], Write>;

/** What a task can use. Tasks are the only impure part of a kind. */
export interface TaskContext {
  readonly self: ActorRef;
  /** Asks an actor from outside any turn. Tasks can ask; decisions only tell. */
  ask(to: ActorRef, command: string, payload: unknown): Promise<unknown>;
  now(): number;
}

/** Performs an effect; a rejection counts as a failure and is retried. */
export type Task = (payload: never, context: TaskContext) => Promise<void>;

/** Whether actors of a kind have a row in the store. */
export type Snapshot = 'stored' | 'none';

/** The declaration of a kind of actor: everything about it, in one place. */
export interface ActorKind<State, C extends Commands, Write = unknown> {
  readonly kind: string;
  /** The state of an actor that has no snapshot yet. */
  readonly initialState: (id: string) => State;
  /**
   * Default `stored`. `none`: its actors live in memory only and start from `initialState` each time they come into memory, on this
   * node or another. It is a defect for their decisions to have rows or reminders, and to be asked for by a reminder: there is no
   * row to commit them with.
   */
  readonly snapshot?: Snapshot;
  readonly decide: { readonly [Name in keyof C]: Decide<State, C[Name], Write> };
  readonly tasks?: Readonly<Record<string, Task>>;
  /**
   * Sent to the actor as a command with the payload `{}`, before all others, whenever its snapshot was loaded: resumes work that a
   * crash interrupted, and rebuilds transient state that a reload forgot. An actor without a snapshot gets none.
   */
  readonly onActivate?: keyof C & string;
  /** Idle time after which the actor is passivated, in milliseconds. Default 600,000. */
  readonly idleMs?: number;
  /** How many tasks of this kind run at once on a node; the others queue. Default 256. */
  readonly tasksAtOnce?: number;
  /** The key of the actor's shard: actors with the same key live on the same node. Default: the id. */
  readonly shardKey?: (id: string) => string;
}

/** A declaration with its types erased: the runtime never looks inside a state, a payload or a row. */
export interface AnyActorKind {
  readonly kind: string;
  readonly initialState: (id: string) => unknown;
  readonly snapshot?: Snapshot;
  readonly decide: Readonly<Record<string, (state: never, payload: never, turn: Turn) => Decision<unknown>>>;
  readonly tasks?: Readonly<Record<string, Task>>;
  readonly onActivate?: string;
  readonly idleMs?: number;
  readonly tasksAtOnce?: number;
  readonly shardKey?: (id: string) => string;
}

/** Declares a kind, and infers its types. */
export function actor<State, C extends Commands, Write>(
  kind: ActorKind<State, C, Write>,
): ActorKind<State, C, Write> {
  return kind;
}
