/**
 * The threads that were opened last, all kept true by the stream, and what is on its way to them.
 *
 *   away -> worked in (`start`): its stream keeps the threads true, and where there is none the open one is read again from time to time
 *        <- (`stop`): nothing keeps the threads true; what is on its way goes on by itself
 *   either -> ended (`end`): nothing is sent any more
 */
import type { EphemeralEvent, Skein, SkeinEvent } from '../../sdk/index.ts';
import { findArrived, findSent, keyField, resendField } from '../composer/arrival.ts';
import { Outbox, type Outgoing, type OutboxPort } from '../composer/outbox.ts';
import { getMark } from '../composer/outgoing.ts';
import { isConnected, type ProjectStream, type StreamListener } from '../live/project-stream.ts';
import type { OpenThread, ThreadPort } from './open-thread.ts';

/** Threads whose entries are kept, so that going back to one takes no time. */
const keptThreads = 20;

/** What the Console may do without in a test. */
export type ConversationsPort = Omit<OutboxPort, 'send' | 'isThere' | 'getLastSequence'> & {
  /** Who writes here. */
  readonly userId: string;
};

export type CreateThread = (threadId: string, client: Skein, port: ThreadPort) => OpenThread;

export class Conversations implements StreamListener {
  /** With the project and the environment filled in. */
  readonly client: Skein;
  readonly outbox: Outbox;
  readonly #schedule: ConversationsPort['schedule'];
  /** The one that was opened last at the end. */
  readonly #threads = new Map<string, OpenThread>();
  readonly #readListeners = new Set<(threadId: string, sequence: number) => void>();
  readonly #userId: string;
  #stop: (() => void)[] = [];
  #wasConnected = false;
  #isConnected = false;
  /** No stream can be had, and the server answers. */
  #isPolled = false;
  #isEnded = false;

  constructor(client: Skein, port: ConversationsPort) {
    this.client = client;
    this.#schedule = port.schedule;
    this.#userId = port.userId;
    this.outbox = new Outbox({
      ...port,
      send: outgoing => this.#send(outgoing),
      isThere: outgoing => this.#isThere(outgoing),
      getLastSequence: threadId => this.#threads.get(threadId)?.getState().lastSequence ?? 0,
    });
  }

  /** @param stream of their environment */
  start(stream: ProjectStream): void {
    this.#wasConnected = this.#isConnected = this.#isPolled = false;
    // Nothing has kept the threads true. The page that begins may have opened the last of them already, which is read again below.
    const last = [...this.#threads].at(-1);
    this.#threads.clear();
    if (last !== undefined) this.#threads.set(...last);
    const follow = (): void => this.#follow(isConnected(stream.getState()));
    this.#stop = [stream.listen(this), stream.onState(follow)];
    follow();
  }

  #follow(connected: boolean): void {
    const isNew = connected && !this.#isConnected;
    this.#isConnected = connected;
    if (!isNew) return;
    this.#isPolled = false;
    this.outbox.resume();
    if (this.#wasConnected) return;
    this.#wasConnected = true;
    // The stream tells nothing of what happened before it began: what was read until then is read again.
    void this.onReset();
  }

  /** Their operator looks at something else. */
  stop(): void {
    for (const stop of this.#stop) stop();
    this.#stop = [];
    if (!this.#isEnded) this.outbox.resume();
  }

  /** For good: the session is over. */
  end(): void {
    this.#isEnded = true;
    this.stop();
    this.#threads.clear();
    this.outbox.stop();
  }

  /** @param create makes one that is not kept; what it takes is loaded with the first that is opened */
  getThread(threadId: string, create: CreateThread): OpenThread {
    const known = this.#threads.get(threadId);
    const thread = known ?? create(threadId, this.client, this.#createPort(threadId));
    // Nothing has kept it true meanwhile.
    if (this.#isPolled) void known?.reset();
    this.#threads.delete(threadId);
    this.#threads.set(threadId, thread);
    const [oldest] = this.#threads.keys();
    if (this.#threads.size > keptThreads && oldest !== undefined) this.#threads.delete(oldest);
    return thread;
  }

  /** The listener is told how far a thread was read, for lists. Returns what removes it. */
  onRead(listener: (threadId: string, sequence: number) => void): () => void {
    this.#readListeners.add(listener);
    return () => this.#readListeners.delete(listener);
  }

  #createPort(threadId: string): ThreadPort {
    return {
      schedule: this.#schedule,
      onRead: sequence => {
        for (const listener of this.#readListeners) listener(threadId, sequence);
      },
    };
  }

  onEvent(event: SkeinEvent): void {
    const { data } = event;
    if (!('threadId' in data) || data.threadId === undefined) return;
    this.#threads.get(data.threadId)?.takeEvent(event);
    const arrived = findArrived(this.outbox.getItems(), event, this.#userId);
    if (arrived !== undefined) this.outbox.remove(arrived.key);
  }

  onEphemeral(event: EphemeralEvent): void {
    const { threadId } = event.data;
    if (threadId !== undefined) this.#threads.get(threadId)?.takeEphemeral(event);
  }

  /** Only the thread that was opened last is looked at: the others are read again when they are. */
  onPoll(): void {
    this.#isPolled = true;
    void [...this.#threads.values()].at(-1)?.reset();
  }

  async onReset(): Promise<void> {
    await Promise.allSettled(Array.from(this.#threads.values(), thread => thread.reset()));
  }

  async #isThere(outgoing: Outgoing): Promise<boolean> {
    const sent = await findSent(this.client, outgoing, this.#userId);
    if (sent === undefined) return false;
    const thread = this.#threads.get(outgoing.threadId);
    if ('messageId' in sent) thread?.addMessages([sent]);
    else thread?.addNote(sent);
    return true;
  }

  async #send(outgoing: Outgoing): Promise<void> {
    const { key, resend, threadId, content } = outgoing;
    const options = { idempotencyKey: key, maxRetries: 0 };
    const metadata = {
      [keyField]: getMark(outgoing),
      ...(resend !== undefined && { [resendField]: resend.messageId }),
    };
    const thread = this.#threads.get(threadId);
    if (content.kind === 'note') {
      const { body, mentions = [] } = content;
      const note = await this.client.notes.create(threadId, { body, mentions: [...mentions] }, options);
      thread?.addNote(note);
      return;
    }
    const message =
      content.kind === 'template'
        ? await this.client.chatapp.sendTemplate(
            content.channelId,
            {
              threadId,
              templateName: content.name,
              language: content.language,
              components: content.components,
              metadata,
            },
            options,
          )
        : await this.client.messages.create(threadId, { ...toMessageBody(content), metadata }, options);
    thread?.addMessages([message]);
  }
}

export type WrittenMessage = Omit<Extract<Outgoing['content'], { kind: 'message' }>, 'kind'>;

/** A file without a text is a message of its own kind. */
export function toMessageBody({ body, attachments, replyTo }: WrittenMessage) {
  const [file] = attachments;
  return {
    ...(body === '' && file !== undefined
      ? { content: { type: 'media' as const, kind: file.kind } }
      : { body }),
    ...(attachments.length > 0 && { attachments }),
    ...(replyTo !== undefined && { replyTo: { messageId: replyTo } }),
  };
}
