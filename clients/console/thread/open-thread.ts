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
import { addRuns, addWaitingCalls, takeAgentEvent, takeDelta, takeModeEvent } from '../agent/activity.ts';
import { canSucceedLater } from '../composer/outbox.ts';
import { ThreadHistory, readEvents } from './history.ts';
import { MessagePages } from './message-pages.ts';
import { PagesBack } from './pages-back.ts';
import { mergeThread, newThread, takeThreadEvent, type ThreadState } from './thread-state.ts';

/** What a thread needs of its surroundings. */
export interface ThreadPort {
  /** Called with the number up to which the operator has read, once the server knows. */
  onRead(sequence: number): void;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

/** The calls that a thread is read by. */
export type ThreadClient = Pick<Skein, 'threads' | 'messages' | 'notes' | 'agentRuns'>;

/** The contract's. */
const largestPage = 100;
/** What the ids of notes begin with. */
const notePrefix = 'note_';
/** A run may have waited so long for the approval of a tool before it wrote, in milliseconds. */
const longestRunMs = 86_400_000;
/** What could not be read is asked for again after so long, in milliseconds. */
const againMs = 2_000;

export class OpenThread {
  readonly threadId: string;
  readonly #client: ThreadClient;
  readonly #port: ThreadPort;
  readonly #listeners = new Set<() => void>();
  readonly #history = new ThreadHistory();
  readonly #pages: MessagePages;
  readonly #notes: PagesBack<ThreadNote>;
  readonly #past: PagesBack<SkeinEvent>;
  readonly #runs: PagesBack<AgentRun>;
  /** Up to this number everything is here. It stands still from when something was missed until that has come. */
  #completeTo = 0;
  /** The thread is known to have had this number before what is read now was asked for. */
  #knownTo = 0;
  /** The last reset whose events have not all come. */
  #missing: object | undefined;
  #opening: Promise<void> = Promise.resolve();
  #cancelAgain: (() => void) | undefined;
  /** As answers and events have it. */
  #told: Thread | undefined;
  /** What the operator has changed, and the server has yet to answer. */
  readonly #changes = new Set<Partial<Thread>>();
  #state: ThreadState = newThread;

  constructor(threadId: string, client: ThreadClient, port: ThreadPort) {
    this.#port = port;
    this.threadId = threadId;
    this.#client = client;
    this.#pages = new MessagePages(threadId, client, this.#history);
    this.#notes = new PagesBack({
      read: cursor => client.notes.list(threadId, { limit: largestPage, cursor }),
      take: notes => this.#history.addNotes(notes),
    });
    this.#runs = new PagesBack({
      read: cursor => client.agentRuns.list({ threadId, limit: largestPage, cursor }),
      take: runs => this.takeRuns(runs),
    });
    this.#past = new PagesBack<SkeinEvent>({
      read: cursor =>
        client.threads.listEvents(threadId, { eventName: [...readEvents], limit: largestPage, cursor }),
      take: events => {
        for (const event of events) this.#history.addEvent(event);
        this.#change({ activity: events.reduce(takeModeEvent, this.#state.activity) });
      },
    });
  }

  /** The same object until something changes. */
  readonly getState = (): ThreadState => this.#state;

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The thread's number up to which every message is here. */
  get completeTo(): number {
    return this.#completeTo;
  }

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

  /**
   * Events were missed: what came since is read page by page, and merged with what is there.
   *
   * @param knownTo the number that the thread has by now, where an answer has told it: once it is read, everything up to there is here
   */
  async reset(knownTo = 0): Promise<void> {
    this.#knownTo = Math.max(this.#knownTo, knownTo);
    const missing = (this.#missing = {});
    this.#cancelAgain?.();
    await this.#opening;
    if (this.#state.phase !== 'ready') return;
    try {
      await this.#pages.readMissed(this.#completeTo, through => {
        this.#completeTo = through;
        this.#change({});
      });
      await this.#read();
    } catch (error) {
      if (!canSucceedLater(error)) return this.#change({ phase: 'failed', error });
      this.#cancelAgain?.();
      this.#cancelAgain = this.#port.schedule(() => void this.reset(), againMs);
      return;
    }
    if (this.#missing === missing) {
      this.#missing = undefined;
      this.#completeTo = Math.max(this.#history.newestSequence, this.#knownTo);
      this.#change({});
    }
    void this.#readAside();
  }

  /** The page before what is shown, unless it is on its way. */
  async readEarlier(): Promise<void> {
    const { isReadingEarlier, reachesStart } = this.#state;
    if (isReadingEarlier || reachesStart) return;
    this.#change({ isReadingEarlier: true });
    await this.#readPage(this.#pages.readEarlier(), { isReadingEarlier: false });
  }

  /** The page after what is shown, unless it is on its way. */
  async readLater(): Promise<void> {
    const { isReadingLater, reachesEnd } = this.#state;
    if (isReadingLater || reachesEnd) return;
    this.#change({ isReadingLater: true });
    await this.#readPage(this.#pages.readLater(), { isReadingLater: false });
  }

  /** Where it fails, the next one is not asked for at once. */
  async #readPage(reading: Promise<void>, done: Partial<ThreadState>): Promise<void> {
    try {
      await reading;
      this.#change(done);
    } catch {
      this.#port.schedule(() => this.#change(done), againMs);
      return;
    }
    await this.#readBeside();
  }

  /** Shows the message or note and those around it. Gives whether there is one. */
  async show(id: string): Promise<boolean> {
    await this.#opening;
    try {
      const place = id.startsWith(notePrefix) ? await this.#findNote(id) : await this.#findMessage(id);
      if (place === undefined) return false;
      if (place < Infinity) await this.#pages.readAround(place);
      this.#history.show(place);
    } catch {
      return false;
    }
    this.#change({});
    void this.#readBeside();
    return true;
  }

  async #findMessage(messageId: string): Promise<number> {
    const known = this.#history.getMessage(messageId);
    const { sequence = 0 } = known ?? (await this.#client.messages.get(this.threadId, messageId));
    return sequence;
  }

  /** Gives the number of the message before it; Infinity: it is among the newest that were read; undefined: there is no such note. */
  async #findNote(threadNoteId: string): Promise<number | undefined> {
    if (this.#history.getNote(threadNoteId) === undefined)
      await this.#notes.readBackTo(() => this.#history.getNote(threadNoteId) !== undefined);
    const at = this.#history.getNote(threadNoteId)?.createdAt;
    if (at === undefined) return undefined;
    const { entries, reachesStart, reachesEnd } = this.#state;
    const isAmongNewest = reachesEnd && (reachesStart || at >= (entries[0]?.at ?? ''));
    return isAmongNewest ? Infinity : this.#pages.findLastUntil(at);
  }

  showNewest(): void {
    this.#history.show(Infinity);
    this.#change({});
  }

  /** Messages of the participant after that number, whether they are shown or not. */
  countInbound(afterSequence: number): number {
    return this.#history.countInbound(afterSequence);
  }

  /** Of this thread, as an answer or an event has it. */
  takeThread(thread: Thread): void {
    const merged = mergeThread(this.#told, thread);
    if (merged.erasedAt != null) this.#history.eraseBefore(merged.erasedAt);
    this.#showThread(merged, {
      lastSequence: Math.max(this.#state.lastSequence, merged.sequence ?? 0),
    });
  }

  /** Shows what the operator changes, whatever else comes, until what is returned is called: by then the server has answered. */
  showChange(change: Partial<Thread>): () => void {
    this.#changes.add(change);
    this.#showThread(this.#told);
    return () => {
      this.#changes.delete(change);
      this.#showThread(this.#told);
    };
  }

  getMessage(messageId: string): Message | undefined {
    return this.#history.getMessage(messageId);
  }

  /** Whether a message that failed was sent once more, by whomever. */
  wasResent(messageId: string): boolean {
    return this.#history.wasResent(messageId);
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

  removeNote(threadNoteId: string): void {
    this.#history.deleteNote(threadNoteId);
    this.#change({});
  }

  takeEvent(event: SkeinEvent): void {
    this.#history.addEvent(event);
    const { data } = event;
    const sequence = 'sequence' in data ? (data.sequence ?? 0) : 0;
    if (this.#missing === undefined) this.#completeTo = Math.max(this.#completeTo, sequence);
    this.#showThread(takeThreadEvent(this.#told, event), {
      lastSequence: Math.max(this.#state.lastSequence, sequence),
      activity: takeAgentEvent(this.#state.activity, event),
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
    const told = this.#told;
    if (told !== undefined)
      this.#showThread({ ...told, readSequence: Math.max(told.readSequence ?? 0, answer.sequence) });
  }

  async #read(): Promise<void> {
    const [thread, newest] = await Promise.all([
      this.#client.threads.get(this.threadId),
      this.#pages.readNewest(),
      this.#notes.readNewest(),
    ]);
    // A later page proves nothing of what was missed before it.
    if (this.#completeTo === 0) this.#completeTo = newest;
    this.takeThread(thread);
  }

  /** What a thread can be shown without: its runs, and what happened to it, which not everybody may read. */
  async #readAside(): Promise<void> {
    const { agentRuns } = this.#client;
    await Promise.allSettled([this.#runs.readNewest(), this.#past.readNewest()]);
    await this.#readBeside();
    const { running } = this.#state.activity;
    if (running !== undefined)
      await agentRuns.get(running.agentRunId).then(
        run => this.takeRun(run),
        () => undefined,
      );
    this.#change({ knowsRuns: true });
  }

  /** Notes, events and runs, as far back as messages are shown. */
  async #readBeside(): Promise<void> {
    const from = this.#history.shown?.from ?? 0;
    const first = from === 0 ? '' : (this.#state.entries[0]?.at ?? '');
    await Promise.allSettled([
      this.#notes.readBackTo(({ createdAt }) => createdAt < first),
      this.#past.readBackTo(({ data }) => 'sequence' in data && (data.sequence ?? 0) < from),
      this.#runs.readBackTo(({ createdAt }) => this.#isBeforeRuns(createdAt)),
    ]);
    this.#change({});
  }

  /** Whether no run of that time or before is needed: every agent's message that is shown has its run, or cannot have it there. */
  #isBeforeRuns(createdAt: string): boolean {
    const known = new Set(Array.from(this.#state.activity.runs.values(), run => run.outputMessageId));
    const lacking = this.#state.entries.find(
      entry =>
        entry.kind === 'message' &&
        entry.message.actor?.type === 'agent' &&
        !known.has(entry.message.messageId),
    );
    return lacking === undefined || Date.parse(createdAt) < Date.parse(lacking.at) - longestRunMs;
  }

  #showThread(told: Thread | undefined, more: Partial<ThreadState> = {}): void {
    this.#told = told;
    let thread = told;
    if (thread !== undefined) for (const change of this.#changes) thread = { ...thread, ...change };
    this.#change({ ...more, thread });
  }

  #change(change: Partial<ThreadState>): void {
    const { entries, lastTurn, shown } = this.#history;
    const reachesStart = shown?.from === 0;
    const reachesEnd = shown === undefined || shown.to === Infinity;
    this.#state = { ...this.#state, ...change, entries, lastTurn, reachesStart, reachesEnd };
    for (const listener of this.#listeners) listener();
  }
}
