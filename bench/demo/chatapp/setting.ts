/** Shared by the scenes of the demonstration: a node, a provider, and a channel that connects them. */
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type {
  ChatappProvider,
  Json,
  Participant,
  SentMessage,
} from '../../../test/support/chatapp-provider/index.ts';
import type { Api, Message } from '../api.ts';
import type { ConsoleStream, StreamEvent } from '../console-stream.ts';
import { display } from '../display.ts';
import type { Server } from '../server.ts';
import type { Business } from './business.ts';

export interface Setting {
  readonly server: Server;
  readonly provider: ChatappProvider;
  readonly business: Business;
  readonly stream: ConsoleStream;
  readonly api: Api;
  readonly projectId: string;
  readonly channelId: string;
  /** The provider's app, as Skein knows it. */
  readonly partnerAppCredentialId: string;
}

const seenWithinMs = 60_000;

/** Rejects where it takes so long that the demonstration has failed. */
export async function inTime<T>(promise: Promise<T>, what: string): Promise<T> {
  const over = new AbortController();
  const late = pause(seenWithinMs, undefined, over).then(() => {
    throw new Error(`no ${what} within ${seenWithinMs} ms`);
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([promise, late]);
  } finally {
    over.abort();
  }
}

/** The first event of that name from `from` on that passes the test. */
export function next(
  { stream }: Setting,
  name: string,
  from: number,
  test: (data: Readonly<Record<string, unknown>>) => boolean = () => true,
): Promise<StreamEvent> {
  const isIt = ({ at, event }: StreamEvent): boolean =>
    at >= from && event.eventName === name && test(event.data);
  return inTime(stream.find(isIt), name);
}

export const getMessage = ({ event }: StreamEvent): Message => event.data['message'] as Message;

/** A participant writes; gives the message once its thread has it. */
export async function write(setting: Setting, by: Participant, message: Json): Promise<Message> {
  const { provider, business } = setting;
  const from = performance.now();
  const { id } = await provider.write(business.number, by, message);
  const isIt = (data: Readonly<Record<string, unknown>>): boolean =>
    (data['message'] as { readonly externalMessageId?: unknown }).externalMessageId === id;
  const received = await next(setting, 'thread.message.received', from, isIt);
  const name = by.name ?? by.phone;
  display.hop(`${name} writes; webhook answered 200, then processed`, received.at - from);
  display.note(`${name}: ${getMessage(received).body}`);
  return getMessage(received);
}

/** The business answers: gives the message. */
export function answer(setting: Setting, threadId: string, body: string): Promise<Message> {
  const { api, projectId } = setting;
  display.note(`business: ${body}`);
  return api.post<Message>(`/threads/${threadId}/messages`, { projectId, body }, randomUUID());
}

/** Calls the provider's next acceptance; resolves with the message that it took. */
export function accepted({ provider }: Setting): Promise<SentMessage> {
  const taken = new Promise<SentMessage>(resolve => {
    provider.messages.accepted = resolve;
  });
  return inTime(taken, 'message at the provider');
}
