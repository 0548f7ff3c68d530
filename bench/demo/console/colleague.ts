/** A second operator, who works as people do: looks at a conversation, writes for a while, and answers its customer. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiError, type Message, Skein } from '../../../clients/sdk/index.ts';
import { password, type Shop } from './shop.ts';

/** An access token lives 15 minutes. */
const signInEveryMs = 10 * 60_000;
/** Typing is told again while somebody writes, and forgotten soon after. */
const typingEveryMs = 4_000;
const writesMs = 12_000;
const thinksMs = 8_000;

const answers = [
  'Hello, I can still change that. Which size did you take, and which one do you need?',
  'Then I cancel the first order, and put the right size aside for you. Is that all right?',
  'Done. You get a mail in a minute.',
] as const;

export interface ColleagueOptions {
  readonly baseUrl: string;
  readonly email: string;
  readonly shop: Shop;
  /** The conversation that is theirs. */
  readonly threadId: string;
  readonly signal: AbortSignal;
}

/** What signs in again before a token ends. */
function createSignIn({ baseUrl, email }: ColleagueOptions): () => Promise<string> {
  const anonymous = new Skein({ baseUrl, apiKey: null });
  let signedInAt = -Infinity;
  let token: Promise<string> | undefined;
  return () => {
    if (token === undefined || performance.now() - signedInAt > signInEveryMs) {
      signedInAt = performance.now();
      token = anonymous.auth.login({ email, password }).then(({ accessToken }) => accessToken);
      // The next call tries again.
      token.catch(() => (token = undefined));
    }
    return token;
  };
}

/** Until the signal. */
export async function workAsColleague(options: ColleagueOptions): Promise<void> {
  const { baseUrl, shop, threadId, signal } = options;
  const { projectId, environmentId } = shop;
  const skein = new Skein({ baseUrl, projectId, environmentId, apiKey: createSignIn(options) });
  const stream = skein.stream({ projectId, environmentId, signal });
  stream.view(threadId);
  let answered = 0;
  let isAnswering = false;
  const write = async (): Promise<void> => {
    await pause(thinksMs, undefined, { signal });
    for (let left = writesMs; left > 0; left -= typingEveryMs) {
      await skein.threads.setTyping(threadId, { state: 'started' });
      await pause(typingEveryMs, undefined, { signal });
    }
    await skein.threads.setTyping(threadId, { state: 'stopped' });
    await skein.messages.create(threadId, { body: answers[answered++ % answers.length] ?? answers[0] });
  };
  const answer = async (): Promise<void> => {
    if (isAnswering) return;
    isAnswering = true;
    try {
      await write();
    } catch (error) {
      // Somebody may have archived the conversation, or it is over.
      if (!signal.aborted && !(error instanceof ApiError)) throw error;
    } finally {
      isAnswering = false;
    }
  };
  void answer();
  for await (const item of stream) {
    if (item.type !== 'event' || item.event.eventName !== 'thread.message.received') continue;
    const { message } = item.event.data as { readonly message: Message };
    if (message.threadId === threadId) void answer();
  }
}
