/**
 * Load with a memory: senders that each write one message after another, two to a thread, and repeat a request with its
 * Idempotency-Key until it is answered, as the contract tells a client to. What was answered is the recorded history.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '../../protocol/resources/message.ts';
import type { Thread } from '../../protocol/resources/thread.ts';
import { NoAnswer, type Asked, type Reply } from './client.ts';
import type { Tenant } from './tenant.ts';

export interface Acknowledged {
  readonly sender: number;
  /** Of its sender: 1, 2, 3 ... */
  readonly number: number;
  readonly message: Message;
  /** When it was asked for, for the first time, and answered: milliseconds of `performance.now`. */
  readonly invokedAt: number;
  readonly settledAt: number;
}

interface Wait {
  readonly count: number;
  readonly resolve: () => void;
}

export class Senders {
  readonly messages: Acknowledged[] = [];
  /** Threads without a participant, made one by one. */
  readonly threads: Thread[] = [];
  /** Requests that got no answer: the node died under them. */
  unanswered = 0;
  /** Requests that found nobody listening. */
  refused = 0;
  /** Answers 503. */
  unavailable = 0;
  /** Repetitions that turned out to have been executed the first time. */
  replayed = 0;
  readonly #tenant: Tenant;
  readonly #running: Promise<unknown>;
  #waits: Wait[] = [];
  #stopped = false;
  /** Resolves when the node is there again. */
  #held: Promise<void> | undefined;
  #letGo: (() => void) | undefined;

  constructor(tenant: Tenant, count: number) {
    this.#tenant = tenant;
    this.#running = Promise.all(Array.from({ length: count }, (_, sender) => this.#run(sender)));
    // Whoever waits for the senders is told; until then a failure is not lost.
    this.#running.catch(() => undefined);
  }

  /** Answers so far. */
  get acknowledged(): number {
    return this.messages.length + this.threads.length;
  }

  /** Resolves after that many more answers; rejects when a sender has failed. */
  async more(count: number): Promise<void> {
    const target = this.acknowledged + count;
    await Promise.race([
      this.#running,
      new Promise<void>(resolve => this.#waits.push({ count: target, resolve })),
    ]);
  }

  /** From now on whoever gets no answer waits for `resume` before the request is repeated. */
  hold(): void {
    this.#held ??= new Promise(resolve => (this.#letGo = resolve));
  }

  resume(): void {
    this.#letGo?.();
    this.#held = undefined;
  }

  /** Each sender has the answer to its last request when this resolves. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.resume();
    await this.#running;
  }

  async #run(sender: number): Promise<void> {
    const { projectId, environmentId, channelId } = this.#tenant;
    const externalParticipantRef = `participant ${sender >> 1}`;
    let threadId = '';
    for (let turn = 1, number = 1; !this.#stopped; turn++) {
      const body = `${sender} ${number}`;
      if (turn % 8 === 0) {
        const { body: thread } = await this.#answer<Thread>('createThread', {
          body: { projectId, environmentId },
        });
        this.threads.push(thread);
      } else {
        const invokedAt = performance.now();
        const { body: message } =
          turn % 4 === 2
            ? await this.#answer<Message>('createMessage', {
                params: { threadId },
                body: { projectId, body },
              })
            : await this.#answer<Message>('createInboundMessage', {
                params: { channelId },
                body: { projectId, externalParticipantRef, body },
              });
        threadId = message.threadId;
        this.messages.push({ sender, number, message, invokedAt, settledAt: performance.now() });
        number++;
      }
      this.#count();
    }
  }

  async #answer<T>(
    id: 'createThread' | 'createMessage' | 'createInboundMessage',
    asked: Asked,
  ): Promise<Reply<T>> {
    const key = randomUUID();
    for (;;) {
      let reply: Reply<T>;
      try {
        reply = await this.#tenant.key.ask<T>(id, { ...asked, key });
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (error.refused) this.refused++;
        else this.unanswered++;
        if (this.#held === undefined && !this.#stopped) throw error;
        await this.#held;
        continue;
      }
      if (reply.headers['idempotent-replayed'] === 'true') this.replayed++;
      if (reply.status === 201) return reply;
      if (reply.status !== 503) throw new Error(`${id} answered ${reply.status} ${reply.text}`);
      this.unavailable++;
      await pause(Number(reply.headers['retry-after']) * 1_000);
    }
  }

  #count(): void {
    this.#waits = this.#waits.filter(({ count, resolve }) => {
      if (this.acknowledged < count) return true;
      resolve();
      return false;
    });
  }
}
