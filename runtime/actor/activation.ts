/**
 * One actor in memory. Its state:
 *
 *   loading      its snapshot is being read; commands wait
 *   ready        each command is decided as soon as it comes, on the newest state, committed or not; commits stream to the store, and
 *                answers and effects are released in order as the commits become durable
 *   reloading    a commit was refused: no turns until everything in flight has settled
 *   passivated   out of memory; takes nothing
 *
 * The moves, all of them by `#become`:
 *
 *   loading -> ready           the snapshot was read
 *   loading -> passivated      it could not be read: the waiting commands are answered with 503
 *   ready -> reloading         a commit was refused, and later turns may rest on it; or the store went back
 *   reloading -> loading       nothing is in flight; undone turns are back at the front of the mailbox, in order
 *   ready -> passivated        nothing waits, and nothing is in flight
 *
 * A refused commit. When it was fenced, its command is decided again, at most `limits.fencedTries` times; any other failure is the
 * answer to its caller. The turns after it are decided again in either case, because they rest on a state that never became true. A
 * thousand bad commands would undo up to a thousand turns each; so the activation then pipelines one turn, and one more for each
 * commit that succeeds, as TCP starts slowly after a loss.
 */
import { ServiceError } from '../../protocol/errors.ts';
import type { ActorRef } from './actor.ts';
import { internalError, toServiceError, unavailable } from './failures.ts';
import type { Kind } from './kind.ts';
import type { NodeContext, Pinned } from './node-context.ts';
import { Duplicate, Fenced, LimitReached, type Loaded, OutcomeUnknown, StoreUnavailable } from './store.ts';
import { Command, Queue, SpeculativeState, takeTurn } from './turn.ts';

/** What is loaded for an actor whose kind is not stored. */
const nothingStored: Promise<Loaded | undefined> = Promise.resolve(undefined);

export type ActivationState = 'loading' | 'ready' | 'reloading' | 'passivated';

const moves: Readonly<Record<ActivationState, readonly ActivationState[]>> = {
  loading: ['ready', 'passivated'],
  ready: ['reloading', 'passivated'],
  reloading: ['loading'],
  passivated: [],
};

export class Activation implements Pinned {
  readonly ref: ActorRef;
  readonly shard: number;
  /** The sweep in which the last command came. */
  lastUsed: number;
  pins = 0;
  readonly #kind: Kind;
  readonly #context: NodeContext;
  #state: ActivationState = 'loading';
  /** The store went back while the snapshot was read. */
  #isOutdated = false;
  #current: SpeculativeState;
  /** Commands whose turn has not come. */
  readonly #mailbox = new Queue<Command>();
  /** Decided commands that are not answered yet, in the order of their turns. */
  readonly #inFlight = new Queue<Command>();
  /** Those of them whose commit has not settled. */
  #committing = 0;
  /** How many commands may be in flight. */
  #window: number;
  #whenIdle: (() => void)[] | undefined = undefined;

  /** Starts to load. */
  constructor(ref: ActorRef, shard: number, kind: Kind, context: NodeContext) {
    this.ref = ref;
    this.shard = shard;
    this.#kind = kind;
    this.#context = context;
    this.lastUsed = context.sweeps;
    this.#window = context.limits.mailbox;
    this.#current = new SpeculativeState(ref, undefined, 0);
    kind.counters.activations++;
    this.#load();
  }

  get state(): ActivationState {
    return this.#state;
  }

  /** Commands that wait or are in flight. */
  get depth(): number {
    return this.#mailbox.size + this.#inFlight.size;
  }

  /** When the oldest command in flight was sent to the store, by the monotonic clock; undefined where none is being committed. */
  get committingSince(): number | undefined {
    const { head } = this.#inFlight;
    return head?.status === 'committing' ? head.sentAt : undefined;
  }

  /** Nothing waits, and nothing is in flight. */
  get isIdle(): boolean {
    return (
      this.#mailbox.head === undefined &&
      this.#inFlight.head === undefined &&
      (this.#state === 'ready' || this.#state === 'passivated')
    );
  }

  /** Idle, and without running effects, whose progress the actor may hold in memory. */
  get isEvictable(): boolean {
    return this.pins === 0 && this.isIdle;
  }

  /** Takes an admitted command, to be answered later. */
  accept(command: Command): void {
    if (this.#state === 'passivated') throw new Error(`${this.ref.kind} ${this.ref.id} is passivated`);
    const { metrics, limits, sweeps } = this.#context;
    const { depth } = this;
    metrics.mailboxDepth.observe(depth);
    this.lastUsed = sweeps;
    if (command.request?.traceparent !== undefined) this.#trace(command, depth);
    if (depth >= limits.mailbox) {
      metrics.counters.overloaded++;
      this.#fail(command, unavailable('overloaded'));
    } else if (
      this.#state === 'ready' &&
      this.#mailbox.head === undefined &&
      this.#inFlight.size < this.#window
    ) {
      this.#takeTurn(command);
    } else {
      this.#mailbox.push(command);
    }
  }

  /** The store may have gone back: the snapshot is loaded again before the next turn. Commits in flight settle first. */
  reload(): void {
    if (this.#state === 'loading') this.#isOutdated = true;
    if (this.#state !== 'ready') return;
    this.#become('reloading');
    if (this.#committing === 0) this.#undo();
  }

  /** Takes the actor out of memory. Only when it is idle. */
  passivate(): void {
    if (!this.isIdle) throw new Error(`${this.ref.kind} ${this.ref.id} is not idle`);
    if (this.#state === 'passivated') return;
    this.#become('passivated');
    this.#kind.counters.passivations++;
  }

  /** Resolves when the actor is idle; at once when it is. */
  whenIdle(): Promise<void> {
    if (this.isIdle) return Promise.resolve();
    return new Promise(resolve => (this.#whenIdle ??= []).push(resolve));
  }

  #become(next: ActivationState): void {
    if (!moves[this.#state].includes(next)) {
      throw new Error(`${this.ref.kind} ${this.ref.id} cannot become ${next} while ${this.#state}`);
    }
    this.#state = next;
  }

  /** In the state `loading`. */
  #load(): void {
    const loading = this.#kind.stored ? this.#context.store.load(this.ref) : nothingStored;
    loading.then(
      loaded => this.#onLoaded(loaded),
      (error: unknown) => this.#onLoadFailed(error),
    );
  }

  /** loading -> ready */
  #onLoaded(loaded: Loaded | undefined): void {
    if (this.#isOutdated) {
      this.#isOutdated = false;
      this.#load();
      return;
    }
    try {
      const state = loaded === undefined ? this.#kind.initialState(this.ref.id) : loaded.state;
      this.#current = new SpeculativeState(this.ref, state, loaded?.version ?? 0);
    } catch (error) {
      this.#onLoadFailed(error);
      return;
    }
    this.#become('ready');
    const { onActivate } = this.#kind;
    if (loaded !== undefined && onActivate !== undefined) {
      this.#context.admitted++;
      this.#takeTurn(new Command(onActivate.name, onActivate.decide, {}, Infinity));
    }
    this.#run();
  }

  /** loading -> passivated */
  #onLoadFailed(error: unknown): void {
    const failure = this.#toAnswer(error);
    this.#become('passivated');
    this.#kind.counters.passivations++;
    this.#context.onLoadFailed(this.ref);
    for (let command = this.#mailbox.shift(); command !== undefined; command = this.#mailbox.shift()) {
      this.#fail(command, failure);
    }
    this.#notifyIdle();
  }

  /** Takes as many turns as the window has room for. */
  #run(): void {
    while (this.#state === 'ready' && this.#inFlight.size < this.#window) {
      const command = this.#mailbox.shift();
      if (command === undefined) break;
      this.#takeTurn(command);
    }
    this.#notifyIdle();
  }

  #takeTurn(command: Command): void {
    const { clock } = this.#context;
    if (command.deadline < clock.monotonic()) {
      this.#context.metrics.counters.expired++;
      this.#fail(command, unavailable('deadline'));
      return;
    }
    takeTurn(command, this.#current, this.#kind, this.#context, clock.now());
    command.span?.note('decided');
    const transient = command.decision?.transient === true;
    if (transient) this.#startEffects(command);
    if (command.commit !== undefined) {
      this.#commit(command);
    } else if (transient || this.#inFlight.head === undefined) {
      this.#settle(command);
    } else {
      command.status = 'held';
      this.#inFlight.push(command);
    }
  }

  #commit(command: Command): void {
    const { commit } = command;
    if (commit === undefined) return;
    command.status = 'committing';
    command.sentAt = this.#context.clock.monotonic();
    this.#committing++;
    this.#inFlight.push(command);
    this.#context.store.commit(commit).then(
      () => this.#onCommitted(command),
      (error: unknown) => this.#onRefused(command, error),
    );
  }

  #onCommitted(command: Command): void {
    const { metrics, clock, limits } = this.#context;
    metrics.counters.commits++;
    metrics.commitMs.observe(clock.monotonic() - command.sentAt, command.span?.traceparent);
    if (this.#window < limits.mailbox) this.#window++;
    command.status = 'committed';
    this.#committing--;
    this.#release();
  }

  /** ready -> reloading, unless nothing rests on the commit. */
  #onRefused(command: Command, error: unknown): void {
    const { counters, refusedBy } = this.#context.metrics;
    const fenced = error instanceof Fenced;
    const reason = toRefusalReason(error);
    refusedBy.add(reason);
    if (fenced) counters.fenced++;
    // A request that is repeated and a tenant at its limit are everyday, and alerts ask for this count.
    else if (reason === 'unavailable' || reason === 'error') counters.refusedCommits++;
    command.error = error;
    // Without a snapshot nothing rests on it, unless the actor's row has another version altogether.
    command.status = fenced || command.commit?.snapshot !== undefined ? 'broken' : 'failed';
    if (command.status === 'broken' && this.#state === 'ready') this.#become('reloading');
    this.#committing--;
    this.#release();
  }

  /** Answers, from the front, every command whose outcome is certain. */
  #release(): void {
    for (let head = this.#inFlight.head; head !== undefined; head = this.#inFlight.head) {
      if (head.status === 'committing' || head.status === 'broken') break;
      this.#inFlight.shift();
      this.#settle(head);
    }
    if (this.#state === 'ready') this.#run();
    else if (this.#committing === 0) this.#undo();
  }

  /** reloading -> loading. The first in flight is the first that was refused; all after it are void. */
  #undo(): void {
    const undone = new Queue<Command>();
    const first = this.#inFlight.shift();
    if (first !== undefined) {
      first.tries++;
      if (first.error instanceof Fenced && first.tries < this.#context.limits.fencedTries) undone.push(first);
      else this.#settle(first);
    }
    for (let later = this.#inFlight.shift(); later !== undefined; later = this.#inFlight.shift()) {
      undone.push(later);
    }
    for (let command = undone.head; command !== undefined; command = command.next) command.undo();
    this.#mailbox.prepend(undone);
    this.#window = 1;
    this.#become('loading');
    this.#load();
  }

  #settle(command: Command): void {
    if (command.error !== undefined) {
      this.#fail(command, this.#toAnswer(command.error, command));
      return;
    }
    const { decision, commit } = command;
    if (decision?.transient !== true) this.#startEffects(command);
    if (commit !== undefined && commit.remind.length > 0) this.#context.scheduleReminders(commit.remind);
    this.#context.admitted--;
    command.span?.end();
    command.resolve?.(decision?.reply);
  }

  /** Opens the span of a command, from its arrival to its answer. `depth`: the commands before it. */
  #trace(command: Command, depth: number): void {
    const { kind, id } = this.ref;
    command.span = this.#context.tracer.start(`${kind}.${command.name}`, command.request?.traceparent, {
      attributes: { 'skein.actor.kind': kind, [`skein.${kind}.id`]: id, 'skein.mailbox.depth': depth },
    });
  }

  #startEffects({ decision }: Command): void {
    const effects = decision?.effects;
    if (effects !== undefined && effects.length > 0) this.#context.startEffects(this, effects);
  }

  #fail(command: Command, error: Error): void {
    this.#context.admitted--;
    command.span?.end(error instanceof ServiceError ? error.code : error.name);
    if (command.reject !== undefined) {
      command.reject(error);
      return;
    }
    const { kind, id } = this.ref;
    this.#context.metrics.counters.lostTells++;
    this.#context.log.debug({ kind, id, command: command.name, err: error }, 'a tell failed');
  }

  #toAnswer(error: unknown, command?: Command): Error {
    const known = toServiceError(error);
    if (known !== undefined) return known;
    const { kind, id } = this.ref;
    const { requestId, traceparent } = command?.request ?? {};
    const what = command === undefined ? 'an actor could not be loaded' : 'a commit failed';
    this.#context.log.error({ err: error, kind, id, command: command?.name, requestId, traceparent }, what);
    return internalError();
  }

  #notifyIdle(): void {
    if (this.#whenIdle === undefined || !this.isIdle) return;
    const waiters = this.#whenIdle;
    this.#whenIdle = undefined;
    for (const resolve of waiters) resolve();
  }
}

/** The label of `skein_commit_refusals_total`. */
function toRefusalReason(error: unknown): string {
  if (error instanceof Fenced) return 'fenced';
  if (error instanceof Duplicate) return 'duplicate';
  if (error instanceof LimitReached) return 'limit';
  return error instanceof StoreUnavailable || error instanceof OutcomeUnknown ? 'unavailable' : 'error';
}
