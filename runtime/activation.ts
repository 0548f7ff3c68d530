/**
 * One actor in memory.
 *
 *   loading      its snapshot is being read; commands wait
 *   ready        each command is decided as soon as it comes, on the newest state, committed or not; commits stream to the
 *                store, and answers and effects are released in order as they land
 *   reloading    a commit was refused: no turns until all that is in flight has settled and the snapshot is read again
 *   passivated   out of memory; takes nothing
 *
 *   loading -> ready           the snapshot came
 *   loading -> passivated      it could not be read: whoever waits is answered 503
 *   ready -> reloading         a commit was refused, and later turns may rest on it
 *   reloading -> loading       nothing is in flight; undone turns are back at the front of the mailbox, in order
 *   ready -> passivated        nothing waits, nothing is in flight
 *
 * A refused commit. When it was fenced, its command is decided again, at most `limits.fencedTries` times; any other failure is
 * the answer to its asker. The turns after it are decided again in either case: they stood on a state that never became
 * true. To not undo a thousand turns for each of a thousand bad commands, the activation then pipelines one turn, and one
 * more for each commit that lands, as TCP starts slowly after a loss.
 */
import type { ActorRef } from './actor.ts';
import { Command } from './command.ts';
import { internalError, serviceErrorOf, unavailable } from './failures.ts';
import type { Host, Pinned } from './host.ts';
import type { Kind } from './kind.ts';
import { Queue } from './queue.ts';
import { Fenced, type Loaded } from './store.ts';
import { Standing, takeTurn } from './turn.ts';

/** What is found of an actor whose kind is not stored. */
const nothingStored: Promise<Loaded | undefined> = Promise.resolve(undefined);

export type Phase = 'loading' | 'ready' | 'reloading' | 'passivated';

export class Activation implements Pinned {
  readonly ref: ActorRef;
  readonly shard: number;
  /** The sweep in which the last command came. */
  touched: number;
  pins = 0;
  readonly #kind: Kind;
  readonly #host: Host;
  #phase: Phase = 'loading';
  #standing: Standing;
  /** Commands whose turn has not come. */
  readonly #waiting = new Queue<Command>();
  /** Decided commands that are not answered yet, in the order of their turns. */
  readonly #flight = new Queue<Command>();
  /** Of those, the ones whose commit has not settled. */
  #open = 0;
  /** Most commands in flight. */
  #window: number;
  #whenQuiet: (() => void)[] | undefined = undefined;

  /** Starts to load. */
  constructor(ref: ActorRef, shard: number, kind: Kind, host: Host) {
    this.ref = ref;
    this.shard = shard;
    this.#kind = kind;
    this.#host = host;
    this.touched = host.tick;
    this.#window = host.limits.mailbox;
    this.#standing = new Standing(ref, undefined, 0);
    kind.counters.activations++;
    this.#load();
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** Nothing waits, nothing is in flight. */
  get quiet(): boolean {
    return (
      this.#waiting.head === undefined &&
      this.#flight.head === undefined &&
      (this.#phase === 'ready' || this.#phase === 'passivated')
    );
  }

  /** Quiet, and no effect runs that the actor may be counting on. */
  get evictable(): boolean {
    return this.pins === 0 && this.quiet;
  }

  /** Takes an admitted command, to be answered in its time. */
  accept(command: Command): void {
    if (this.#phase === 'passivated') throw new Error(`${this.ref.kind} ${this.ref.id} is passivated`);
    const { metrics, limits, tick } = this.#host;
    const depth = this.#waiting.size + this.#flight.size;
    metrics.mailboxDepth.observe(depth);
    this.touched = tick;
    if (depth >= limits.mailbox) {
      metrics.counters.overloaded++;
      this.#fail(command, unavailable('overloaded'));
    } else if (
      this.#phase === 'ready' &&
      this.#waiting.head === undefined &&
      this.#flight.size < this.#window
    ) {
      this.#turn(command);
    } else {
      this.#waiting.push(command);
    }
  }

  /** Puts the actor out of memory. Only when quiet. */
  passivate(): void {
    if (!this.quiet) throw new Error(`${this.ref.kind} ${this.ref.id} is not quiet`);
    if (this.#phase === 'passivated') return;
    this.#phase = 'passivated';
    this.#kind.counters.passivations++;
  }

  /** Resolves when the actor is quiet; at once when it is. */
  whenQuiet(): Promise<void> {
    if (this.quiet) return Promise.resolve();
    return new Promise(resolve => (this.#whenQuiet ??= []).push(resolve));
  }

  #load(): void {
    this.#phase = 'loading';
    const loading = this.#kind.stored ? this.#host.store.load(this.ref) : nothingStored;
    loading.then(
      loaded => this.#loaded(loaded),
      (error: unknown) => this.#abandon(error),
    );
  }

  #loaded(loaded: Loaded | undefined): void {
    try {
      const state = loaded === undefined ? this.#kind.blank(this.ref.id) : loaded.state;
      this.#standing = new Standing(this.ref, state, loaded?.version ?? 0);
    } catch (error) {
      this.#abandon(error);
      return;
    }
    this.#phase = 'ready';
    const { onActivate } = this.#kind;
    if (loaded !== undefined && onActivate !== undefined) {
      this.#host.admitted++;
      this.#turn(new Command(onActivate.name, onActivate.decide, {}, Infinity));
    }
    this.#run();
  }

  /** loading -> passivated */
  #abandon(error: unknown): void {
    const failure = this.#answerTo(error);
    this.#phase = 'passivated';
    this.#kind.counters.passivations++;
    this.#host.retire(this.ref);
    for (let command = this.#waiting.shift(); command !== undefined; command = this.#waiting.shift()) {
      this.#fail(command, failure);
    }
    this.#rest();
  }

  /** Gives as many turns as the window has room for. */
  #run(): void {
    while (this.#phase === 'ready' && this.#flight.size < this.#window) {
      const command = this.#waiting.shift();
      if (command === undefined) break;
      this.#turn(command);
    }
    this.#rest();
  }

  #turn(command: Command): void {
    const { clock } = this.#host;
    if (command.deadline < clock.monotonic()) {
      this.#host.metrics.counters.expired++;
      this.#fail(command, unavailable('deadline'));
      return;
    }
    takeTurn(command, this.#standing, this.#kind, this.#host, clock.now());
    const transient = command.decision?.transient === true;
    if (transient) this.#startEffects(command);
    if (command.commit !== undefined) {
      this.#send(command);
    } else if (transient || this.#flight.head === undefined) {
      this.#settle(command);
    } else {
      command.step = 'held';
      this.#flight.push(command);
    }
  }

  #send(command: Command): void {
    const { commit } = command;
    if (commit === undefined) return;
    command.step = 'open';
    command.sentAt = this.#host.clock.monotonic();
    this.#open++;
    this.#flight.push(command);
    this.#host.store.commit(commit).then(
      () => this.#landed(command),
      (error: unknown) => this.#refused(command, error),
    );
  }

  #landed(command: Command): void {
    const { metrics, clock, limits } = this.#host;
    metrics.counters.commits++;
    metrics.commitMs.observe(clock.monotonic() - command.sentAt);
    if (this.#window < limits.mailbox) this.#window++;
    command.step = 'landed';
    this.#open--;
    this.#release();
  }

  #refused(command: Command, error: unknown): void {
    const { counters } = this.#host.metrics;
    const fenced = error instanceof Fenced;
    if (fenced) counters.fenced++;
    else counters.refusedCommits++;
    command.error = error;
    // Without a snapshot nothing rests on it, unless the actor's row has moved on altogether.
    command.step = fenced || command.commit?.snapshot !== undefined ? 'broken' : 'failed';
    if (command.step === 'broken') this.#phase = 'reloading';
    this.#open--;
    this.#release();
  }

  /** Answers from the front whatever is certain. */
  #release(): void {
    for (let head = this.#flight.head; head !== undefined; head = this.#flight.head) {
      if (head.step === 'open' || head.step === 'broken') break;
      this.#flight.shift();
      this.#settle(head);
    }
    if (this.#phase === 'ready') this.#run();
    else if (this.#open === 0) this.#undo();
  }

  /** reloading -> loading. The first in flight is the first that was refused; all after it is void. */
  #undo(): void {
    const again = new Queue<Command>();
    const first = this.#flight.shift();
    if (first !== undefined) {
      first.tries++;
      if (first.error instanceof Fenced && first.tries < this.#host.limits.fencedTries) again.push(first);
      else this.#settle(first);
    }
    for (let later = this.#flight.shift(); later !== undefined; later = this.#flight.shift())
      again.push(later);
    for (let command = again.head; command !== undefined; command = command.next) command.rewind();
    this.#waiting.prepend(again);
    this.#window = 1;
    this.#load();
  }

  #settle(command: Command): void {
    if (command.error !== undefined) {
      this.#fail(command, this.#answerTo(command.error, command));
      return;
    }
    const { decision, commit } = command;
    if (decision?.transient !== true) this.#startEffects(command);
    if (commit !== undefined && commit.remind.length > 0) this.#host.remind(commit.remind);
    this.#host.admitted--;
    command.resolve?.(decision?.reply);
  }

  #startEffects({ decision }: Command): void {
    const effects = decision?.effects;
    if (effects !== undefined && effects.length > 0) this.#host.start(this, effects);
  }

  #fail(command: Command, error: Error): void {
    this.#host.admitted--;
    if (command.reject !== undefined) {
      command.reject(error);
      return;
    }
    const { kind, id } = this.ref;
    this.#host.metrics.counters.lostTells++;
    this.#host.log.debug({ kind, id, command: command.name, err: error }, 'a tell failed');
  }

  #answerTo(error: unknown, command?: Command): Error {
    const known = serviceErrorOf(error);
    if (known !== undefined) return known;
    const { kind, id } = this.ref;
    const { requestId, traceparent } = command?.origin ?? {};
    const what = command === undefined ? 'an actor could not be loaded' : 'a commit failed';
    this.#host.log.error({ err: error, kind, id, command: command?.name, requestId, traceparent }, what);
    return internalError();
  }

  #rest(): void {
    if (this.#whenQuiet === undefined || !this.quiet) return;
    const waiters = this.#whenQuiet;
    this.#whenQuiet = undefined;
    for (const resolve of waiters) resolve();
  }
}
