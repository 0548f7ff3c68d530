/**
 * Which colleagues look at a thread at this moment, and who of them writes. Nothing of it is numbered or repeated: with each connection it
 * begins anew, and who has typed is forgotten after a while.
 */
import type { EphemeralEvent } from '../../sdk/index.ts';
import { toReadableName } from '../../kit/people/readable-name.ts';
import type { StreamListener } from './project-stream.ts';

export interface Present {
  readonly userId: string;
  /** Who only types, by a client that does not tell what it looks at, has none. */
  readonly displayName: string | undefined;
  readonly avatarColor: string | null;
  readonly isTyping: boolean;
}

export interface PresencePort {
  /** The operator, who is no company to themselves. */
  readonly userId: string;
  /** Runs the work later, once; returns what cancels it. */
  schedule(work: () => void, ms: number): () => void;
}

/** Without a sign of it for so long, nobody types any more. */
const typingLastsMs = 8_000;
const nobody: readonly Present[] = [];

type Viewer = Pick<Present, 'userId' | 'displayName' | 'avatarColor'>;

export class Presence implements StreamListener {
  readonly #port: PresencePort;
  readonly #listeners = new Set<() => void>();
  readonly #viewers = new Map<string, readonly Viewer[]>();
  /** By thread and user, what ends the typing. */
  readonly #typing = new Map<string, Map<string, () => void>>();
  readonly #present = new Map<string, readonly Present[]>();

  constructor(port: PresencePort) {
    this.#port = port;
  }

  /** Returns what removes the listener. */
  readonly onChange = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** The others. The same array until something changes in this thread. */
  get(threadId: string): readonly Present[] {
    return this.#present.get(threadId) ?? nobody;
  }

  onConnect(): void {
    this.#forget();
  }

  /** Without a stream nobody says who is there, or that they have gone. */
  onPoll(): void {
    this.#forget();
  }

  #forget(): void {
    this.#viewers.clear();
    for (const typing of this.#typing.values()) for (const cancel of typing.values()) cancel();
    this.#typing.clear();
    this.#present.clear();
    this.#tell();
  }

  onEphemeral(event: EphemeralEvent): void {
    const { threadId } = event.data;
    if (threadId === undefined) return;
    if (event.eventName === 'thread.viewer.changed') {
      const viewers = event.data.viewers.map(each => ({
        ...each,
        displayName: toReadableName(each.displayName),
      }));
      this.#viewers.set(threadId, viewers);
      this.#arrange(threadId);
    } else if (event.eventName !== 'agent.output.delta' && event.data.userId !== undefined) {
      this.#setTyping(threadId, event.data.userId, event.eventName === 'thread.typing.started');
    }
  }

  #setTyping(threadId: string, userId: string, isTyping: boolean): void {
    const typing = this.#typing.get(threadId) ?? new Map<string, () => void>();
    typing.get(userId)?.();
    typing.delete(userId);
    if (isTyping)
      typing.set(
        userId,
        this.#port.schedule(() => this.#setTyping(threadId, userId, false), typingLastsMs),
      );
    if (typing.size > 0) this.#typing.set(threadId, typing);
    else this.#typing.delete(threadId);
    this.#arrange(threadId);
  }

  #arrange(threadId: string): void {
    const viewers = this.#viewers.get(threadId) ?? [];
    const typing = this.#typing.get(threadId);
    const present = viewers.map(viewer => ({ ...viewer, isTyping: typing?.has(viewer.userId) === true }));
    for (const userId of typing?.keys() ?? [])
      if (!viewers.some(viewer => viewer.userId === userId))
        present.push({ userId, displayName: undefined, avatarColor: null, isTyping: true });
    const others = present.filter(({ userId }) => userId !== this.#port.userId);
    if (others.length > 0) this.#present.set(threadId, others);
    else this.#present.delete(threadId);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
