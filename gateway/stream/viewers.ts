/**
 * Who looks at which thread: each socket of a user at one thread at most, over all nodes that follow the project (shared-map.ts). When those who
 * look at a thread change, every node shows its sockets an ephemeral event with all of them.
 */
import { formatEvent } from '../../protocol/events.ts';
import { newId } from '../../protocol/ids.ts';
import type { ThreadViewer } from '../../protocol/resources/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import type { Admission } from './admission.ts';
import type { EphemeralEvent } from './ephemeral-events.ts';
import { SharedMap, type SharedMapOptions } from './shared-map.ts';

/** The viewers of a thread that are shown: those who have looked at it for longest. */
const maxShownViewers = 50;
/** The threads whose viewers a socket is told of as it goes live. */
const maxShownThreads = 200;

/** Who looks, and in which environment the thread is. */
export interface FoundViewer extends Omit<ThreadViewer, 'since'> {
  readonly environmentId: string;
}

/** What a socket looks at. */
interface View extends FoundViewer {
  readonly threadId: string;
  /** Epoch milliseconds. */
  readonly since: number;
}

export interface ViewersOptions extends Omit<SharedMapOptions, 'topic' | 'changed' | 'clock'> {
  readonly clock: SharedMapOptions['clock'] & { now(): number };
  readonly log: Log;
  /** The user, and the environment of a thread of the project. Undefined where there is no such thread. */
  readonly findViewer: (of: {
    readonly projectId: string;
    readonly threadId: string;
    readonly userId: string;
  }) => Promise<FoundViewer | undefined>;
  /** Shows an event to this node's sockets. */
  readonly show: (event: EphemeralEvent) => void;
}

export class Viewers {
  readonly #options: ViewersOptions;
  readonly #projects = new Map<string, ProjectViewers>();
  #opened = 0;

  constructor(options: ViewersOptions) {
    this.#options = options;
  }

  /** Listens to the other nodes about a project, until the returned function is called. */
  follow(projectId: string): () => void {
    const viewers = new ProjectViewers(projectId, this.#options);
    this.#projects.set(projectId, viewers);
    return () => {
      viewers.close();
      this.#projects.delete(projectId);
    };
  }

  /** One event for each thread of the project that somebody looks at. */
  list(projectId: string): EphemeralEvent[] {
    return this.#projects.get(projectId)?.list() ?? [];
  }

  /** @param tell sends an event to the socket itself */
  open(getAdmission: () => Admission, tell: (event: EphemeralEvent) => void): Viewing | undefined {
    const { projectId, userId } = getAdmission();
    const project = this.#projects.get(projectId);
    // API keys are no people.
    if (userId === undefined || project === undefined) return undefined;
    const key = `${this.#options.node}/${++this.#opened}`;
    return new Viewing({ ...this.#options, project, key, getAdmission, userId, tell });
  }
}

interface ViewingOptions extends Pick<ViewersOptions, 'findViewer' | 'clock' | 'log'> {
  readonly project: ProjectViewers;
  readonly key: string;
  readonly getAdmission: () => Admission;
  readonly userId: string;
  readonly tell: (event: EphemeralEvent) => void;
}

/** What one socket looks at. Looks threads up one at a time: of those that were passed quickly, only the last counts. */
export class Viewing {
  readonly #options: ViewingOptions;
  #wanted: string | null = null;
  #looking = false;
  #ended = false;

  constructor(options: ViewingOptions) {
    this.#options = options;
  }

  /** A thread that is not there, or not in the socket's environment, is like null. */
  lookAt(threadId: string | null): void {
    this.#wanted = threadId;
    if (!this.#looking) void this.#follow();
  }

  end(): void {
    this.#ended = true;
    this.#options.project.set(this.#options.key, undefined);
  }

  async #follow(): Promise<void> {
    this.#looking = true;
    let shown: string | null | undefined;
    while (shown !== this.#wanted) {
      shown = this.#wanted;
      const view = shown === null ? undefined : await this.#find(shown);
      if (this.#ended) return;
      if (shown === this.#wanted) this.#show(view);
    }
    this.#looking = false;
  }

  async #find(threadId: string): Promise<View | undefined> {
    const { findViewer, getAdmission, userId, clock, log } = this.#options;
    try {
      const found = await findViewer({ projectId: getAdmission().projectId, threadId, userId });
      // A view may come while the environment of the socket is still looked up.
      const only = getAdmission().environmentId ?? found?.environmentId;
      if (found === undefined || found.environmentId !== only) return undefined;
      return { ...found, threadId, since: clock.now() };
    } catch (error) {
      log.warn({ err: error }, 'console stream: could not look up what a user looks at');
      return undefined;
    }
  }

  #show(view: View | undefined): void {
    const { project, key, tell } = this.#options;
    const isShown = project.set(key, view);
    // The same user looks at it in another socket: nothing has changed for the others.
    if (!isShown && view !== undefined) tell(project.toEvent(view.threadId, view.environmentId));
  }
}

/** Who looks at the threads of one project. */
class ProjectViewers {
  readonly #projectId: string;
  readonly #options: ViewersOptions;
  /** By socket. */
  readonly #views: SharedMap<View>;
  /** What each socket looked at when its change was last shown. */
  readonly #known = new Map<string, View>();
  /** The sockets that look at each thread. */
  readonly #keys = new Map<string, Set<string>>();
  /** The viewers of each thread as they were last shown. */
  readonly #shown = new Map<string, string>();

  constructor(projectId: string, options: ViewersOptions) {
    this.#projectId = projectId;
    this.#options = options;
    this.#views = new SharedMap({
      ...options,
      topic: `viewers.${projectId}`,
      changed: key => this.#update(key),
    });
  }

  /** Whether sockets were told of a change to the thread that is looked at now. */
  set(key: string, view: View | undefined): boolean {
    const before = view && this.#shown.get(view.threadId);
    this.#views.set(key, view);
    return view !== undefined && this.#shown.get(view.threadId) !== before;
  }

  list(): EphemeralEvent[] {
    const events: EphemeralEvent[] = [];
    for (const [threadId, keys] of this.#keys) {
      const [key = ''] = keys;
      const view = this.#known.get(key);
      if (view !== undefined) events.push(this.toEvent(threadId, view.environmentId));
      if (events.length === maxShownThreads) break;
    }
    return events;
  }

  toEvent(threadId: string, environmentId: string): EphemeralEvent {
    const viewers = this.#listViewers(threadId);
    const { now } = this.#options.clock;
    const userIds = viewers.map(({ userId }) => userId);
    const body = formatEvent({
      eventId: newId('event', now()),
      eventName: 'thread.viewer.changed',
      projectId: this.#projectId,
      occurredAt: new Date(now()).toISOString(),
      data: JSON.stringify({ environmentId, threadId, userIds, viewers }),
    });
    return { projectId: this.#projectId, environmentId, body };
  }

  close(): void {
    this.#views.close();
  }

  /** What a socket looks at has changed. */
  #update(key: string): void {
    const before = this.#known.get(key);
    const [after] = this.#views.get(key);
    if (before !== undefined) this.#leave(key, before.threadId);
    if (after === undefined) this.#known.delete(key);
    else {
      this.#known.set(key, after);
      const keys = this.#keys.get(after.threadId) ?? new Set<string>();
      this.#keys.set(after.threadId, keys.add(key));
    }
    if (before !== undefined && before.threadId !== after?.threadId) this.#showIfChanged(before);
    if (after !== undefined) this.#showIfChanged(after);
  }

  #leave(key: string, threadId: string): void {
    const keys = this.#keys.get(threadId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(threadId);
  }

  #showIfChanged({ threadId, environmentId }: View): void {
    const viewers = this.#listViewers(threadId);
    const text = JSON.stringify(viewers);
    if (text === (this.#shown.get(threadId) ?? '[]')) return;
    if (viewers.length === 0) this.#shown.delete(threadId);
    else this.#shown.set(threadId, text);
    this.#options.show(this.toEvent(threadId, environmentId));
  }

  /** Each user once, from when the first of their sockets looked. */
  #listViewers(threadId: string): ThreadViewer[] {
    const views = [...(this.#keys.get(threadId) ?? [])].flatMap(key => this.#known.get(key) ?? []);
    const first = new Map<string, ThreadViewer>();
    for (const view of views.sort((a, b) => a.since - b.since || (a.userId < b.userId ? -1 : 1))) {
      const { userId, displayName, avatarColor } = view;
      const since = new Date(view.since).toISOString();
      if (!first.has(userId)) first.set(userId, { userId, displayName, avatarColor, since });
    }
    return [...first.values()].slice(0, maxShownViewers);
  }
}
