/**
 * One thread as it is shown, read over REST and kept true by the stream: the thread itself, its history, its agents, and who else is there.
 *
 *   new -> reading -> ready; or failed: `open` reads again
 *
 * What is shown stays while the server is away: what was missed is asked for until it has come.
 */
import type {
  AgentRun,
  EphemeralEvent,
  Message,
  Skein,
  SkeinEvent,
  Thread,
  ThreadNote,
} from '../../sdk/index.ts';
import {
  addRuns,
  addWaitingCalls,
  noActivity,
  takeAgentEvent,
  takeDelta,
  type AgentActivity,
} from '../agent/activity.ts';
import { canSucceedLater } from '../composer/outbox.ts';
import { ThreadHistory, type Entry, isShownEvent } from './history.ts';

export interface ThreadState {
  readonly phase: 'new' | 'reading' | 'ready' | 'failed';
  /** Why it could not be read. */
  readonly error: unknown;
  readonly thread: Thread | undefined;
  readonly entries: readonly Entry[];
  readonly reachesStart: boolean;
  readonly isReadingEarlier: boolean;
  /** Number of the last event of the thread that came here. */
  readonly lastSequence: number;
  readonly activity: AgentActivity;
  /** Its participant's data was erased while it was open. */
  readonly isErased: boolean;
}

/** What a thread needs of its surroundings. */
export interface ThreadPort {
  /** Called with the number up to which the operator has read, once the server knows. */
  onRead(sequence: number): void;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

/** The calls that a thread is read by. */
export type ThreadClient = Pick<Skein, 'threads' | 'messages' | 'notes' | 'agentRuns' | 'events'>;

const pageSize = 50;
/** The contract's. */
const largestPage = 100;
const shownRuns = 20;
/** What could not be read is asked for again after so long, in milliseconds. */
const againMs = 2_000;

/** The later state of a thread. What only reads have stays. */
export function mergeThread(known: Thread | undefined, given: Thread): Thread {
  if (known === undefined) return given;
  if ((known.sequence ?? 0) > (given.sequence ?? 0)) return known;
  const readSequence = Math.max(known.readSequence ?? 0, given.readSequence ?? 0);
  return { ...given, readSequence };
}

export class OpenThread {
  readonly threadId: string;
  readonly #client: ThreadClient;
  readonly #port: ThreadPort;
  readonly #listeners = new Set<() => void>();
  #history = new ThreadHistory();
  #earlierCursor: string | undefined;
  #earlier: Promise<void> | undefined;
  #opening: Promise<void> = Promise.resolve();
  #cancelAgain: (() => void) | undefined;
  #state: ThreadState;

  constructor(threadId: string, client: ThreadClient, port: ThreadPort) {
    this.#port = port;
    this.threadId = threadId;
    this.#client = client;
    this.#state = {
      phase: 'new',
      error: undefined,
      thread: undefined,
      entries: [],
      reachesStart: false,
      isReadingEarlier: false,
      lastSequence: 0,
      activity: noActivity,
      isErased: false,
    };
  }

  /** The same object until something changes. */
  readonly getState = (): ThreadState => this.#state;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads the thread, unless that is done or under way. */
  open(): Promise<void> {
    const { phase } = this.#state;
    if (phase === 'reading' || phase === 'ready') return this.#opening;
    this.#change({ phase: 'reading', error: undefined });
    this.#opening = this.#openNew();
    return this.#opening;
  }

  async #openNew(): Promise<void> {
    try {
      await this.#read();
      this.#change({ phase: 'ready' });
    } catch (error) {
      this.#change({ phase: 'failed', error });
    }
    void this.#readAside();
  }

  /** Events were missed: what came since is read page by page, and merged with what is there. */
  async reset(): Promise<void> {
    this.#cancelAgain?.();
    await this.#opening;
    if (this.#state.phase !== 'ready') return;
    try {
      const afterSequence = this.#history.newestSequence;
      for await (const page of this.#client.messages
        .list(this.threadId, { afterSequence, order: 'asc', limit: largestPage })
        .pages())
        this.addMessages(page.data);
      await this.#read();
    } catch (error) {
      if (!canSucceedLater(error)) return this.#change({ phase: 'failed', error });
      this.#cancelAgain?.();
      this.#cancelAgain = this.#port.schedule(() => void this.reset(), againMs);
      return;
    }
    void this.#readAside();
  }

  /** The page before the oldest message that is here, unless it is on its way. */
  readEarlier(): Promise<void> {
    this.#earlier ??= this.#readPage(pageSize);
    return this.#earlier;
  }

  /** Reads as far back as the message. Gives whether it is here. */
  async readBackTo(messageId: string): Promise<boolean> {
    await this.#opening;
    while (this.#history.getMessage(messageId) === undefined && this.#earlierCursor !== undefined) {
      await this.#earlier;
      this.#earlier ??= this.#readPage(largestPage);
      await this.#earlier;
    }
    return this.#history.getMessage(messageId) !== undefined;
  }

  async #readPage(limit: number): Promise<void> {
    const cursor = this.#earlierCursor;
    if (cursor === undefined) return;
    this.#change({ isReadingEarlier: true });
    try {
      this.#takePage(await this.#client.messages.list(this.threadId, { order: 'desc', limit, cursor }));
    } finally {
      this.#earlier = undefined;
      this.#change({ isReadingEarlier: false });
    }
  }

  /** Of this thread, as an answer or an event has it. */
  takeThread(thread: Thread): void {
    const merged = mergeThread(this.#state.thread, thread);
    this.#change({ thread: merged, lastSequence: Math.max(this.#state.lastSequence, merged.sequence ?? 0) });
  }

  getMessage(messageId: string): Message | undefined {
    return this.#history.getMessage(messageId);
  }

  addMessages(messages: readonly Message[]): void {
    this.#history.addMessages(messages);
    this.#change({});
  }

  /** With the note as an answer has it. */
  addNote(note: ThreadNote): void {
    this.#history.addNotes([note]);
    this.#change({});
  }

  takeEvent(event: SkeinEvent): void {
    this.#history.addEvent(event);
    const { data } = event;
    const sequence = 'sequence' in data ? (data.sequence ?? 0) : 0;
    const thread = 'thread' in data ? mergeThread(this.#state.thread, data.thread) : this.#state.thread;
    this.#change({
      thread,
      lastSequence: Math.max(this.#state.lastSequence, sequence),
      activity: takeAgentEvent(this.#state.activity, event),
      isErased: this.#state.isErased || event.eventName === 'thread.lifecycle.erased',
    });
  }

  takeEphemeral(event: EphemeralEvent): void {
    if (event.eventName === 'agent.output.delta')
      this.#change({ activity: takeDelta(this.#state.activity, event) });
  }

  /** Runs without their steps. */
  takeRuns(runs: readonly AgentRun[]): void {
    this.#change({ activity: addRuns(this.#state.activity, runs) });
  }

  /** A run that was read with its steps. */
  takeRun(run: AgentRun): void {
    this.#change({ activity: addWaitingCalls(addRuns(this.#state.activity, [run]), run) });
  }

  /** The operator has seen everything up to there. */
  async moveReadCursor(sequence: number): Promise<void> {
    const answer = await this.#client.threads.moveReadCursor(this.threadId, { sequence });
    this.#port.onRead(answer.sequence);
    const { thread } = this.#state;
    if (thread !== undefined)
      this.#change({
        thread: { ...thread, readSequence: Math.max(thread.readSequence ?? 0, answer.sequence) },
      });
  }

  async #read(): Promise<void> {
    const isFirst = this.#earlierCursor === undefined && !this.#history.reachesStart;
    const [thread, page, { data: notes }] = await Promise.all([
      this.#client.threads.get(this.threadId),
      this.#client.messages.list(this.threadId, { order: 'desc', limit: pageSize }),
      this.#client.notes.list(this.threadId, { limit: 100 }),
    ]);
    this.#history.addNotes(notes);
    if (isFirst) this.#takePage(page);
    else this.addMessages(page.data);
    this.takeThread(thread);
  }

  #takePage({
    data,
    nextCursor,
  }: {
    readonly data: readonly Message[];
    readonly nextCursor: string | null;
  }): void {
    this.#history.addMessages(data);
    this.#earlierCursor = nextCursor ?? undefined;
    if (nextCursor === null) this.#history.markStart();
    this.#change({});
  }

  /** What a thread can be shown without: its runs, and what happened to it, which not everybody may read. */
  async #readAside(): Promise<void> {
    const { agentRuns, events } = this.#client;
    const threadId = this.threadId;
    const [runs, happened] = await Promise.allSettled([
      agentRuns.list({ threadId, limit: shownRuns }),
      events.list({ threadId, eventName: 'thread.*', limit: 100 }),
    ]);
    if (happened.status === 'fulfilled')
      for (const event of happened.value.data as readonly SkeinEvent[])
        if (isShownEvent(event)) this.#history.addEvent(event);
    if (runs.status !== 'fulfilled') return this.#change({});
    this.#change({ activity: addRuns(this.#state.activity, runs.value.data) });
    const { running } = this.#state.activity;
    if (running !== undefined)
      await agentRuns.get(running.agentRunId).then(
        run => this.takeRun(run),
        () => undefined,
      );
  }

  #change(change: Partial<ThreadState>): void {
    const { entries, reachesStart } = this.#history;
    this.#state = { ...this.#state, ...change, entries, reachesStart };
    for (const listener of this.#listeners) listener();
  }
}
