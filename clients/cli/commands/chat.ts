/**
 * `skein chat`: you are the customer of a sandbox channel. What you type comes in as a message; what is answered is printed, and reported as
 * delivered and read, as a customer's app would. From a pipe each line is a message.
 */
import { createInterface, clearLine, cursorTo, type Interface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import type { EphemeralEvent, Message, Skein, SkeinEvent, StreamItem } from '../../sdk/index.ts';
import { defineCommand, option, programName } from '../command.ts';
import { createInterruptSignal, type Context } from '../context.ts';
import { parseDuration } from '../durations.ts';
import { getSandboxChannel } from '../sandbox.ts';
import { toPrintable } from '../output.ts';

interface ChatOptions {
  readonly as: string;
  readonly channel?: string;
  readonly wait: number;
}

export const chat = defineCommand<ChatOptions>({
  usage: 'chat',
  description: 'be the customer of a sandbox channel; answer with `skein threads send`, or let an agent',
  options: [
    option('--as <ref>', 'who you are', { preset: 'customer-1' }),
    option('--channel <id>', 'the sandbox channel; default: the oldest one'),
    option('--wait <time>', 'from a pipe: how long to wait for an answer to the last line', {
      parse: parseDuration,
      preset: 0,
    }),
  ],
  examples: '  skein chat\n  echo "Is anybody there?" | skein chat --wait 1m',
  async run(context, _args, options) {
    const skein = await context.connect();
    const channelId = await getSandboxChannel(skein, options.channel);
    await new Chat(context, skein, channelId, options).run();
  },
});

const prompt = '> ';
const shownMessages = 5;
/** Of what comes before the thread is known. */
const mostEarly = 100;

class Chat {
  readonly #context: Context;
  readonly #skein: Skein;
  readonly #channelId: string;
  readonly #options: ChatOptions;
  readonly #interrupt = createInterruptSignal();
  readonly #ending = new AbortController();
  #input: Interface | undefined;
  #threadId: string | undefined;
  /** Messages from before the thread was known: the answer to a message may be faster than the answer to its request. */
  #early: StreamItem[] = [];
  #isWriting = false;
  #onAnswer: () => void = () => undefined;

  constructor(context: Context, skein: Skein, channelId: string, options: ChatOptions) {
    this.#context = context;
    this.#skein = skein;
    this.#channelId = channelId;
    this.#options = options;
  }

  async run(): Promise<void> {
    this.#interrupt.addEventListener('abort', () => this.#ending.abort());
    await this.#showBefore();
    const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>();
    const following = this.#follow(onConnected).finally(onConnected);
    try {
      await connected;
      if (!this.#ending.signal.aborted) await this.#readLines();
    } finally {
      this.#ending.abort();
      this.#input?.close();
    }
    await following;
  }

  /** The thread of this customer, if they have written before. */
  async #showBefore(): Promise<void> {
    const { output } = this.#context;
    const query = { participantRef: this.#options.as, channelId: this.#channelId, limit: 1 };
    const [thread] = await this.#skein.threads.list(query).toArray(1);
    output.say(`You are ${this.#options.as}. Each line is a message; Ctrl-D ends.`);
    if (thread === undefined) return;
    this.#setThread(thread.threadId);
    const messages = await this.#skein.messages
      .list(thread.threadId, { order: 'desc' })
      .toArray(shownMessages);
    for (const message of messages.reverse()) this.#print(formatMessage(message));
  }

  #setThread(threadId: string): void {
    if (this.#threadId === threadId) return;
    this.#threadId = threadId;
    this.#context.output.say(`To answer: ${programName} threads send ${threadId} "..."`);
  }

  async #readLines(): Promise<void> {
    const isTerminal = process.stdin.isTTY;
    const input = createInterface({
      input: process.stdin,
      output: isTerminal ? process.stdout : undefined,
      prompt,
    });
    this.#input = input;
    // readline takes Ctrl-C from a terminal; the command is to end as it does everywhere.
    input.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
    this.#ending.signal.addEventListener('abort', () => input.close());
    if (isTerminal) input.prompt();
    for await (const line of input) {
      if (this.#ending.signal.aborted) return;
      if (line.trim() !== '') await this.#send(line);
      if (isTerminal) input.prompt();
    }
    if (!isTerminal && this.#options.wait > 0) await this.#waitForAnswer();
  }

  async #send(body: string): Promise<void> {
    const { threadId } = await this.#skein.channels.simulate(this.#channelId, {
      event: 'inbound',
      externalParticipantRef: this.#options.as,
      body,
    });
    if (threadId !== undefined) this.#setThread(threadId);
    for (const item of this.#early.splice(0)) await this.#take(item);
  }

  async #waitForAnswer(): Promise<void> {
    const { signal } = this.#ending;
    const answered = new Promise<void>(resolve => (this.#onAnswer = resolve));
    await Promise.race([answered, pause(this.#options.wait, undefined, { signal }).catch(() => undefined)]);
  }

  async #follow(onConnected: () => void): Promise<void> {
    try {
      for await (const item of this.#skein.stream({ signal: this.#ending.signal })) {
        if (item.type === 'resumed') onConnected();
        else if (this.#threadId !== undefined) await this.#take(item);
        else if (isMessage(item)) this.#early = [...this.#early, item].slice(-mostEarly);
      }
    } finally {
      this.#ending.abort();
    }
  }

  async #take(item: StreamItem): Promise<void> {
    if (item.type === 'reset')
      this.#context.output.say('Messages may have been missed: the stream began anew.');
    if (item.type === 'ephemeral') return this.#takeEphemeral(item.event);
    if (item.type === 'event' && isOfThread(item.event, this.#threadId)) await this.#takeEvent(item.event);
  }

  async #takeEvent(event: SkeinEvent): Promise<void> {
    if (event.eventName !== 'thread.message.created') return;
    const { message } = event.data;
    // What an agent has written while we looked is on the screen already.
    if (this.#isWriting) this.#context.output.write('\n');
    else this.#print(formatMessage(message));
    this.#isWriting = false;
    await this.#reportRead(message);
    this.#onAnswer();
  }

  #takeEphemeral(event: EphemeralEvent): void {
    if (!isOfThread(event, this.#threadId)) return;
    if (event.eventName === 'thread.typing.started') return this.#print('... is typing');
    if (event.eventName !== 'agent.output.delta') return;
    if (!this.#isWriting) this.#context.output.write('< ');
    this.#isWriting = true;
    this.#context.output.write(toPrintable(event.data.delta));
  }

  /** A message that has been deleted meanwhile has no need of it. */
  async #reportRead({ messageId }: Message): Promise<void> {
    for (const event of ['delivered', 'read'] as const) {
      await this.#skein.channels.simulate(this.#channelId, { event, messageId }).catch((error: unknown) => {
        this.#context.output.say(`The ${event} receipt was refused: ${(error as Error).message}`);
      });
    }
  }

  /** Above the line that is being typed. */
  #print(text: string): void {
    const isTyping = this.#input !== undefined && process.stdout.isTTY;
    if (isTyping) {
      cursorTo(process.stdout, 0);
      clearLine(process.stdout, 0);
    }
    this.#context.output.line(text);
    if (isTyping) this.#input?.prompt(true);
  }
}

const isMessage = (item: StreamItem): boolean =>
  item.type === 'event' && item.event.eventName === 'thread.message.created';

function isOfThread({ data }: SkeinEvent | EphemeralEvent, threadId: string | undefined): boolean {
  return (data as { readonly threadId?: string }).threadId === threadId;
}

function formatMessage({ direction, body }: Message): string {
  return `${direction === 'outbound' ? '<' : '>'} ${toPrintable(body)}`;
}
