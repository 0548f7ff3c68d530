/** Shared by the scenes of the demonstration: a node, a provider, and a channel that connects them. */
import { randomUUID } from 'node:crypto';
import type {
  ChatappProvider,
  Json,
  Participant,
  SentMessage,
} from '../../../test/support/chatapp-provider/index.ts';
import type { Api, Message, Page } from '../api.ts';
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
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no ${what} within ${seenWithinMs} ms`)), seenWithinMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
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
  const { body, threadId, ...rest } = getMessage(received);
  display.hop(`${by.name ?? by.phone} writes; webhook answered 200, then worked through`, received.at - from);
  display.note(`${by.name ?? by.phone}: ${body}`);
  return { body, threadId, ...rest };
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

export async function listMessages({ api, projectId }: Setting, threadId: string): Promise<Message[]> {
  return api.all<Message>(`/threads/${threadId}/messages?projectId=${projectId}&order=asc`);
}

export type ThreadPage = Page<{ readonly threadId: string; readonly externalRef: string | null }>;
