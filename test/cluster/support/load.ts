/**
 * Load on a cluster, with a memory. Each sender has a thread of its own and writes one message after another, over whichever node
 * answers, and repeats a request with its Idempotency-Key until it is answered, as HTTP clients do: at once and elsewhere when a
 * connection is refused or lost, after Retry-After when it is told to. What was answered is the recorded history.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import { Client, Line, NoAnswer, type Asked } from '../../node/client.ts';
import type { Acknowledged } from '../../node/senders.ts';
import type { Tenant } from '../../node/tenant.ts';
import type { Ending, NodeProcess } from '../../support/node-process.ts';
import { withTimeLimit } from '../../support/time-limit.ts';

/** A message or thread that was acknowledged; instants are of `performance.now`. */
export interface Answer {
  readonly threadId: string;
  /** When the first try was sent. */
  readonly sentAt: number;
  readonly answeredAt: number;
  readonly tries: number;
}

export interface LoadOptions {
  /** Default 16. */
  readonly senders?: number;
  /** Between an answer and the sender's next request. Default 200. */
  readonly pauseMs?: number;
  /** How long a sender waits for an answer before it repeats the request elsewhere. Default: as long as it takes. */
  readonly timeoutMs?: number;
}

/** Between an answer and the sender's next request while the load is light. */
const lightPauseMs = 1_000;
/** The code of a request under a key whose first request has yet to end. */
const inProgress = '"svc/runtime/idempotency_conflict"';
const inProgressPauseMs = 100;

interface Wait {
  readonly isSo: () => boolean;
  readonly resolve: () => void;
}

type Creation = 'createThread' | 'createMessage' | 'createInboundMessage';

export class Load {
  readonly messages: Acknowledged[] = [];
  /** Threads without a participant, made one by one. */
  readonly threads: Thread[] = [];
  /** One for each message and thread above. */
  readonly answers: Answer[] = [];
  /** Requests that got no answer: the node died under them. */
  unanswered = 0;
  /** Requests that found nobody listening: they were never sent. */
  refused = 0;
  /** Answers 503. */
  unavailable = 0;
  /** Repetitions that turned out to have been executed the first time. */
  replayed = 0;
  /** The thread that each sender writes to. */
  readonly current: string[] = [];
  readonly #t: Ending;
  readonly #tenant: Tenant;
  readonly #timeout: Pick<Asked, 'timeoutMs'>;
  #clients: Client[] = [];
  #turn = 0;
  readonly #usualPauseMs: number;
  #pauseMs: number;
  readonly #running: Promise<unknown>;
  #waits: Wait[] = [];
  #stopped = false;

  constructor(t: Ending, tenant: Tenant, nodes: readonly NodeProcess[], options: LoadOptions = {}) {
    this.#t = t;
    this.#tenant = tenant;
    this.#usualPauseMs = options.pauseMs ?? 200;
    this.#pauseMs = this.#usualPauseMs;
    this.#timeout = options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs };
    for (const node of nodes) this.use(node);
    const senders = Array.from({ length: options.senders ?? 16 }, (_, sender) => this.#run(sender));
    this.#running = Promise.all(senders);
    // Whoever waits for the senders is told; until then a failure is not lost.
    this.#running.catch(() => undefined);
  }

  /** From now on this node is sent requests, too. */
  use(node: NodeProcess): void {
    this.#clients.push(new Client(new Line(node.url, this.#t), this.#tenant.key.bearer));
  }

  /** No more requests go there. */
  spare(node: NodeProcess): void {
    this.#clients = this.#clients.filter(({ line }) => line.url !== node.url);
  }

  /** From now on only a few requests are made, until answers are counted again: while the test waits for nodes to start. */
  lighten(): void {
    this.#pauseMs = lightPauseMs;
  }

  /** From now on as many requests are made as in the beginning. */
  quicken(): void {
    this.#pauseMs = this.#usualPauseMs;
  }

  /** Requests that a client without a memory would have lost. */
  get failed(): number {
    return this.unanswered + this.unavailable;
  }

  /** Resolves when the sentence is true of what was answered; rejects when a sender has failed. Looked at with each answer. */
  async until(isSo: () => boolean, what: string): Promise<void> {
    const reached = new Promise<void>(resolve => this.#waits.push({ isSo, resolve }));
    await withTimeLimit(Promise.race([this.#running.then(() => undefined), reached]), what);
  }

  /** Resolves after that many more answers; rejects when a sender has failed. */
  async more(count: number): Promise<void> {
    this.quicken();
    const target = this.answers.length + count;
    await this.until(() => this.answers.length >= target, `${count} more answers`);
  }

  /** Each sender has the answer to its last request when this resolves. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await withTimeLimit(this.#running, 'last answer of every sender');
  }

  async #run(sender: number): Promise<void> {
    const { projectId, environmentId, channelId } = this.#tenant;
    const externalParticipantRef = `participant ${sender}`;
    let threadId = '';
    for (let turn = 1, number = 1; !this.#stopped; turn++) {
      const body = `${sender} ${number}`;
      if (turn % 32 === 0) {
        this.threads.push(await this.#answer<Thread>('createThread', { body: { projectId, environmentId } }));
      } else {
        const invokedAt = performance.now();
        const message =
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
        this.current[sender] = threadId;
        this.messages.push({ sender, number, message, invokedAt, settledAt: performance.now() });
        number++;
      }
      this.#count();
      await pause(this.#pauseMs);
    }
  }

  async #answer<T extends { readonly threadId: string }>(id: Creation, asked: Asked): Promise<T> {
    const key = randomUUID();
    const sentAt = performance.now();
    for (let tries = 1; ; tries++) {
      const client = this.#next();
      try {
        const { status, body, text, headers } = await client.ask<T>(id, { ...asked, ...this.#timeout, key });
        if (status === 201) {
          if (headers['idempotent-replayed'] === 'true') this.replayed++;
          const answeredAt = performance.now();
          this.answers.push({ threadId: body.threadId, sentAt, answeredAt, tries });
          return body;
        }
        // The try that was given up is still being carried out: only it has this key.
        if (status === 409 && tries > 1 && text.includes(inProgress)) {
          await pause(inProgressPauseMs);
          continue;
        }
        if (status !== 503) throw new Error(`${id} answered ${status} ${text}`);
        this.unavailable++;
        await pause(Number(headers['retry-after']) * 1_000);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        if (error.refused) this.refused++;
        else this.unanswered++;
        // When nobody is there, not as fast as the processor can.
        if (tries % this.#clients.length === 0) await pause(20);
      }
    }
  }

  /** In turn, as a load balancer without any knowledge would. */
  #next(): Client {
    const client = this.#clients[this.#turn++ % this.#clients.length];
    if (client === undefined) throw new Error('the load has no node to go to');
    return client;
  }

  #count(): void {
    this.#waits = this.#waits.filter(({ isSo, resolve }) => {
      if (!isSo()) return true;
      resolve();
      return false;
    });
  }
}
