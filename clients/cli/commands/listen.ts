/**
 * `skein listen`: what a stitch does, for an address on this machine. It follows the stream of the environment and forwards each event; what is
 * kept is how far it has come, so that it goes on there after a restart of the server or of its own.
 *
 * following -> forwarding -> done (position kept) ...; reset -> the list of events is read since the last one -> following
 */
import type { Cursor, Skein, SkeinEvent, StreamItem } from '../../sdk/index.ts';
import { defineCommand, option } from '../command.ts';
import { createInterruptSignal, type Context } from '../context.ts';
import { collect, parseCount } from '../durations.ts';
import {
  checkPatterns,
  collectPatterns,
  createEventFilter,
  parseThreadId,
  type EventFilter,
} from '../event-filter.ts';
import { formatTime } from '../event-text.ts';
import { CliError, exitCodes } from '../failures.ts';
import { readBacklog } from '../listen/backlog.ts';
import { Forwarder, type ForwardResult } from '../listen/forwarder.ts';
import { Progress } from '../listen/progress.ts';
import { getWebhookSecret, PositionFile, type Position } from '../listen/state.ts';
import { toPrintable } from '../output.ts';

interface ListenOptions {
  readonly forwardTo?: string;
  readonly events?: readonly string[];
  readonly thread?: string;
  readonly header?: readonly string[];
  readonly from: string;
  readonly retries: number;
  readonly printSecret?: boolean;
  readonly skipVerify?: boolean;
}

export const listen = defineCommand<ListenOptions>({
  usage: 'listen',
  description: 'forward events to an address on this machine, signed like webhooks',
  options: [
    option('--forward-to <url>', 'where to POST them; a port alone is one of this machine'),
    option('--events <pattern>', 'only these: thread.message.*', { parse: collectPatterns }),
    option('--thread <id>', 'only those of this thread', { parse: parseThreadId }),
    option('--header <name:value>', 'sent with each', { parse: collect }),
    option('--from <where>', 'now, last (where the last listen has ended), or a number of the stream', {
      preset: 'last',
    }),
    option('--retries <count>', 'more tries of what was not answered with 2xx', {
      parse: parseCount(0),
      preset: 0,
    }),
    option('--print-secret', 'print the secret that signs them, and end'),
    option('--skip-verify', 'accept any certificate of the address'),
  ],
  examples:
    '  skein listen --forward-to 3000/webhooks\n  export SKEIN_WEBHOOK_SECRET=$(skein listen --print-secret)',
  async run(context, _args, options) {
    const skein = await context.connect();
    const environmentId = await findEnvironment(context, skein);
    const secret = await getWebhookSecret(environmentId);
    if (options.printSecret === true) return context.output.line(secret);
    const url = parseTarget(options.forwardTo);
    const file = new PositionFile(environmentId, url);
    const from = await findStart(options.from, file);
    await checkPatterns(skein, options.events);
    await file.exclusively(() => new Listener(context, skein, options, { url, secret, file }).run(from));
  },
});

/** The environment of the credential. A server that is older than `GET /caller` leaves it to the profile. */
async function findEnvironment(context: Context, skein: Skein): Promise<string> {
  const { environmentId } = await context.getCredential();
  const found = environmentId ?? (await skein.caller.get()).environmentId;
  if (found === null) throw new CliError('Which environment? Say --environment.', exitCodes.usage);
  return found;
}

const noAddress = { protocol: '', port: '', username: '', password: '', href: '' };

/** `3000`, `3000/webhooks`, `localhost:3000`, or a whole address. */
export function parseTarget(target: string | undefined): string {
  if (target === undefined) throw new CliError('Where to? Say --forward-to.', exitCodes.usage);
  const text = /^\d+(\/|$)/.test(target) ? `http://127.0.0.1:${target}` : target;
  const url = text.includes('://') ? text : `http://${text}`;
  const { protocol, port, username, password, href } = URL.canParse(url) ? new URL(url) : noAddress;
  if (!/^https?:$/.test(protocol) || port === '0')
    throw new CliError(`${target} is no address.`, exitCodes.usage);
  if (username !== '' || password !== '')
    throw new CliError('The address has a password in it.', exitCodes.usage, 'Send it by --header.');
  return href;
}

/** undefined: from now on. */
async function findStart(from: string, file: PositionFile): Promise<Position | undefined> {
  if (from === 'now') return undefined;
  const kept = await file.read();
  if (from === 'last') return kept;
  if (!/^\d+$/.test(from))
    throw new CliError(`--from ${from}: write now, last or a number.`, exitCodes.usage);
  if (kept === undefined)
    throw new CliError(
      'A number means nothing before the first listen.',
      exitCodes.usage,
      'Listen once without --from.',
    );
  return { cursor: { epoch: kept.cursor.epoch, seq: Number(from) } };
}

interface ListenTarget {
  readonly url: string;
  readonly secret: string;
  readonly file: PositionFile;
}

class Listener {
  readonly #context: Context;
  readonly #skein: Skein;
  readonly #target: ListenTarget;
  readonly #isWanted: EventFilter;
  readonly #forwarder: Forwarder;
  readonly #progress: Progress;
  readonly #signal = createInterruptSignal();
  #hasBegun = false;
  #isKept = true;
  #occurredAt: string | undefined;
  /** Ids of the events of that instant, which the list of events has again. */
  readonly #lastIds: string[] = [];
  /** Ids of what the list of events had, and the stream may have as well. */
  #readAgain: ReadonlySet<string> = new Set();

  constructor(context: Context, skein: Skein, options: ListenOptions, target: ListenTarget) {
    this.#context = context;
    this.#skein = skein;
    this.#target = target;
    this.#isWanted = createEventFilter({ patterns: options.events, threadId: options.thread });
    this.#progress = new Progress(position => this.#keep(position));
    this.#forwarder = new Forwarder({
      url: target.url,
      skipVerify: options.skipVerify === true,
      secret: target.secret,
      headers: parseHeaders(options.header),
      retries: options.retries,
      onResult: result => this.#report(result),
    });
  }

  async run(from: Position | undefined): Promise<void> {
    this.#occurredAt = from?.occurredAt;
    const { output } = this.#context;
    output.say(
      `Forwarding to ${this.#target.url}. \`skein listen --print-secret\` prints the secret. Ctrl-C ends.`,
    );
    try {
      const stream = this.#skein.stream({
        environmentId: this.#context.options.environment,
        from: from?.cursor,
        signal: this.#signal,
        onDisconnect: ({ reason }) =>
          output.say(`Disconnected${reason === '' ? '' : ` (${toPrintable(reason)})`}; trying again.`),
      });
      for await (const item of stream) await this.#take(item);
    } finally {
      await this.#forwarder.drain();
      await this.#progress.close();
    }
  }

  async #take(item: StreamItem): Promise<void> {
    if (item.type === 'ephemeral') return;
    const { cursor } = item;
    if (item.type === 'event') return this.#takeEvent(item.event, item.raw, cursor);
    if (item.type === 'reset') await this.#takeReset(item.reason, cursor);
    else if (item.type === 'resumed') await this.#takeResumed(cursor);
    else this.#progress.skip(this.#createPosition(cursor));
  }

  /** Kept before anything is forwarded: whoever is killed at once begins here again, and not later. */
  async #takeResumed(cursor: Cursor): Promise<void> {
    const position = this.#createPosition(cursor);
    if (!this.#hasBegun) await this.#keep(position);
    this.#hasBegun = true;
    this.#progress.skip(position);
    this.#context.output.say(`Connected at ${cursor.seq}.`);
  }

  async #takeEvent(event: SkeinEvent, raw: string, cursor: Cursor): Promise<void> {
    this.#note(event);
    const position = this.#createPosition(cursor);
    if (this.#isWanted(event) && !this.#readAgain.has(event.eventId))
      await this.#forward(event, raw, this.#progress.begin(position));
    else this.#progress.skip(position);
  }

  #note({ eventId, occurredAt }: SkeinEvent): void {
    if (occurredAt !== this.#occurredAt) this.#lastIds.length = 0;
    this.#lastIds.push(eventId);
    this.#occurredAt = occurredAt;
  }

  /** The bytes of an event that is read again are not those of the stream, but mean the same. */
  async #takeReset(reason: string, cursor: Cursor): Promise<void> {
    const { output } = this.#context;
    const since = this.#occurredAt;
    output.say(`The stream does not go back to where you were (${toPrintable(reason)}).`);
    if (since === undefined) {
      output.say('What happened before now is not forwarded.');
      return this.#progress.skip(this.#createPosition(cursor));
    }
    const { events: found, isComplete } = await readBacklog(this.#skein, since);
    const events = found.filter(({ eventId }) => !this.#lastIds.includes(eventId));
    // What happens while the list is read comes by the stream as well.
    this.#readAgain = new Set(found.map(({ eventId }) => eventId));
    // Another reset reads on from there.
    for (const event of events) this.#note(event);
    const done = this.#progress.begin(this.#createPosition(cursor));
    output.say(
      `${events.length} events since ${since} were read again from the list${isComplete ? '' : '; older ones are beyond reach'}.`,
    );
    const wanted = events.filter(this.#isWanted);
    if (wanted.length === 0) return done();
    let open = wanted.length;
    for (const event of wanted) {
      await this.#forward(event, JSON.stringify(event), () => {
        open -= 1;
        if (open === 0) done();
      });
    }
  }

  #forward(event: SkeinEvent, raw: string, onDone: () => void): Promise<void> {
    const { eventId, eventName, data } = event;
    const { threadId } = data as { readonly threadId?: string };
    return this.#forwarder.add({ eventId, eventName, threadId, raw }, this.#signal, onDone);
  }

  #createPosition(cursor: Cursor): Position {
    return { cursor, occurredAt: this.#occurredAt };
  }

  /** Where it cannot be kept, forwarding goes on: the next start begins earlier. */
  async #keep(position: Position): Promise<void> {
    try {
      await this.#target.file.write(position);
      this.#isKept = true;
    } catch (error) {
      if (this.#isKept)
        this.#context.output.say(`How far it has come is not kept: ${(error as Error).message}`);
      this.#isKept = false;
    }
  }

  #report({ event, status, failure, attempt, ms }: ForwardResult): void {
    const { output } = this.#context;
    const { eventId, eventName } = event;
    const took = Math.round(ms);
    if (output.isJson)
      return output.json({ eventId, eventName, status: status ?? null, failure, attempt, ms: took });
    const isGood = status !== undefined && status >= 200 && status < 300;
    const result = output.style(isGood ? 'green' : 'red', String(status ?? failure));
    output.line(
      `${formatTime()}  ${result}  ${toPrintable(eventName).padEnd(28)}  ${toPrintable(eventId)}  ${took} ms`,
    );
  }
}

function parseHeaders(given: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    given.map(text => {
      const colon = text.indexOf(':');
      if (colon < 1) throw new CliError(`--header ${text}: write it as name:value.`, exitCodes.usage);
      return [text.slice(0, colon).trim(), text.slice(colon + 1).trim()];
    }),
  );
}
