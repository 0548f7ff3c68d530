/** A thread without a node or a database: its decisions are taken one after the other, and what they write is kept and checked. */
import Value from 'typebox/value';
import { eventTypes, type EventName } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import type { ChannelKind } from '../../../protocol/resources/channel.ts';
import type { Actor, Message } from '../../../protocol/resources/message.ts';
import type { Thread } from '../../../protocol/resources/thread.ts';
import type { Effect, Reminder } from '../../../runtime/actor/actor.ts';
import { silentLog } from '../../../runtime/observability/log.ts';
import type { Write } from '../../../storage/statements/statement.ts';
import { createIfMissingField, type ThreadCommands } from '../../../actors/thread/commands.ts';
import { createThreadKind } from '../../../actors/thread/kind.ts';
import type { ThreadState } from '../../../actors/thread/state.ts';

export interface SeenEvent {
  readonly eventId: string;
  readonly eventName: EventName;
  readonly occurredAt: string;
  readonly projectId: string;
  readonly data: {
    readonly sequence: number;
    readonly threadId: string;
    readonly channelId?: string;
    readonly actor: Actor;
    readonly thread?: Thread;
    readonly message?: Message;
    readonly [name: string]: unknown;
  };
}

export const start = Date.parse('2026-11-20T12:00:00.000Z');
export const hour = 3_600_000;
export const tenancy = { projectId: newId('project'), environmentId: newId('environment') };
export const key: Actor = { type: 'api_key', id: newId('apiKey') };
export const human: Actor = { type: 'user', id: newId('user') };

type Name = keyof ThreadCommands & string;

// No task of it is performed here.
const thread = createThreadKind({
  db: { query: () => Promise.reject(new Error('there is no database')) },
  log: silentLog,
});

export class ThreadHarness {
  readonly id = newId('thread');
  readonly channelId = newId('channel');
  readonly events: SeenEvent[] = [];
  readonly writes: Write[] = [];
  readonly reminders = new Map<string, Reminder>();
  /** Durable tells to other actors. */
  readonly told: Reminder[] = [];
  readonly effects: Effect[] = [];
  readonly kind: ChannelKind;
  /** The default agent of its channel. */
  defaultAgentId: string | null = null;
  state: ThreadState = thread.initialState(this.id);
  now = start;

  constructor(kind: ChannelKind = 'custom') {
    this.kind = kind;
  }

  /** Takes one turn. A refusal is thrown and changes nothing, as in the runtime. */
  do<N extends Name>(name: N, payload: ThreadCommands[N]['payload']): ThreadCommands[N]['reply'] {
    const before = JSON.stringify(this.state);
    const old = this.state;
    const turn = { now: this.now, id: this.id };
    const decision = thread.decide[name](old, payload, turn);
    if (JSON.stringify(old) !== before) throw new Error(`${name} changed the state in place`);
    if (JSON.stringify(thread.decide[name](old, payload, turn)) !== JSON.stringify(decision)) {
      throw new Error(`${name} decides differently the second time`);
    }
    this.state = decision.state ?? old;
    for (const write of decision.writes ?? []) {
      this.writes.push(write);
      if (write.event !== undefined) this.#see(write.event.body);
    }
    for (const forgotten of decision.forget ?? []) this.reminders.delete(forgotten);
    for (const reminder of decision.remind ?? []) {
      if (reminder.to === undefined) this.reminders.set(reminder.key, reminder);
      else this.told.push(reminder);
    }
    this.effects.push(...(decision.effects ?? []));
    return decision.reply;
  }

  create(externalRef: string | null = '+34600000000'): Thread {
    const channel = { channelId: this.channelId, kind: this.kind, defaultAgentId: this.defaultAgentId };
    return JSON.parse(
      this.do('create', { ...tenancy, channel, externalRef, metadata: {}, author: key }),
    ) as Thread;
  }

  receive(body = 'hello', externalRef = '+34600000000', hops?: number): Message {
    const channel = { channelId: this.channelId, kind: this.kind, defaultAgentId: this.defaultAgentId };
    const createIfMissing = { externalRef, metadata: {} };
    return JSON.parse(
      this.do('receive', {
        ...tenancy,
        channel,
        [createIfMissingField]: createIfMissing,
        message: message(body),
        ...(hops === undefined ? {} : { hops }),
      }),
    ) as Message;
  }

  send(author: Actor = key, body = 'how may I help?'): Message {
    return JSON.parse(this.do('send', { ...tenancy, message: message(body), author })) as Message;
  }

  /** Delivers what is due, in order of time, until `at`. */
  passTo(at: number): void {
    for (;;) {
      const [next] = [...this.reminders.values()].sort((a, b) => a.at - b.at);
      if (next === undefined || next.at > at) break;
      this.now = Math.max(this.now, next.at);
      // Deleted by the commit that handles it, unless that sets it anew.
      this.reminders.delete(next.key);
      this.do(next.command as Name, next.payload as never);
    }
    this.now = at;
  }

  /** The names of the events since the given number of them. */
  names(since = 0): string[] {
    return this.events.slice(since).map(event => event.eventName);
  }

  /** The message as its row is now: inserted, then moved by status updates, which this reads as their statement does. */
  row(messageId: string): { status: unknown; externalMessageId: unknown } {
    const row: { status: unknown; externalMessageId: unknown } = { status: null, externalMessageId: null };
    for (const { statement, values } of this.writes) {
      if (values[0] !== messageId) continue;
      if (statement.name === 'message.insert') row.status = values[9];
      if (statement.name !== 'message.status') continue;
      row.status = values[2] ?? row.status;
      row.externalMessageId ??= values[3] ?? null;
    }
    return row;
  }

  #see(body: string): void {
    const event = JSON.parse(body) as SeenEvent;
    if (!Object.hasOwn(eventTypes, event.eventName))
      throw new Error(`${String(event.eventName)} is not in the catalogue`);
    const [error] = Value.Errors(eventTypes[event.eventName].data, event.data);
    if (error !== undefined) {
      throw new Error(
        `${event.eventName}: ${error.instancePath} ${error.message} in ${JSON.stringify(event.data)}`,
      );
    }
    this.events.push(event);
  }
}

export function message(body: string): ThreadCommands['send']['payload']['message'] {
  return { messageId: newId('message'), body, attachments: [], metadata: {} };
}

/** The code of the refusal that the function throws. */
export function refusal(f: () => unknown): { code: string; details: unknown } {
  try {
    f();
  } catch (error) {
    const { code, details } = error as { code: string; details: unknown };
    return { code, details };
  }
  throw new Error('it was not refused');
}
